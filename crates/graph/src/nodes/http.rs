//! `http_request`: asks a server that the page allows.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::{Get, choice};
use crate::nodes::Settings;
use crate::setting::milliseconds;
use crate::values::ValueType;

/// Settings of `http_request`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// What is done with the address.
    pub method: HttpMethod,
    /// How the body is written.
    pub body_type: BodyType,
    /// Longest wait in milliseconds.
    pub timeout_ms: u64,
    /// Bytes of the answer at most.
    pub max_bytes: u64,
}

choice! {
    /// The method of a request.
    HttpMethod {
        /// Read.
        Get = "GET",
        /// Send.
        Post = "POST",
        /// Put in place.
        Put = "PUT",
        /// Change.
        Patch = "PATCH",
        /// Remove.
        Delete = "DELETE",
        /// Read the headers.
        Head = "HEAD",
    }
}

choice! {
    /// How the body of a request is written.
    BodyType {
        /// There is none.
        None = "none",
        /// As JSON.
        Json = "json",
        /// As text.
        Text = "text",
        /// As the fields of a form.
        Form = "form",
    }
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let get = Get(map);
    let method: HttpMethod = get.choice("method");
    let body: BodyType = get.choice("body_type");
    let mut faults = Vec::new();
    if matches!(method, HttpMethod::Get | HttpMethod::Head) && body != BodyType::None {
        faults.push(SettingFault::new(
            "body_type",
            format!("A {} request has no body.", method.as_str()),
            "Set \"method\" to POST, PUT or PATCH, or \"body_type\" to none.",
        ));
    }
    if body == BodyType::None && map.contains_key("body") {
        faults.push(SettingFault::new(
            "body",
            "There is a body, and \"body_type\" is none.",
            "Set \"body_type\" to json, text or form, or remove \"body\".",
        ));
    }
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "http_request",
    group: "Host",
    title: "HTTP request",
    description: "Asks a server that the page allows.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the answer."),
        Port::data_out("http_status", ValueType::Integer, "Status of the answer."),
        Port::data_out("headers", ValueType::Json, "Headers of the answer."),
        Port::data_out("body", ValueType::String, "Body of the answer as text."),
        Port::data_out(
            "json",
            ValueType::Json,
            "Body of the answer, if it is JSON.",
        ),
    ],
    settings: &[
        SettingSpec::new(
            "method",
            SettingType::Choice {
                options: HttpMethod::NAMES,
            },
            "What is done with the address.",
        )
        .or(DefaultValue::Text("GET")),
        SettingSpec::new("url", SettingType::Text, "The address.")
            .required()
            .template(),
        SettingSpec::new("headers", SettingType::Object, "Headers of the request.")
            .or(DefaultValue::EmptyObject)
            .templates(),
        SettingSpec::new(
            "query",
            SettingType::Object,
            "Parameters after the address.",
        )
        .or(DefaultValue::EmptyObject)
        .templates(),
        SettingSpec::new(
            "body_type",
            SettingType::Choice {
                options: BodyType::NAMES,
            },
            "How the body is written.",
        )
        .or(DefaultValue::Text("none")),
        SettingSpec::new(
            "body",
            SettingType::Json,
            "The body while nothing is wired to body.",
        )
        .templates(),
        SettingSpec::new(
            "timeout_ms",
            milliseconds(1),
            "Longest wait in milliseconds.",
        )
        .or(DefaultValue::Integer(30_000)),
        SettingSpec::new(
            "max_bytes",
            SettingType::Integer {
                min: 1,
                max: 1_073_741_824,
            },
            "Bytes of the answer at most.",
        )
        .or(DefaultValue::Integer(1_048_576)),
    ],
    dynamic: Some(|map| {
        let port = Port::data_in("body", ValueType::Any, "The body.")
            .required()
            .or_setting("body");
        let has_body = Get(map).choice::<BodyType>("body_type") != BodyType::None;
        has_body.then_some(port).into_iter().collect()
    }),
    settle,
    build: |get| {
        Settings::HttpRequest(HttpRequest {
            method: get.choice("method"),
            body_type: get.choice("body_type"),
            timeout_ms: get.number("timeout_ms"),
            max_bytes: get.number("max_bytes"),
        })
    },
    ..BLANK
};
