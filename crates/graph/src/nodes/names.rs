//! Names that authors choose inside of settings: of cases, inputs, fields. Most of them become ports.

use mnemograph_compact::SortedSet;
use serde_json::{Map, Value};

use crate::catalogue::SettingFault;
use crate::getters::Get;
use crate::problem::quote;
use crate::read::is_node_id;

/// Most names in one list.
pub(crate) const MAX_NAMES: usize = 200;

/// What the names of a list are for.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// The setting that holds the list.
    pub(crate) setting: &'static str,
    /// What one of them is called in a sentence: "a case".
    pub(crate) what: &'static str,
    /// Names that the node itself uses.
    pub(crate) reserved: &'static [&'static str],
}

impl Names {
    /// Judges a list of texts.
    pub(crate) fn of_texts(self, map: &Map<String, Value>) -> Vec<SettingFault> {
        let names = Get(map).strs(self.setting).map(Some);
        self.judge(names, |index| format!("{}/{index}", self.setting))
    }

    /// Judges the same field of each record of a list.
    pub(crate) fn of_records(
        self,
        map: &Map<String, Value>,
        field: &'static str,
    ) -> Vec<SettingFault> {
        let names = Get(map)
            .records(self.setting)
            .map(|record| record.str(field));
        self.judge(names, |index| format!("{}/{index}/{field}", self.setting))
    }

    /// `None`: the name itself is wrong, which has been told.
    fn judge<'a>(
        self,
        names: impl Iterator<Item = Option<&'a str>>,
        place: impl Fn(usize) -> String,
    ) -> Vec<SettingFault> {
        let mut taken = SortedSet::new();
        let mut faults = Vec::new();
        for (index, name) in names.enumerate() {
            if index == MAX_NAMES {
                faults.push(SettingFault::new(
                    self.setting,
                    format!("\"{}\" has more than {MAX_NAMES} entries.", self.setting),
                    "Use several nodes.",
                ));
                break;
            }
            let Some(name) = name else {
                continue;
            };
            let (message, hint) = if !is_node_id(name) {
                (
                    format!("{} cannot be the name of {}.", quote(name), self.what),
                    "Use a letter or _, then up to 63 letters, digits or _.",
                )
            } else if self.reserved.contains(&name) {
                (
                    format!(
                        "{} cannot be the name of {}: the node has a port of this name.",
                        quote(name),
                        self.what
                    ),
                    "Give it another name.",
                )
            } else if !taken.insert(name) {
                (
                    format!(
                        "The name {} stands twice in \"{}\".",
                        quote(name),
                        self.setting
                    ),
                    "Give one of the two another name.",
                )
            } else {
                continue;
            };
            faults.push(SettingFault::new(place(index), message, hint));
        }
        faults
    }
}

/// A list that has to have at least one entry.
pub(crate) fn not_empty(
    map: &Map<String, Value>,
    setting: &'static str,
    hint: &'static str,
) -> Option<SettingFault> {
    let list = map.get(setting).and_then(Value::as_array);
    list.filter(|list| list.is_empty())
        .map(|_| SettingFault::new(setting, format!("\"{setting}\" is empty."), hint))
}

/// Whether a text has template marks, so that its value is not known before the run.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}
