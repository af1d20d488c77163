//! The tools, one per file.

mod anchor_repair;
mod anchor_tool;
mod bead_tool;
mod context_pack_tool;
mod document_tool;
mod ledger_call;
mod molecule_tool;
mod notebook_edit;
mod notebook_pack;
mod notebook_suggest;
mod recall_tool;
mod runbook_pack;

use serde_json::Value;
use windlass::base::NextAction;
use windlass::notebook::AnchorKind;
use windlass::plan::check_arguments;
use windlass::{Error, NotebookChange};
use windlass_render::{notebook_change_lines, notebook_change_summary};

use crate::answer::{Answer, Answered};
use crate::tool::Tool;
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::one_of;

/// All tools in display order. The order is the same for every client and session.
pub(crate) const TOOLS: [&Tool; 11] = [
    &runbook_pack::TOOL,
    &recall_tool::TOOL,
    &context_pack_tool::TOOL,
    &notebook_pack::TOOL,
    &notebook_edit::TOOL,
    &notebook_suggest::TOOL,
    &anchor_tool::TOOL,
    &anchor_repair::TOOL,
    &molecule_tool::TOOL,
    &bead_tool::TOOL,
    &document_tool::TOOL,
];

/// Returns all tools, or on a read-only server those that can be useful there.
pub(crate) fn tools(only_reading: bool) -> impl Iterator<Item = &'static Tool> + Clone {
    TOOLS
        .into_iter()
        .filter(move |tool| !only_reading || tool.reads())
}

/// Returns a filter for calls allowed on a read-only server, or `None` if all are allowed.
pub(crate) fn callable(only_reading: bool) -> Option<fn(&NextAction) -> bool> {
    if only_reading { Some(only_reads) } else { None }
}

fn only_reads(call: &NextAction) -> bool {
    let tool = tools(true).find(|tool| tool.name == call.tool);
    let given = Value::Object(call.args.clone());
    tool.is_some_and(|tool| check_arguments(&(tool.arguments)(true), &given, 1).is_empty())
}

/// Returns the schema of an anchor's kind.
fn kinds() -> Value {
    serde_json::json!({ "type": "array", "items": one_of(&AnchorKind::ALL.map(AnchorKind::as_str)) })
}

/// Lists changes to the notebook, one per line.
fn change_lines(change: &NotebookChange) -> String {
    let mut lines = notebook_change_lines(change);
    lines.push(notebook_change_summary(change));
    lines.join("\n")
}

/// Returns the answer to a change in the notebook, including the call that reverts it.
fn notebook_changed(call: &Call<'_>, change: &NotebookChange) -> Answered {
    let undo = call.undo(change);
    Answer::changed(
        &change_lines(change),
        change,
        &[],
        undo.as_ref(),
        call.limit,
    )
}

/// Returns an argument required by an action.
fn needed<T>(value: Option<T>, action: &str, name: &str) -> Result<T, Failure> {
    let missing = || Failure::Meaningless(format!("`{action}` needs `{name}`"));
    value.ok_or_else(missing)
}

fn internal(error: &dyn std::fmt::Display) -> Failure {
    Error::internal(error).into()
}

#[cfg(test)]
mod tests;
