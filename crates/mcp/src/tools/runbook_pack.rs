//! `runbook_pack`: runs a runbook and shows its pack, or the next page of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass::base::{NextAction, ResponseMode};
use windlass::packs::Format;
use windlass::plan::Given;
use windlass::{Ending, PageRequest, Part, RefreshRequest, ViewRequest};

use crate::answer::{Answer, Answered};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::declare_arguments;

pub(crate) const TOOL: Tool = Tool {
    name: "runbook_pack",
    title: "Restore context",
    about: "Run a saved runbook and get its whole evidence pack: file:line pointers, each verified now (fresh, moved, stale, \
            gone), with the text that stands. Use it first in a session, and again instead of re-reading files. Without \
            `runbook` it lists them.",
    // A trusted runbook may start programs, and those may write.
    effect: Effect::Writes {
        removes: false,
        also_reads: true,
        repeatable: true,
    },
    actions: &[],
    fields: Arguments::fields,
    required: &[],
    call,
};

declare_arguments! {
    runbook: Option<String>: "name, or file in the repository",
    inputs: Option<Map<String, Value>>,
    cursor: Option<String>: "`next_cursor` of a cut pack, instead of `runbook`",
    mode: Option<ResponseMode>,
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    let view = ViewRequest {
        limit: call.limit,
        format: Format::Json,
        also: Some(Format::Text { width: None }),
        mode: asked.mode,
    };
    if let Some(cursor) = asked.cursor {
        if asked.runbook.is_some() || asked.inputs.is_some() {
            return Err(Failure::Meaningless(
                "`cursor` continues the pack that printed it: omit `runbook` and `inputs`"
                    .to_owned(),
            ));
        }
        let page = call
            .workspace
            .kept_packs()
            .page(&PageRequest { cursor, view })?;
        let mut answer = Answer::printed(&page.printed, page.also.as_ref())?;
        answer.failed = page.ending == Ending::Stale;
        return Ok(answer);
    }
    let Some(runbook) = asked.runbook else {
        return list(call);
    };
    let given = asked.inputs.unwrap_or_default().into_iter();
    let inputs: BTreeMap<String, Given> =
        given.map(|(name, value)| (name, as_given(value))).collect();
    let request = RefreshRequest {
        runbook,
        start: call.start().to_owned(),
        inputs,
        part: Part::Whole,
        jobs: None,
        fail_fast: false,
        // A tool never overrides the lack of trust. Only users can do that, on the command line.
        allow_commands: false,
        view,
    };
    let workspace = call.workspace;
    let runs = workspace.runs();
    let run = runs.refresh(&request, Arc::clone(&call.observer), call.stop.clone());
    let refreshed = call.wait(run);
    let troubles = workspace.site().take_troubles();
    let refreshed = refreshed?;
    let mut answer = Answer::printed(&refreshed.printed, refreshed.also.as_ref())?;
    // The pack describes its problems, but some clients only look at the error flag.
    answer.failed = refreshed.ending != Ending::Done;
    let warnings = refreshed.warnings.iter().map(ToString::to_string);
    let said = troubles.into_iter().chain(refreshed.notices);
    answer.note(said.chain(warnings), call.limit);
    Ok(answer)
}

/// Number of runbooks that get a suggested call. The text lists all of them anyway.
const MAX_PROPOSED: usize = 5;

/// Lists the runbooks, or returns an error with a suggestion if there are none.
fn list(call: &Call<'_>) -> Answered {
    let (site, runbooks) = (call.workspace.site(), call.workspace.runbooks());
    let all = runbooks.all(&site.snapshot());
    if all.is_empty() {
        return Err(runbooks.none_named().into());
    }
    let lines = all
        .iter()
        .map(|entry| format!("{}  {}\n", entry.name, entry.place));
    let text: String = lines.collect();
    let next = all.iter().take(MAX_PROPOSED).filter_map(|entry| {
        let run = NextAction::new("run", "run this runbook").positional(entry.name.as_str());
        run.for_caller(site.caller())
    });
    let next: Vec<NextAction> = next.collect();
    Answer::of(&text, &json!({ "runbooks": all }), &next, call.limit)
}

/// Strings count as typed by a user, so that they can be converted to an input of any type.
fn as_given(value: Value) -> Given {
    match value {
        Value::String(text) => Given::Text(text),
        value => Given::Json(value),
    }
}
