//! `anchor_repair`: moves anchors to the proven new locations of their evidence.

use windlass::RepairRequest;
use windlass::base::NextAction;
use windlass_render::repaired_text;

use crate::answer::{Answer, Answered};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::declare_arguments;
use windlass::notebook::EditMode;

pub(crate) const TOOL: Tool = Tool {
    name: "anchor_repair",
    title: "Adopt new places",
    about: "Give anchors whose text moved the places where it is proven to stand now (all, or `ids`). What cannot be proven \
            is left and named.",
    effect: Effect::Writes {
        removes: false,
        also_reads: false,
        repeatable: true,
    },
    actions: &[],
    fields: Arguments::fields,
    required: &[],
    call,
};

declare_arguments! {
    ids: Vec<String>,
    edited: bool: "also adopt edited text, after review",
    dry_run: bool,
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    call.check_room()?;
    let mut repaired = call.workspace.notebook().repair_anchors(&RepairRequest {
        ids: asked.ids,
        edited: asked.edited,
        mode: EditMode::of(asked.dry_run),
    })?;
    let next: Vec<NextAction> = std::mem::take(&mut repaired.next_actions);
    let undo = call.undo(&repaired.change);
    let would = match repaired.change.dry_run {
        true => "would be ",
        false => "",
    };
    let (done, left) = (repaired.repaired.len(), repaired.left.len());
    let places = repaired_text(&repaired).plain();
    let text = format!("{places}{done} {would}repaired, {left} left");
    let mut answer = Answer::changed(&text, &repaired, &next, undo.as_ref(), call.limit)?;
    let troubles = call.workspace.site().take_troubles();
    answer.note(troubles, call.limit);
    Ok(answer)
}
