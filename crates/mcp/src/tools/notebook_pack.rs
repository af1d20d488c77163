//! `notebook_pack`: lists everything saved about a repository, with its current status.

use windlass::notebook::AnchorKind;
use windlass::{ListFormat, ListPurpose, ListRequest};

use crate::answer::{Answer, Answered};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::declare_arguments;

pub(crate) const TOOL: Tool = Tool {
    name: "notebook_pack",
    title: "Index of the notebook",
    about: "List what is saved of this repository: runbooks and anchors, each with its status now, worst first.",
    effect: Effect::Reads,
    actions: &[],
    fields: Arguments::fields,
    required: &[],
    call,
};

declare_arguments! {
    ids: Vec<String>,
    kinds: Vec<AnchorKind>,
    tags: Vec<String>,
    states: Vec<String>: "fresh, moved, edited, gone…",
    zones: Vec<String>: "folders or globs",
    cursor: Option<String>,
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    let request = ListRequest {
        ids: asked.ids,
        kinds: asked.kinds,
        tags: asked.tags,
        states: asked.states,
        zones: asked.zones,
        cursor: asked.cursor,
        ..list_request(ListPurpose::Notebook, call)
    };
    listed(&request, call)
}

/// Returns the request for a list of anchors. Text and data have the same order.
pub(super) fn list_request(purpose: ListPurpose, call: &Call<'_>) -> ListRequest {
    ListRequest {
        purpose,
        ids: Vec::new(),
        kinds: Vec::new(),
        tags: Vec::new(),
        states: Vec::new(),
        zones: Vec::new(),
        limit: call.limit,
        format: ListFormat::Json,
        also: Some(ListFormat::Text { width: None }),
        worst_first: true,
        cursor: None,
    }
}

pub(super) fn listed(request: &ListRequest, call: &Call<'_>) -> Answered {
    let list = call.workspace.notebook().list(request);
    let troubles = call.workspace.site().take_troubles();
    let list = list?;
    let mut answer = Answer::printed(&list.printed, list.also.as_ref())?;
    let first = (list.total + list.runbooks == 0).then(|| {
        "the notebook is empty: `notebook_suggest` proposes anchors, `notebook_edit` saves them"
            .to_owned()
    });
    answer.note(troubles.into_iter().chain(first), call.limit);
    Ok(answer)
}
