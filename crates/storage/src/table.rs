//! The fixed set of tables.

use mnemograph_compact::FromJson;
use serde::Serialize;

macro_rules! tables {
    ($($variant:ident => $name:literal, $doc:literal;)*) => {
        /// A table. On IndexedDB each is an object store of the same name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        pub enum Table {
            $(#[doc = $doc] $variant,)*
        }

        impl Table {
            /// All tables, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The table's name in every backend.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

tables! {
    Meta => "meta", "Facts about the database itself: counters, fingerprints.";
    Threads => "threads", "One record a thread: title, owner, times.";
    Heads => "heads", "One record a history: epoch, next sequence number, counts.";
    Rounds => "rounds", "The messages of a history, one record a finished round.";
    RoundIds => "round_ids", "Which round ids a history holds already.";
    Journal => "journal", "Rounds that are still running.";
    Summaries => "summaries", "Summaries of histories.";
    Transcripts => "transcripts", "What was said in a thread, one record a turn.";
    Dictionaries => "dictionaries", "Agent dictionaries.";
    Variables => "variables", "Variables of graphs and threads.";
    Blobs => "blobs", "Large parts by their hash.";
    BlobRefs => "blob_refs", "Who uses which blob.";
    GraphRuns => "graph_runs", "Runs of graphs.";
    Checkpoints => "checkpoints", "Checkpoints of suspended runs.";
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn names_are_unique_and_equal_to_the_serialised_form() {
        for table in Table::ALL {
            let json = serde_json::to_string(table).unwrap();
            assert_eq!(json, format!("\"{}\"", table.name()));
        }
        let mut names: Vec<_> = Table::ALL.iter().map(|table| table.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Table::ALL.len());
    }
}
