//! Compares and merges documents (`doc diff` and `doc merge`).

use serde::Serialize;
use windlass::base::counted;
use windlass::packs::harmless_line;
use windlass::vcontext::{Difference, MergeConflict, Value, differences};
use windlass_render::{conflict_line, difference_text};

use super::convert::print_document;
use super::input::document;
use super::{DocContext, Ended, print_data};
use crate::args::{DocDiffArgs, DocMergeArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

#[derive(Serialize)]
struct Merged<'a> {
    conflicts: &'a [MergeConflict],
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'a str>,
    /// Status of the fork after the merge into its parent, if the merge wrote that.
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a Value<'static>>,
}

/// The `mergeStatus` of a fork, which is either a TodoList or a plan.
fn status_of<'v>(fork: &'v Value<'static>) -> Option<&'v str> {
    let container = fork.get("todoList").or_else(|| fork.get("plan"))?;
    container.get("fork")?.get("mergeStatus")?.as_str()
}

#[derive(Serialize)]
struct Differ<'a> {
    differences: &'a [Difference],
}

pub(super) fn run(at: &DocContext<'_>, args: &DocMergeArgs) -> Ended {
    let snapshot = at.workspace.site().snapshot();
    let read = |name: &str| document(at.workspace, name, &snapshot);
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let whole = at
        .workspace
        .documents()
        .merge_vcontext(&base, &ours, &theirs, at.actor)?;
    let (document, conflicts) = (&whole.merged.value, &whole.merged.conflicts);
    if whole.found.has_errors() {
        tell(conflicts, at.screen);
        at.screen
            .complain("the merged document is not valid, so nothing was written");
        return Err(windlass::Error::document(whole.found).into());
    }
    let out = args.out.as_ref().map(|out| out.to_string_lossy());
    let mut merge_status = whole.merged.fork.as_ref().and_then(status_of);
    if let Some(out) = &out {
        let sides = [(args.ours.as_str(), &ours), (args.theirs.as_str(), &theirs)];
        if at
            .workspace
            .documents()
            .write_merged(out, &here(), &whole, sides, at.actor)?
        {
            let status = merge_status.unwrap_or_default();
            let fork = harmless_line(&args.theirs);
            at.screen.say(&format!(
                "the fork `{fork}` now has the merge status `{status}`"
            ));
        } else {
            // The fork in `--theirs` wasn't written, so its status is the same as before.
            merge_status = None;
        }
    }
    match (args.format, &out) {
        (OutputFormat::Text, None) => print_document(at.screen, &whole.text),
        (OutputFormat::Text, Some(_)) => {}
        (format, out) => {
            let document = out.is_none().then_some(document);
            let merged = Merged {
                conflicts,
                out: out.as_deref(),
                merge_status,
                document,
            };
            print_data(at.screen, format, &merged)?;
        }
    }
    if conflicts.is_empty() {
        return Ok(Exit::Done);
    }
    if args.format == OutputFormat::Text {
        tell(conflicts, at.screen);
        let count = counted(conflicts.len(), "conflict");
        at.screen.complain(&format!(
            "{count}; kept the values of the first version, items it removed and the second changed, and all events unchanged"
        ));
    }
    Ok(Exit::Failed)
}

fn tell(conflicts: &[MergeConflict], screen: &Screen) {
    for conflict in conflicts {
        screen.complain(&conflict_line(conflict));
    }
}

pub(super) fn diff(at: &DocContext<'_>, args: &DocDiffArgs) -> Ended {
    let snapshot = at.workspace.site().snapshot();
    let first = document(at.workspace, &args.first, &snapshot)?;
    let second = document(at.workspace, &args.second, &snapshot)?;
    let found = differences(first.value(), second.value());
    match args.format {
        OutputFormat::Text => {
            for one in &found {
                at.screen.print(&difference_text(one));
            }
        }
        format => {
            let differ = Differ {
                differences: &found,
            };
            print_data(at.screen, format, &differ)?;
        }
    }
    match found.is_empty() {
        true => at.screen.say("no differences"),
        false => at
            .screen
            .say(&format!("different in {}", counted(found.len(), "place"))),
    }
    Ok(Exit::done_if(found.is_empty()))
}
