//! One tool a file.

mod anchor;
mod anchor_repair;
mod bead;
mod context_pack;
mod desk;
mod document;
mod molecule;
mod notebook_edit;
mod notebook_pack;
mod notebook_suggest;
mod recall;
mod runbook_pack;

use serde_json::Value;
use windlass::notebook::{AnchorKind, ChangeKind};
use windlass::{Error, NotebookChange};

use crate::failure::Failure;
use crate::schema::one_of;
use crate::tool::Tool;

/// All tools, in the order in which they are listed: the same for every client, in every session.
pub(crate) const TOOLS: [&Tool; 11] = [
    &runbook_pack::TOOL,
    &recall::TOOL,
    &context_pack::TOOL,
    &notebook_pack::TOOL,
    &notebook_edit::TOOL,
    &notebook_suggest::TOOL,
    &anchor::TOOL,
    &anchor_repair::TOOL,
    &molecule::TOOL,
    &bead::TOOL,
    &document::TOOL,
];

/// Those that are of use where nothing may be changed, or all.
pub(crate) fn tools(only_reading: bool) -> impl Iterator<Item = &'static Tool> + Clone {
    TOOLS
        .into_iter()
        .filter(move |tool| !only_reading || tool.reads())
}

/// Kinds of anchors.
fn kinds() -> Value {
    serde_json::json!({ "type": "array", "items": one_of(&AnchorKind::ALL.map(AnchorKind::as_str)) })
}

/// What changed in the notebook, a line each.
fn change_lines(change: &NotebookChange) -> String {
    let mut lines = Vec::new();
    let anchors = change
        .changes
        .anchors
        .iter()
        .map(|change| ("anchor", change));
    let runbooks = change
        .changes
        .runbooks
        .iter()
        .map(|change| ("runbook", change));
    for (what, (id, kind)) in runbooks.chain(anchors) {
        let sign = match kind {
            ChangeKind::Added => '+',
            ChangeKind::Replaced => '~',
            ChangeKind::Removed => '-',
        };
        lines.push(format!("{sign} {what} {id}"));
    }
    let NotebookChange {
        before, revision, ..
    } = change;
    lines.push(match change.changes.is_empty() {
        true => format!("nothing changes; the notebook stays at revision {before}"),
        false if change.dry_run => {
            format!("nothing was changed; the notebook is at revision {before}")
        }
        false => format!("the notebook is now at revision {revision}"),
    });
    lines.join("\n")
}

/// What an action of a tool cannot do without.
fn needed<T>(value: Option<T>, action: &str, name: &str) -> Result<T, Failure> {
    let missing = || Failure::Meaningless(format!("`{action}` needs `{name}`"));
    value.ok_or_else(missing)
}

/// That something of ours is not as it should be.
fn internal(error: &dyn std::fmt::Display) -> Failure {
    Error::internal(error).into()
}

#[cfg(test)]
mod tests;
