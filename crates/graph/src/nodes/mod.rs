//! The node types, each with its settings and its entry in the catalogue.

use std::rc::Rc;

use crate::host_node::HostNode;

mod names;

pub(crate) mod agent_memory;
pub(crate) mod ai_agent;
pub(crate) mod call;
pub(crate) mod chat_history;
pub(crate) mod classifier;
pub(crate) mod condition;
pub(crate) mod control;
pub(crate) mod http;
pub(crate) mod json;
pub(crate) mod list;
pub(crate) mod llm_model;
pub(crate) mod llm_response;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod memory_manager;
pub(crate) mod note;
pub(crate) mod output;
pub(crate) mod people;
pub(crate) mod regex;
pub(crate) mod reply;
pub(crate) mod subgraph;
pub(crate) mod switch;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod tool;
pub(crate) mod trigger;
pub(crate) mod var;

pub use agent_memory::AgentMemory;
pub use ai_agent::{AiAgent, ToolErrors};
pub use call::{Call, Emit};
pub use chat_history::ChatHistory;
pub use classifier::{Class, Classifier, Extract};
pub use condition::{Condition, ConditionCase, Rule, RuleOp, When};
pub use control::{Coalesce, Fail, Merge, Stop, StopStatus};
pub use http::{BodyType, HttpMethod, HttpRequest};
pub use json::{Json, JsonOp};
pub use list::List;
pub use llm_model::LlmModel;
pub use llm_response::LlmResponse;
pub use loops::{ForEach, LoopTest, OnItemError, OnLimit, WhileLoop};
pub use memory::{
    Memory, Retention, Scope, SummaryMemory, SummaryPlacement, TokenGuard, WindowMemory,
};
pub use memory_manager::{ManagerOp, MemoryManager};
pub use output::Output;
pub use people::{AskUser, HumanApproval};
pub use regex::{Regex, compile_regex};
pub use reply::Reply;
pub use subgraph::{Subgraph, input_schema};
pub use switch::{Switch, SwitchCase};
pub use text::{Set, SetField, Text};
pub use tool::{Tool, ToolRun};
pub use trigger::{EventTrigger, GraphInput, InputDecl};
pub use var::{Var, VarOp, VarSet};

/// The settings of a node that are not templates, checked and complete. The variant is the node's type.
/// [`templates`](crate::templates) has the others.
#[derive(Debug, Clone, PartialEq)]
pub enum Settings {
    /// `chat_trigger`
    ChatTrigger,
    /// `manual_trigger`
    ManualTrigger,
    /// `event_trigger`
    EventTrigger(EventTrigger),
    /// `graph_input`
    GraphInput(GraphInput),
    /// `var`
    Var(Var),
    /// `var_set`
    VarSet(VarSet),
    /// `buffer_memory`
    BufferMemory(Memory),
    /// `window_memory`
    WindowMemory(WindowMemory),
    /// `summary_memory`
    SummaryMemory(SummaryMemory),
    /// `memory_manager`
    MemoryManager(MemoryManager),
    /// `agent_memory`
    AgentMemory(AgentMemory),
    /// `ai_agent`
    AiAgent(AiAgent),
    /// `llm_response`
    LlmResponse(LlmResponse),
    /// `chat_history`
    ChatHistory(ChatHistory),
    /// `llm_model`
    LlmModel(LlmModel),
    /// `tool`
    Tool(Tool),
    /// `classifier`
    Classifier(Classifier),
    /// `extract`
    Extract(Extract),
    /// `condition`
    Condition(Condition),
    /// `switch`
    Switch(Switch),
    /// `while_loop`
    WhileLoop(WhileLoop),
    /// `for_each`
    ForEach(ForEach),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `merge`
    Merge(Merge),
    /// `coalesce`
    Coalesce(Coalesce),
    /// `subgraph`
    Subgraph(Subgraph),
    /// `human_approval`
    HumanApproval(HumanApproval),
    /// `ask_user`
    AskUser(AskUser),
    /// `stop`
    Stop(Stop),
    /// `fail`
    Fail(Fail),
    /// `delay`
    Delay,
    /// `text`
    Text(Text),
    /// `set`
    Set(Set),
    /// `json`
    Json(Json),
    /// `list`
    List(List),
    /// `regex`
    Regex(Regex),
    /// `table`
    Table,
    /// `reply`
    Reply(Reply),
    /// `output`
    Output(Output),
    /// `http_request`
    HttpRequest(HttpRequest),
    /// `call`
    Call(Call),
    /// `emit`
    Emit(Emit),
    /// `note`
    Note,
    /// A node type of the host.
    Host(Rc<HostNode>),
}

impl Settings {
    /// The settings that all conversation memories have, if the node is one.
    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Settings::BufferMemory(memory) => Some(memory),
            Settings::WindowMemory(window) => Some(&window.memory),
            Settings::SummaryMemory(summary) => Some(&summary.memory),
            _ => None,
        }
    }

    /// How long what the node keeps lives, if it keeps anything.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Settings::Var(var) => Some(var.scope),
            Settings::AgentMemory(memory) => Some(memory.scope),
            other => other.memory().map(|memory| memory.scope),
        }
    }
}
