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

use serde_json::{Map, Value};
use windlass::base::NextAction;
use windlass::plan::check_arguments;
use windlass::{Error, NotebookChange};
use windlass_render::{notebook_change_lines, notebook_change_summary};

use crate::answer::{Answer, Answered};
use crate::tool::Tool;
use crate::tool_call::Call;
use crate::tool_failure::Failure;

/// All tools, in the order in which clients list them. It is the same in every session.
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

/// Returns all tools, or only those that are useful on a read-only server.
pub(crate) fn tools(only_reading: bool) -> impl Iterator<Item = &'static Tool> + Clone {
    TOOLS
        .into_iter()
        .filter(move |tool| !only_reading || tool.reads())
}

/// Returns a filter for the calls that a read-only server allows, or `None` if everything is
/// allowed.
pub(crate) fn callable(only_reading: bool) -> Option<fn(&NextAction) -> bool> {
    if only_reading { Some(only_reads) } else { None }
}

fn only_reads(call: &NextAction) -> bool {
    let tool = tools(true).find(|tool| tool.name == call.tool);
    // With `true`, the schema lacks all actions and arguments that write.
    let given = Value::Object(call.args.clone());
    tool.is_some_and(|tool| check_arguments(&tool.schema(true), &given, 1).is_empty())
}

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

fn needed<T>(value: Option<T>, action: &str, name: &str) -> Result<T, Failure> {
    let missing = || Failure::Meaningless(format!("`{action}` needs `{name}`"));
    value.ok_or_else(missing)
}

/// Returns values as a user would type them: strings unchanged, and anything else as JSON.
fn typed(values: &Map<String, Value>) -> impl Iterator<Item = (String, String)> {
    values.iter().map(|(name, value)| {
        let text = value.as_str().map(str::to_owned);
        (name.clone(), text.unwrap_or_else(|| value.to_string()))
    })
}

fn internal(error: &dyn std::fmt::Display) -> Failure {
    Error::internal(error).into()
}

#[cfg(test)]
mod tests;
