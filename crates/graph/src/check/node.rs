//! One node by itself: its type, settings and policy.

use serde_json::{Map, Value};

use super::DraftNode;
use crate::catalogue::{self, Direction, Kind, NodeSpec};
use crate::document::{EdgeType, NodeDocument};
use crate::nodes::Settings;
use crate::policy::{ON_ERROR, OnError};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::ReadNode;
use crate::settings::{Place, Unknown, complete, names};
use crate::suggest::Suggest;

pub(super) fn judge(read: ReadNode, suggest: &mut Suggest, problems: &mut Problems) -> DraftNode {
    let ReadNode {
        index,
        node: document,
    } = read;
    let path = Pointer::root().key("nodes").index(index);
    let mut draft = DraftNode {
        spec: known_type(&document, &path, suggest, problems),
        path,
        document,
        map: Map::new(),
        on_error_map: Map::new(),
        settings: None,
        on_error: OnError::default(),
    };
    if let Some(spec) = draft.spec {
        (draft.map, draft.settings) = settings(spec, &draft, suggest, problems);
        (draft.on_error_map, draft.on_error) = on_error(spec, &draft, suggest, problems);
        without_effect(spec, &draft, problems);
    }
    draft
}

fn known_type(
    node: &NodeDocument,
    path: &Pointer,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<&'static NodeSpec> {
    let Some(spec) = catalogue::spec(&node.node_type) else {
        let known = || catalogue::specs().iter().map(|spec| spec.node_type);
        let hint = match suggest.nearest(&node.node_type, known()) {
            Some(name) => format!("Did you mean \"{name}\"?"),
            None => format!("Known types: {}.", names(known())),
        };
        problems.add(
            Problem::new(
                Code::UnknownType,
                format!("There is no node type {}.", quote(&node.node_type)),
                hint,
            )
            .node(&node.id)
            .at(&path.key("type")),
        );
        return None;
    };
    let version = node.type_version.unwrap_or(1);
    if version > spec.version {
        problems.add(
            Problem::new(
                Code::Version,
                format!(
                    "This runtime knows \"{}\" up to version {}, not {version}.",
                    spec.node_type, spec.version
                ),
                "Update mnemograph, or build the node anew in this version.",
            )
            .node(&node.id)
            .at(&path.key("type_version")),
        );
        return None;
    }
    Some(spec)
}

fn settings(
    spec: &'static NodeSpec,
    draft: &DraftNode,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> (Map<String, Value>, Option<Settings>) {
    let errors = problems.errors();
    let path = draft.path.key("settings");
    let owner = format!("\"{}\"", draft.id());
    let place = Place {
        node: Some(draft.id()),
        owner: &owner,
        path: &path,
    };
    let mut map = complete(
        spec.settings,
        &draft.document.settings,
        Unknown::Warn,
        place,
        suggest,
        problems,
    );
    for fault in (spec.settle)(&mut map) {
        problems.add(place.problem(Code::Setting, fault.setting, fault.message, fault.hint));
    }
    if problems.errors() > errors {
        return (map, None);
    }
    match (spec.build)(map.clone()) {
        Ok(settings) => (map, Some(settings)),
        Err(error) => {
            // The table and the struct of a type disagree; a test of the catalogue keeps this from happening.
            problems.add(draft.problem(
                Code::Internal,
                format!("The settings of {owner} could not be read: {error}."),
                "This is a fault of mnemograph; please report it with this document.",
            ));
            (map, None)
        }
    }
}

fn on_error(
    spec: &'static NodeSpec,
    draft: &DraftNode,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> (Map<String, Value>, OnError) {
    let given = draft.document.on_error.clone().unwrap_or_default();
    let path = draft.path.key("on_error");
    let place = Place {
        node: Some(draft.id()),
        owner: "\"on_error\"",
        path: &path,
    };
    let map = complete(ON_ERROR, &given, Unknown::Refuse, place, suggest, problems);
    let policy: OnError = serde_json::from_value(Value::Object(map.clone())).unwrap_or_default();
    for port in policy.default.keys() {
        if spec.port(port, EdgeType::Data, Direction::Out).is_none() {
            let outputs = || {
                spec.all_ports()
                    .filter(|port| port.flow == EdgeType::Data && port.direction == Direction::Out)
                    .map(|port| port.name)
            };
            let hint = match suggest.nearest(port, outputs()) {
                Some(name) => format!("Did you mean \"{name}\"?"),
                None => format!("Outputs of \"{}\": {}.", spec.node_type, names(outputs())),
            };
            problems.add(place.problem(
                Code::Setting,
                "default",
                format!("\"{}\" has no output {}.", draft.id(), quote(port)),
                hint,
            ));
        }
    }
    let is_code = |code: &str| {
        code.starts_with("E_")
            && code
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    for code in policy.retry.on.iter().filter(|code| !is_code(code)) {
        problems.add(place.problem(
            Code::Setting,
            "retry",
            format!("{} in \"retry.on\" is no error code.", quote(code)),
            "List codes of errors, for example \"E_LLM\"; an empty list means every error that may pass.".to_owned(),
        ));
    }
    (map, policy)
}

/// Keys that the format allows on every node and that do nothing on this one.
fn without_effect(spec: &NodeSpec, draft: &DraftNode, problems: &mut Problems) {
    let document = &draft.document;
    let acts = spec.kind == Kind::Step;
    let has_own_limit = spec
        .settings
        .iter()
        .any(|setting| setting.name == "timeout_ms");
    let step_only = "Remove it: only steps run and fail.";
    let idle = [
        ("on_error", document.on_error.is_some() && !acts, step_only),
        (
            "timeout_ms",
            document.timeout_ms.is_some() && !acts,
            if has_own_limit {
                "Move it into \"settings\"."
            } else {
                step_only
            },
        ),
        (
            "renamed_from",
            !document.renamed_from.is_empty() && !spec.keeps_state,
            "Remove it: only nodes that store something take over state.",
        ),
    ];
    for (key, _, hint) in idle.into_iter().filter(|(_, given, _)| *given) {
        let message = format!(
            "\"{key}\" has no effect on \"{}\", a node of type \"{}\".",
            draft.id(),
            spec.node_type
        );
        problems.add(
            draft
                .problem(Code::UnknownSetting, message, hint)
                .at(&draft.path.key(key)),
        );
    }
}
