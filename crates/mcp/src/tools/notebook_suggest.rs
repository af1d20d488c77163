//! `notebook_suggest`: suggests anchors and runbooks to save, and saves them.

use serde_json::Value;
use windlass::base::{Digest, NextAction};
use windlass::notebook::{AnchorKind, ChangeKind, EditMode};
use windlass::{
    ApplyRequest, HandOverRequest, HandedEntry, ListFormat, NotebookChange, SuggestRequest,
};
use windlass_render::kept_line;

use super::{change_lines, needed, notebook_changed};
use crate::actions::Action;
use crate::answer::{Answer, Answered};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_schema::{Argument, declare_arguments};

pub(crate) const TOOL: Tool = Tool {
    name: "notebook_suggest",
    title: "Propose what to save",
    about: "Where little is saved: `preview` proposes anchors and a runbook (entry points, contracts, CI), `apply` saves them \
            (`digest` of the preview; all, or `ids`). `import` adopts `.windlass/anchors.json`. `rollback` restores a \
            `revision`.",
    effect: Effect::Writes {
        removes: true,
        also_reads: true,
        repeatable: true,
    },
    actions: &[
        Action::reads("preview", "", ""),
        Action::writes("apply", "", ""),
        Action::writes("import", "", ""),
        Action::writes("rollback", "", ""),
    ],
    fields: Arguments::fields,
    required: &["action"],
    call,
};

declare_arguments! {
    kinds: Vec<AnchorKind> => Vec::<String>::schema(),
    ids: Vec<String>,
    digest: Option<Digest>,
    revision: Option<u64>,
    replace: bool: "the repository wins",
    dry_run: bool,
    cursor: Option<String>,
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    let action = call.arguments.get("action").and_then(Value::as_str);
    let done = match action {
        Some("apply") => apply(call, asked),
        Some("import") => import(call, asked),
        Some("rollback") => rollback(call, &asked),
        _ => preview(call, asked),
    };
    let troubles = call.workspace.site().take_troubles();
    let mut answer = done?;
    answer.note(troubles, call.limit);
    Ok(answer)
}

fn preview(call: &Call<'_>, asked: Arguments) -> Answered {
    let list = call
        .workspace
        .notebook()
        .suggestions()
        .list(&SuggestRequest {
            kinds: asked.kinds,
            limit: call.limit,
            format: ListFormat::Json,
            also: Some(ListFormat::Text { width: None }),
            cursor: asked.cursor,
        })?;
    Answer::printed(&list.printed, list.also.as_ref())
}

fn apply(call: &Call<'_>, asked: Arguments) -> Answered {
    call.check_room()?;
    let applied = call
        .workspace
        .notebook()
        .suggestions()
        .apply(&ApplyRequest {
            ids: asked.ids,
            digest: asked.digest,
            mode: EditMode::of(asked.dry_run),
        })?;
    let mut text: String = applied
        .kept
        .iter()
        .map(|id| format!("{}\n", kept_line(id.as_str())))
        .collect();
    text.push_str(&change_lines(&applied.change));
    let begin = runbook_to_begin_with(call, &applied.change);
    let next: Vec<NextAction> = begin.into_iter().collect();
    let undo = call.undo(&applied.change);
    Answer::changed(&text, &applied, &next, undo.as_ref(), call.limit)
}

fn import(call: &Call<'_>, asked: Arguments) -> Answered {
    call.check_room()?;
    let mut taken = call.workspace.notebook().import(&HandOverRequest {
        ids: asked.ids,
        replace: asked.replace,
        mode: EditMode::of(asked.dry_run),
    })?;
    let said = |entry: &HandedEntry| {
        let reason = entry.reason.as_deref();
        let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
        let became = entry.became.as_str();
        format!("{became} {} {}{reason}\n", entry.sort.as_str(), entry.id)
    };
    let text: String = match taken.entries.is_empty() {
        true => "nothing to import\n".to_owned(),
        false => taken.entries.iter().map(said).collect(),
    };
    let next = std::mem::take(&mut taken.next_actions);
    // If there's no new revision, there's nothing to revert either.
    let is_done = !taken.dry_run && taken.revision != taken.before;
    let undo = NextAction::new("notebook rollback", "revert it").positional(taken.before);
    let undo = undo.for_caller(call.workspace.site().caller());
    let undo = undo.filter(|_| is_done);
    Answer::changed(&text, &taken, &next, undo.as_ref(), call.limit)
}

fn rollback(call: &Call<'_>, asked: &Arguments) -> Answered {
    call.check_room()?;
    let revision = needed(asked.revision, "rollback", "revision")?;
    let change = call
        .workspace
        .notebook()
        .roll_back(revision, EditMode::of(asked.dry_run))?;
    notebook_changed(call, &change)
}

fn runbook_to_begin_with(call: &Call<'_>, change: &NotebookChange) -> Option<NextAction> {
    let mut saved = change.changes.runbooks.iter();
    let (name, _) = saved.find(|(_, kind)| **kind == ChangeKind::Added && !change.dry_run)?;
    let run = NextAction::new("run", "see its pack").positional(name.to_string());
    run.for_caller(call.workspace.site().caller())
}
