use serde_json::Value;
use windlass_base::{Item, NextAction};
use windlass_packs::{Pack, next_actions};
use windlass_plan::Given;
use windlass_redact::redact_field;
use windlass_repo::Snapshot;
use windlass_steps::{SharedNotebook, first_anchors};

/// Suggests the next calls after a run, based on the state of its `pack`.
///
/// If no anchors are saved yet, the call to save the first ones is included. `call` is the name of
/// the runbook and its inputs, each in the form `NAME=VALUE`.
pub(crate) fn next_calls(
    pack: &Pack,
    call: Option<(&str, &[String])>,
    notebook: &SharedNotebook,
    snapshot: &Snapshot,
) -> Vec<NextAction> {
    let saved = notebook.is_enabled().then(|| notebook.get().ok()).flatten();
    let is_anchor = |item: &Item| {
        let mut anchors = saved.iter().flat_map(|notebook| notebook.anchors());
        anchors.any(|anchor| anchor.is_item(item, snapshot))
    };
    let mut calls = next_actions(pack, call, is_anchor);
    // A step that looks for anchors may already have suggested the same call.
    let first = first_anchors(notebook, snapshot).filter(|first| !calls.contains(first));
    calls.extend(first);
    calls
}

/// Formats an input as `NAME=VALUE`. Returns `None` if the value contains a secret, which must not
/// end up in a command.
pub(crate) fn typed_given(name: &str, given: &Given) -> Option<String> {
    match given {
        Given::Text(text) => typed_input(name, text),
        Given::Json(value) => typed_json_input(name, value),
    }
}

fn typed_input(name: &str, value: &str) -> Option<String> {
    (redact_field(name, value).as_str() == value).then(|| format!("{name}={value}"))
}

/// Like [`typed_given`], for a JSON value.
pub(crate) fn typed_json_input(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => typed_input(name, text),
        other => typed_input(name, &other.to_string()),
    }
}
