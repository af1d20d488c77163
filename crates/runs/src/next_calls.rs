use serde_json::Value;
use windlass_base::NextAction;
use windlass_packs::{Pack, next_actions};
use windlass_plan::Given;
use windlass_redact::redact_field;
use windlass_repo::Snapshot;
use windlass_steps::{SharedNotebook, first_anchors};

/// What to do next after a run of which `pack` is: what its state calls for, and at last, where no anchor is saved at
/// all, the call that saves the first. `call` is what the runbook can be run by, and its inputs, as `NAME=VALUE`.
pub(crate) fn next_calls(
    pack: &Pack,
    call: Option<(&str, &[String])>,
    notebook: &SharedNotebook,
    snapshot: &Snapshot,
) -> Vec<NextAction> {
    let mut calls = next_actions(pack, call);
    // A step that looked for anchors has said so already.
    let first = first_anchors(notebook, snapshot).filter(|first| !calls.contains(first));
    calls.extend(first);
    calls
}

/// An input as it is typed; nothing where its value may not be shown.
pub(crate) fn typed_given(name: &str, given: &Given) -> Option<String> {
    match given {
        Given::Text(text) => typed_input(name, text),
        Given::Json(value) => typed_json_input(name, value),
    }
}

fn typed_input(name: &str, value: &str) -> Option<String> {
    (redact_field(name, value).as_str() == value).then(|| format!("{name}={value}"))
}

/// The same for a value as JSON.
pub(crate) fn typed_json_input(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => typed_input(name, text),
        other => typed_input(name, &other.to_string()),
    }
}
