//! Argument handling shared by the commands on anchors and on the notebook.

use windlass::{ListFormat, ListPurpose, ListRequest, Workspace};

use super::{Failure, limit};
use crate::args::{AnchorFormat, ListPageArgs};
use crate::screen::Screen;

pub(super) fn suggest_first_steps(workspace: &Workspace, request: &ListRequest, screen: &Screen) {
    let is_filtered = !(request.kinds.is_empty()
        && request.tags.is_empty()
        && request.states.is_empty()
        && request.zones.is_empty());
    screen.say(if is_filtered {
        "no entry matches the filters"
    } else if workspace.runs().shared_anchors_file().is_some() {
        "this repository has shared anchors: import them with `windlass notebook import`"
    } else {
        "the notebook is empty: save an anchor with `windlass anchor add ID FILE:LINES`, or see `windlass suggest`"
    });
}

pub(super) fn list_request(
    purpose: ListPurpose,
    page: ListPageArgs,
    screen: &Screen,
) -> Result<ListRequest, Failure> {
    let limit = limit(&page.budget);
    let format = match page.format {
        AnchorFormat::Text => ListFormat::Text {
            width: screen.width(),
        },
        AnchorFormat::Json => ListFormat::Json,
        AnchorFormat::Tron => ListFormat::Tron,
        AnchorFormat::Jsonl => ListFormat::JsonLines,
    };
    if format == ListFormat::JsonLines && (limit.is_some() || page.cursor.is_some()) {
        return Err(Failure::Usage(
            "`--format jsonl` is always complete: it takes no budget and no cursor".to_owned(),
        ));
    }
    Ok(ListRequest {
        purpose,
        ids: Vec::new(),
        kinds: Vec::new(),
        tags: Vec::new(),
        states: Vec::new(),
        zones: Vec::new(),
        limit,
        format,
        also: None,
        worst_first: false,
        cursor: page.cursor,
    })
}
