//! What JavaScript gets to see: one line a type, one line a list of codes.

use crate::Types;

/// Every type that crosses. What these refer to comes along.
#[must_use]
pub fn all_types() -> Types {
    let mut types = Types::new();
    types
        .add::<mnemograph_engine::ChatChunk>()
        .add::<mnemograph_engine::ChatRequest>()
        .add::<mnemograph_engine::ChatResponse>()
        .add::<mnemograph_engine::EventBatch<'static>>()
        .add::<mnemograph_engine::EventData>()
        .add::<mnemograph_engine::Failure>()
        .add::<mnemograph_engine::HostCatalogue>()
        .add::<mnemograph_engine::HostNode>()
        .add::<mnemograph_engine::Origin>()
        .add::<mnemograph_engine::Purpose>()
        .add::<mnemograph_engine::RunEvent>()
        .add::<mnemograph_engine::RunEventEnvelope>()
        .add::<mnemograph_engine::RunResult>()
        .add::<mnemograph_engine::HostWork>()
        .add::<mnemograph_runtime::WaitingRun>()
        .add::<mnemograph_graph::Document>()
        .add::<mnemograph_graph::Problem>()
        .add::<mnemograph_memory::Cleared>()
        .add::<mnemograph_memory::Edited>()
        .add::<mnemograph_memory::Message>()
        .add::<mnemograph_memory::Repaired>()
        .add::<mnemograph_memory::View>()
        .add::<mnemograph_memory::ViewPolicy>()
        .add::<mnemograph_memory::thread::Forgotten>()
        .add::<mnemograph_memory::thread::Thread>()
        .add::<mnemograph_runtime::BrowserStorage>()
        .add::<mnemograph_runtime::Row>()
        .add::<mnemograph_runtime::RowsUnder>()
        .add::<mnemograph_runtime::Notice>()
        .add::<mnemograph_runtime::StateNode>()
        .add::<mnemograph_runtime::StateView>()
        .add::<mnemograph_runtime::StorageHealth>()
        .add::<mnemograph_runtime::TranscriptEntry>();
    types
}

/// Every code that an error or a warning can have.
pub fn all_codes() -> impl Iterator<Item = &'static str> {
    [
        mnemograph_engine::CODES,
        mnemograph_engine::WARNINGS,
        mnemograph_runtime::CODES,
    ]
    .into_iter()
    .flatten()
    .copied()
    .chain(mnemograph_graph::Code::ALL.iter().map(|code| code.as_str()))
}
