//! `condition`: the first case that is true takes control.

use serde_json::{Map, Value};

use super::names::{Names, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::{Get, choice};
use crate::nodes::Settings;

/// Settings of `condition`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The cases, in the order in which they are tried.
    pub cases: Vec<ConditionCase>,
}

/// A case of a `condition`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionCase {
    /// Name of its port.
    pub id: String,
    /// When it is true.
    pub when: When,
}

/// When a case is true. The texts are templates of the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// An expression holds: the template at `cases/<n>/when`.
    Expression,
    /// Rules hold: their values are the templates at `cases/<n>/when/<all or any>/<m>/value` and `…/to`.
    Rules {
        /// Every rule has to hold, not just one.
        all: bool,
        /// The rules.
        rules: Vec<Rule>,
    },
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What is compared.
    pub op: RuleOp,
    /// There is a value to compare with.
    pub has_to: bool,
}

choice! {
    /// How a rule compares.
    RuleOp {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less.
        Lt = "lt",
        /// Less or equal.
        Le = "le",
        /// Greater.
        Gt = "gt",
        /// Greater or equal.
        Ge = "ge",
        /// A text or list has it.
        Contains = "contains",
        /// A text or list has it not.
        NotContains = "not_contains",
        /// A text begins with it.
        StartsWith = "starts_with",
        /// A text ends with it.
        EndsWith = "ends_with",
        /// Is in a list or text.
        In = "in",
        /// Is not in a list or text.
        NotIn = "not_in",
        /// Absent, `null`, or an empty text, list or object.
        IsEmpty = "is_empty",
        /// Not empty.
        IsNotEmpty = "is_not_empty",
        /// Is there and not `null`.
        Exists = "exists",
        /// Is absent or `null`.
        NotExists = "not_exists",
    }
}

impl RuleOp {
    /// Whether it compares with a second value.
    pub fn takes_to(self) -> bool {
        !matches!(
            self,
            RuleOp::IsEmpty | RuleOp::IsNotEmpty | RuleOp::Exists | RuleOp::NotExists
        )
    }
}

const RULE: &[SettingSpec] = &[
    SettingSpec::new("value", SettingType::Json, "What is compared.").templates(),
    SettingSpec::new(
        "op",
        SettingType::Choice {
            options: RuleOp::NAMES,
        },
        "How it is compared.",
    )
    .or(DefaultValue::Text("eq")),
    SettingSpec::new("to", SettingType::Json, "What it is compared with.").templates(),
];

const CASES: &[SettingSpec] = &[
    SettingSpec::new("id", SettingType::Text, "Name of the case and of its port.").required(),
    SettingSpec::new(
        "when",
        SettingType::When { rule: RULE },
        "When the case is true.",
    )
    .required()
    .expression(),
];

fn when(get: Get<'_>) -> When {
    let Some(record) = get.record("when") else {
        return When::Expression;
    };
    let all = record.0.contains_key("all");
    let rules = record.records(if all { "all" } else { "any" });
    When::Rules {
        all,
        rules: rules
            .map(|rule| Rule {
                op: rule.choice("op"),
                has_to: rule.0.contains_key("to"),
            })
            .collect(),
    }
}

fn cases(get: Get<'_>) -> Vec<ConditionCase> {
    get.records("cases")
        .map(|case| ConditionCase {
            id: case.text("id"),
            when: when(case),
        })
        .collect()
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "cases",
        what: "a case",
        reserved: &["else", "error"],
    };
    let mut faults = names.of_records(map, "id");
    faults.extend(not_empty(map, "cases", "Add a case {\"id\", \"when\"}."));
    for (index, case) in cases(Get(map)).iter().enumerate() {
        let When::Rules { all, rules } = &case.when else {
            continue;
        };
        let group = if *all { "all" } else { "any" };
        for (place, rule) in rules.iter().enumerate() {
            let path = format!("cases/{index}/when/{group}/{place}/to");
            let op = rule.op.as_str();
            if rule.op.takes_to() && !rule.has_to {
                faults.push(SettingFault::new(
                    path,
                    format!("The rule \"{op}\" has nothing to compare with."),
                    "Set \"to\"; to ask whether a value is there, use the op \"exists\" or \"is_empty\".",
                ));
            } else if !rule.op.takes_to() && rule.has_to {
                faults.push(SettingFault::new(
                    path,
                    format!("The rule \"{op}\" compares with nothing."),
                    "Remove \"to\", or use another \"op\".",
                ));
            }
        }
    }
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "condition",
    group: "Control",
    title: "Condition",
    description: "Control goes on at the first case that is true.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("else", "Taken when no case is true."),
    ],
    settings: &[SettingSpec::new(
        "cases",
        SettingType::Records { fields: CASES },
        "The cases, in the order in which they are tried.",
    )
    .required()],
    dynamic: Some(|map| {
        let port = |case: ConditionCase| {
            Port::run_out("", "Taken when the case is the first that is true.").named(&case.id)
        };
        cases(Get(map)).into_iter().map(port).collect()
    }),
    settle,
    build: |get| Settings::Condition(Condition { cases: cases(get) }),
    ..BLANK
};
