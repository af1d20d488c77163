//! `notebook_edit`: saves, changes and removes anchors and runbooks, all or nothing.

use serde_json::{Map, Value, json};
use windlass::EditRequest;
use windlass::notebook::EditMode;

use super::{internal, notebook_changed};
use crate::answer::Answered;
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::{Argument, declare_arguments, object, one_of};

pub(crate) const TOOL: Tool = Tool {
    name: "notebook_edit",
    title: "Save anchors",
    about: "Save, change or delete anchors and runbooks, all or nothing. Save an anchor for every place you had to find, so \
            that the next session need not. Lines are hashed as they are now.",
    effect: Effect::Writes {
        removes: true,
        also_reads: false,
        repeatable: true,
    },
    actions: &[],
    fields: Arguments::fields,
    required: &["operations"],
    call,
};

declare_arguments! {
    operations: Value => json!({ "type": "array", "items": operation() }),
    if_revision: Option<u64>,
    dry_run: bool,
}

fn operation() -> Value {
    let ops = [
        "upsert_anchor",
        "delete_anchor",
        "upsert_runbook",
        "delete_runbook",
    ];
    let anchor =
        "{id, at: [\"src/a.rs:10-24\" or \"src/a.rs#Type::method\"], kind, label, tags, zone}";
    let runbook =
        json!({ "type": ["string", "object"], "description": "the document, or its YAML" });
    let fields = vec![
        ("op", one_of(&ops)),
        ("id", String::schema_for("entry to delete")),
        ("anchor", Map::schema_for(anchor)),
        ("runbook", runbook),
        ("file", String::schema()),
    ];
    object(fields, &["op"])
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    call.check_room()?;
    let text = serde_json::to_vec_pretty(&json!({ "operations": asked.operations }));
    let text = text.map_err(|error| internal(&error))?;
    let change = call.workspace.notebook().edit(&EditRequest {
        // In error messages, this takes the place of a file name.
        name: "arguments",
        text: &text,
        start: call.start(),
        if_revision: asked.if_revision,
        mode: EditMode::of(asked.dry_run),
    });
    let troubles = call.workspace.site().take_troubles();
    let change = change?;
    let mut answer = notebook_changed(call, &change)?;
    answer.note(troubles, call.limit);
    Ok(answer)
}
