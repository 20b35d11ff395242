//! The containers: `while_loop` and `for_each`, and the steps that leave a pass of them.

use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::getters::choice;
use crate::nodes::Settings;
use crate::setting::MAX_SAFE;
use crate::values::ValueType;

/// Settings of `while_loop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhileLoop {
    /// When the condition is asked.
    pub test: LoopTest,
    /// Passes at most.
    pub max_iterations: u64,
    /// What happens when they are used up.
    pub on_limit: OnLimit,
}

choice! {
    /// When a loop asks its condition.
    LoopTest {
        /// Before each pass.
        Before = "before",
        /// After each pass, so that the body runs once at least.
        After = "after",
    }
}

choice! {
    /// What a loop does when its passes are used up.
    OnLimit {
        /// It fails.
        Error = "error",
        /// It ends as if its condition did not hold.
        Done = "done",
    }
}

/// Settings of `for_each`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForEach {
    /// Items that are worked on at the same time.
    pub concurrency: usize,
    /// What happens to an item whose body fails.
    pub on_item_error: OnItemError,
    /// Items at most.
    pub max_items: u64,
}

choice! {
    /// What `for_each` does when the body fails for an item.
    OnItemError {
        /// The loop fails.
        Fail = "fail",
        /// The result of the item is `null`.
        Null = "null",
        /// The item has no result.
        Drop = "drop",
    }
}

const COUNT: SettingType = SettingType::Integer {
    min: 1,
    max: MAX_SAFE,
};

pub(crate) static WHILE: NodeSpec = NodeSpec {
    node_type: "while_loop",
    group: "Control",
    title: "Loop",
    description: "Runs its body again and again while a condition holds.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out(
            "body",
            "Taken at the beginning of each pass; leads into the loop.",
        ),
        Port::run_out("done", "Taken after the last pass."),
        Port::data_in(
            "condition",
            ValueType::Boolean,
            "Whether a further pass is made.",
        )
        .required()
        .or_setting("condition"),
        Port::data_out("iterations", ValueType::Integer, "Passes made."),
        Port::data_out(
            "result",
            ValueType::Any,
            "What \"result\" gave after the last pass.",
        ),
    ],
    settings: &[
        SettingSpec::new(
            "condition",
            SettingType::Text,
            "Whether a further pass is made, while nothing is wired to condition.",
        )
        .expression(),
        SettingSpec::new(
            "test",
            SettingType::Choice {
                options: LoopTest::NAMES,
            },
            "Whether the condition is asked before each pass or after it.",
        )
        .or(DefaultValue::Text("before")),
        SettingSpec::new("max_iterations", COUNT, "Passes at most.").or(DefaultValue::Integer(100)),
        SettingSpec::new(
            "on_limit",
            SettingType::Choice {
                options: OnLimit::NAMES,
            },
            "Whether the loop fails or ends when its passes are used up.",
        )
        .or(DefaultValue::Text("error")),
        SettingSpec::new(
            "result",
            SettingType::Json,
            "What the loop gives, taken after the last pass.",
        )
        .templates(),
    ],
    is_container: true,
    build: |get| {
        Settings::WhileLoop(WhileLoop {
            test: get.choice("test"),
            max_iterations: get.number("max_iterations"),
            on_limit: get.choice("on_limit"),
        })
    },
    ..BLANK
};

pub(crate) static FOR_EACH: NodeSpec = NodeSpec {
    node_type: "for_each",
    group: "Control",
    title: "For each",
    description: "Runs its body for each item of a list.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("body", "Taken for each item; leads into the loop."),
        Port::run_out("done", "Taken after the last item."),
        Port::data_in("items", ValueType::Any, "The list.")
            .required()
            .or_setting("items"),
        Port::data_out(
            "results",
            ValueType::Json,
            "What \"result\" gave for each item, in their order.",
        ),
        Port::data_out(
            "errors",
            ValueType::Json,
            "The errors of items, with their index.",
        ),
    ],
    settings: &[
        SettingSpec::new(
            "items",
            SettingType::Json,
            "The list while nothing is wired to items.",
        )
        .templates(),
        SettingSpec::new(
            "concurrency",
            SettingType::Integer { min: 1, max: 32 },
            "Items that are worked on at the same time.",
        )
        .or(DefaultValue::Integer(1)),
        SettingSpec::new(
            "on_item_error",
            SettingType::Choice {
                options: OnItemError::NAMES,
            },
            "Whether a failing item fails the loop, gives null, or is left out.",
        )
        .or(DefaultValue::Text("fail")),
        SettingSpec::new("max_items", COUNT, "Items at most.").or(DefaultValue::Integer(1_000)),
        SettingSpec::new(
            "result",
            SettingType::Json,
            "What an item gives, taken at its end.",
        )
        .templates(),
    ],
    is_container: true,
    build: |get| {
        Settings::ForEach(ForEach {
            concurrency: get.number("concurrency"),
            on_item_error: get.choice("on_item_error"),
            max_items: get.number("max_items"),
        })
    },
    ..BLANK
};

pub(crate) static BREAK: NodeSpec = NodeSpec {
    node_type: "break",
    group: "Control",
    title: "Break",
    description: "Ends the loop that it stands in.",
    ports: &[Port::run_in("in", "Control enters and leaves the loop.")],
    build: |_| Settings::Break,
    ..BLANK
};

pub(crate) static CONTINUE: NodeSpec = NodeSpec {
    node_type: "continue",
    group: "Control",
    title: "Continue",
    description: "Ends the pass of the loop that it stands in.",
    ports: &[Port::run_in("in", "Control enters and the pass ends.")],
    build: |_| Settings::Continue,
    ..BLANK
};
