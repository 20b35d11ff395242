//! One node by itself: its type, settings and policy.

use std::rc::Rc;

use mnemograph_compact::FromJson;
use serde_json::{Map, Value};

use super::DraftNode;
use crate::catalogue::{self, Direction, Kind, NodeSpec};
use crate::document::{EdgeType, NodeDocument};
use crate::getters::Get;
use crate::host_node::{self, HostNode, HostNodes};
use crate::nodes::{Settings, WindowMemory};
use crate::policy::{ON_ERROR, OnError, is_code};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::ReadNode;
use crate::settings::{Place, Unknown, complete, names};
use crate::suggest::Suggest;

pub(super) fn judge(
    read: ReadNode,
    nodes: &Pointer,
    hosts: &HostNodes,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> DraftNode {
    let ReadNode {
        index,
        node: document,
    } = read;
    let path = nodes.index(index);
    let known = known_type(&document, &path, hosts, suggest, problems);
    let mut draft = DraftNode {
        spec: known.map(|(spec, _)| spec),
        path,
        document,
        map: Map::new(),
        on_error_map: Map::new(),
        settings: None,
        on_error: OnError::default(),
        dynamic: Rc::new([]),
        answers: false,
        has_unsure_ports: false,
        parent: None,
        has_unsure_parent: false,
    };
    if let Some((spec, host)) = known {
        (draft.map, draft.settings) = match host {
            None => settings(spec, &draft, suggest, problems),
            Some(host) => {
                draft.dynamic = host.ports().into();
                let map = host_node::settings(&draft.document.settings);
                (map, Some(Settings::Host(Rc::clone(host))))
            }
        };
        (draft.on_error_map, draft.on_error) = on_error(&draft, suggest, problems);
        if let Some(ports) = spec.dynamic {
            draft.dynamic = ports(&draft.map).into();
            draft.has_unsure_ports = draft.settings.is_none();
        }
        without_effect(spec, &draft, problems);
        if draft.is_enabled() {
            not_yet(spec, &draft, problems);
            small_window(&draft, problems);
        }
    }
    draft
}

fn known_type<'a>(
    node: &NodeDocument,
    path: &Pointer,
    hosts: &'a HostNodes,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<(&'static NodeSpec, Option<&'a Rc<HostNode>>)> {
    let host = hosts.get(&node.node_type);
    let spec = match (catalogue::spec(&node.node_type), host) {
        (Some(spec), _) => spec,
        (None, Some(_)) => &host_node::SPEC,
        (None, None) => {
            problems.add(unknown_type(node, path, hosts, suggest));
            return None;
        }
    };
    let version = node.type_version.unwrap_or(1);
    if version > spec.version {
        problems.add(
            Problem::new(
                Code::Version,
                format!(
                    "This runtime knows \"{}\" up to version {}, not {version}.",
                    node.node_type, spec.version
                ),
                "Update mnemograph, or build the node anew in this version.",
            )
            .node(&node.id)
            .at(&path.key("type_version")),
        );
        return None;
    }
    Some((spec, host))
}

fn unknown_type(
    node: &NodeDocument,
    path: &Pointer,
    hosts: &HostNodes,
    suggest: &mut Suggest,
) -> Problem {
    let known = || {
        let own = catalogue::specs().iter().map(|spec| spec.node_type);
        own.chain(hosts.keys().map(String::as_str))
    };
    let hint = match suggest.nearest(&node.node_type, known()) {
        Some(name) => format!("Did you mean \"{name}\"?"),
        None => format!("Known types: {}.", names(known())),
    };
    let message = format!("There is no node type {}.", quote(&node.node_type));
    Problem::new(Code::UnknownType, message, hint)
        .node(&node.id)
        .at(&path.key("type"))
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
        let path = path.join(&fault.setting);
        problems.add(place.problem_at(fault.code, &path, fault.message, fault.hint));
    }
    let is_sound = problems.errors() == errors;
    let settings = is_sound.then(|| (spec.build)(Get(&map)));
    (map, settings)
}

fn on_error(
    draft: &DraftNode,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> (Map<String, Value>, OnError) {
    let given = draft.document.on_error.clone().unwrap_or_default();
    let path = draft.path.key("on_error");
    let place = policy_place(draft, &path);
    let map = complete(ON_ERROR, &given, Unknown::Refuse, place, suggest, problems);
    let policy: OnError = FromJson::from_json(Value::Object(map.clone())).unwrap_or_default();
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

fn policy_place<'a>(draft: &'a DraftNode, path: &'a Pointer) -> Place<'a> {
    Place {
        node: Some(draft.id()),
        owner: "\"on_error\"",
        path,
    }
}

/// Substitutes of outputs that a node does not have.
pub(super) fn judge_policies(nodes: &[DraftNode], suggest: &mut Suggest, problems: &mut Problems) {
    for draft in nodes.iter().filter(|node| !node.has_unsure_ports) {
        if draft.spec.is_none() {
            continue;
        }
        let path = draft.path.key("on_error");
        for port in draft.on_error.default.keys() {
            if draft.port(port, EdgeType::Data, Direction::Out).is_some() {
                continue;
            }
            let outputs = || {
                let ports = draft.ports().filter(|port| port.is_data_out());
                ports.map(|port| port.name.as_ref())
            };
            let hint = match suggest.nearest(port, outputs()) {
                Some(name) => format!("Did you mean \"{name}\"?"),
                None => format!(
                    "Outputs of \"{}\": {}.",
                    draft.document.node_type,
                    names(outputs())
                ),
            };
            problems.add(policy_place(draft, &path).problem(
                Code::Setting,
                "default",
                format!("\"{}\" has no output {}.", draft.id(), quote(port)),
                hint,
            ));
        }
    }
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
            draft.document.node_type
        );
        problems.add(
            draft
                .problem(Code::UnknownSetting, message, hint)
                .at(&draft.path.key(key)),
        );
    }
}

/// What the format has and this version does nothing about: silence would pass for consent.
fn not_yet(spec: &NodeSpec, draft: &DraftNode, problems: &mut Problems) {
    let settings = draft.path.key("settings");
    let planned = spec.settings.iter().filter(|setting| setting.planned);
    let set = planned.filter(|setting| draft.map.get(setting.name) != setting.absent().as_ref());
    let places = set.map(|setting| settings.key(setting.name));
    let renamed = spec.keeps_state && !draft.document.renamed_from.is_empty();
    let places = places.chain(renamed.then(|| draft.path.key("renamed_from")));
    for place in places {
        problems.add(
            draft
                .problem(
                    Code::NotYet,
                    format!("What {} says there has no effect yet.", quote(draft.id())),
                    "Remove it, or keep it for a version that honours it.",
                )
                .at(&place),
        );
    }
}

/// A window of one message has no room for a question with its answer (3-memory.md D7).
fn small_window(draft: &DraftNode, problems: &mut Problems) {
    if !matches!(
        draft.settings,
        Some(Settings::WindowMemory(WindowMemory { window_size: 1, .. }))
    ) {
        return;
    }
    problems.add(
        draft
            .problem(
                Code::WindowSmall,
                format!(
                    "{} sends one message at most, and no question fits with its answer.",
                    quote(draft.id())
                ),
                "Set \"window_size\" to 2 or more, or to 0 to send nothing.",
            )
            .at(&draft.path.key("settings").key("window_size")),
    );
}
