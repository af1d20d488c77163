//! `anchor`: shows and checks single anchors, and reports anchors a change makes stale.

use windlass::base::NextAction;
use windlass::packs::Format;
use windlass::{ImpactRequest, ListPurpose, ListRequest, ViewRequest};
use windlass_render::impact_text;

use super::notebook_pack::{list_request, listed};
use crate::actions::{Action, chosen};
use crate::answer::{Answer, Answered};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::declare_arguments;

const ACTIONS: [Action; 3] = [
    Action::reads("show", "ids", ""),
    Action::reads("check", "", "ids cursor"),
    Action::reads("impact", "", "base"),
];

pub(crate) const TOOL: Tool = Tool {
    name: "anchor",
    title: "Check anchors",
    about: "`show` anchors with their text as it stands; `check` which no longer stand, and where they went; `impact`: what \
            the change at hand makes stale (since `base`, a revision; else what is not committed). Use `impact` before you \
            finish a change.",
    effect: Effect::Reads,
    actions: &ACTIONS,
    fields: Arguments::fields,
    required: &["action"],
    call,
};

declare_arguments! {
    ids: Vec<String>,
    base: Option<String>: "main",
    cursor: Option<String>,
}

fn call(call: &Call<'_>) -> Answered {
    let action = chosen(&ACTIONS, call.arguments)?;
    let asked: Arguments = call.read()?;
    match action.name {
        "show" => show(call, &asked),
        "impact" => impact(call, asked),
        _ => listed(
            &ListRequest {
                ids: asked.ids,
                cursor: asked.cursor,
                ..list_request(ListPurpose::Check, call)
            },
            call,
        ),
    }
}

fn show(call: &Call<'_>, asked: &Arguments) -> Answered {
    let view = ViewRequest {
        limit: Some(call.limit.unwrap_or(crate::answer::USUAL)),
        format: Format::Json,
        also: Some(Format::Text { width: None }),
        mode: None,
    };
    let shown = call.workspace.notebook().show(&asked.ids, &view)?;
    Answer::printed(&shown.printed, shown.also.as_ref())
}

fn impact(call: &Call<'_>, asked: Arguments) -> Answered {
    let mut impact = call.workspace.impact().of(&ImpactRequest {
        base: asked.base,
        ..ImpactRequest::default()
    })?;
    let next: Vec<NextAction> = std::mem::take(&mut impact.next_actions);
    let text = impact_text(&impact).plain();
    let mut answer = Answer::shortened(&text, &impact, &next, call.limit)?;
    answer.note(call.workspace.site().take_troubles(), call.limit);
    Ok(answer)
}
