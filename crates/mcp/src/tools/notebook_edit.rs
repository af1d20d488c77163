//! `notebook_edit`: saves, changes and removes anchors and runbooks, all or nothing.

use serde::Deserialize;
use serde_json::{Value, json};
use windlass::EditRequest;
use windlass::notebook::EditMode;

use super::{internal, notebook_changed};
use crate::answer::Answered;
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::{arguments, flag, number, object, one_of, text, text_for};

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
    arguments: |_| {
        let operation = object(
            &[
                (
                    "op",
                    one_of(&[
                        "upsert_anchor",
                        "delete_anchor",
                        "upsert_runbook",
                        "delete_runbook",
                    ]),
                ),
                ("id", text_for("entry to delete")),
                (
                    "anchor",
                    json!({
                        "type": "object",
                        "description": "{id, at: [\"src/a.rs:10-24\" or \"src/a.rs#Type::method\"], kind, label, tags, zone}"
                    }),
                ),
                (
                    "runbook",
                    json!({ "type": ["string", "object"], "description": "the document, or its YAML" }),
                ),
                ("file", text()),
            ],
            &["op"],
        );
        arguments(
            &[
                ("operations", json!({ "type": "array", "items": operation })),
                ("if_revision", number()),
                ("dry_run", flag()),
            ],
            &["operations"],
        )
    },
    call,
};

#[derive(Deserialize)]
struct Arguments {
    operations: Value,
    if_revision: Option<u64>,
    #[serde(default)]
    dry_run: bool,
}

pub(super) fn mode(dry_run: bool) -> EditMode {
    if dry_run {
        EditMode::DryRun
    } else {
        EditMode::Write
    }
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    call.check_room()?;
    let text = serde_json::to_vec_pretty(&json!({ "operations": asked.operations }));
    let text = text.map_err(|error| internal(&error))?;
    let change = call.workspace.notebook().edit(&EditRequest {
        name: "arguments",
        text: &text,
        start: call.start(),
        if_revision: asked.if_revision,
        mode: mode(asked.dry_run),
    });
    let troubles = call.workspace.site().take_troubles();
    let change = change?;
    let mut answer = notebook_changed(call, &change)?;
    answer.note(troubles, call.limit);
    Ok(answer)
}
