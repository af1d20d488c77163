//! `document`: checks, shows and converts TodoLists, Plans and Playbooks, and appends lessons.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use windlass::base::{Diagnostic, counted};
use windlass::vcontext::{
    CheckOptions, Document, Encoding, ItemKind, Layout, Object, Operation, check, exact, fold,
    to_json, without_nulls, work_items, write,
};
use windlass::{Error, EventRequest};

use crate::actions::{Action, chosen};
use crate::answer::{Answer, Answered};
use crate::paged_rows::Rows;
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::{declare_arguments, one_of};

const ACTIONS: [Action; 6] = [
    Action::reads("check", "file", "cursor"),
    Action::reads("show", "file", "cursor"),
    Action::reads("convert", "file to", ""),
    Action::writes(
        "append",
        "file target kind text",
        "title tags evidence dry_run actor",
    ),
    Action::writes("resolve", "file target", "keep text dry_run actor"),
    Action::writes("dedupe", "file", "dry_run actor"),
];

pub(crate) const TOOL: Tool = Tool {
    name: "document",
    title: "vContext documents",
    about: "TodoLists, Plans and Playbooks (vContext, JSON or TRON) in the repository: `check` one, `show` its items or \
            entries, `convert` it, `append` what you learned to a Playbook, with evidence; `resolve` \
            forks, `dedupe`.",
    effect: Effect::Writes {
        removes: false,
        also_reads: true,
        repeatable: false,
    },
    actions: &ACTIONS,
    fields: Arguments::fields,
    required: &["action", "file"],
    call,
};

const KINDS: [ItemKind; 5] = [
    ItemKind::Strategy,
    ItemKind::Learning,
    ItemKind::Rule,
    ItemKind::Warning,
    ItemKind::Note,
];

declare_arguments! {
    file: String,
    to: Option<String> => one_of(&["json", "tron"]),
    cursor: Option<String>,
    target: Option<String>: "entry id",
    kind: Option<String> => one_of(&KINDS.map(ItemKind::as_str)),
    text: Option<String>,
    title: Option<String>,
    tags: Vec<String>,
    evidence: Vec<String>: "file:line or URL",
    keep: Option<String>: "event",
    dry_run: bool,
    actor: Option<String>,
}

fn call(call: &Call<'_>) -> Answered {
    let action = chosen(&ACTIONS, call.arguments)?;
    let asked: Arguments = call.read()?;
    match action.name {
        "check" => findings(call, asked),
        "show" => show(call, asked),
        "convert" => convert(call, &asked),
        "resolve" => resolve(call, asked),
        "dedupe" => dedupe(call, &asked),
        _ => append(call, asked),
    }
}

fn findings(call: &Call<'_>, asked: Arguments) -> Answered {
    let (workspace, snapshot) = (call.workspace, call.workspace.site().snapshot());
    let found = match workspace
        .documents()
        .vcontext(&asked.file, call.start(), &snapshot)
    {
        Ok(document) => {
            let path: PathBuf = call.start().join(&asked.file);
            workspace
                .documents()
                .check_vcontext(&document, &path, None, &snapshot)
        }
        Err(error) => match error.found() {
            Some(found) => found.clone(),
            None => return Err(error.into()),
        },
    };
    let rows: Vec<&Diagnostic> = found.iter().collect();
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let valid = !found.has_errors();
    let rows = Rows {
        key: "findings",
        rows: &rows,
        lines: &lines,
        none: "valid",
        head: Map::from_iter([("valid".to_owned(), Value::from(valid))]),
        next: Vec::new(),
    };
    rows.page(call, "document", asked.cursor)
}

fn show(call: &Call<'_>, asked: Arguments) -> Answered {
    let document = valid(call, &asked.file)?;
    let rows = match work_items(&document) {
        Ok(items) => items
            .iter()
            .map(|item| item_row(item.node.value()))
            .collect(),
        // If it's neither a TodoList nor a Plan, it can still have a playbook.
        Err(_) => entries(&document)?,
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    let rows = Rows {
        key: "items",
        rows: &rows,
        lines: &lines,
        none: "the document is empty",
        head: Map::new(),
        next: Vec::new(),
    };
    rows.page(call, "document", asked.cursor)
}

fn valid(call: &Call<'_>, file: &str) -> Result<Document, Failure> {
    let document = call.workspace.documents().vcontext(
        file,
        call.start(),
        &call.workspace.site().snapshot(),
    )?;
    let found = check(&document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::document(found).into()),
        false => Ok(document),
    }
}

/// Returns an item without its parts, which have rows of their own.
fn item_row(value: &windlass::vcontext::Value<'static>) -> Value {
    let mut row = to_json(value);
    if let Value::Object(row) = &mut row {
        row.shift_remove("items");
        row.shift_remove("subItems");
        row.shift_remove("todoList");
    }
    row
}

fn entries(document: &Document) -> Result<Vec<Value>, Failure> {
    let none = || Error::from(windlass::vcontext::AppendError::NoPlaybook);
    let playbook = document.playbook().ok_or_else(none)?;
    let folded = fold(playbook.list("items"));
    let row = |entry| {
        let row = exact(entry).map_err(Error::internal)?;
        Ok(to_json(&row))
    };
    folded.entries.iter().map(row).collect()
}

fn line(row: &Value) -> String {
    let text = |name: &str| row[name].as_str().unwrap_or_default();
    let id = [text("id"), text("targetId")].concat();
    let mut line = format!("{id}  {}  ({})", text("title"), text("status"));
    for (title, said) in row["narrative"].as_object().into_iter().flatten() {
        line.push_str(&format!(
            "\n  {title}: {}",
            said.as_str().unwrap_or_default()
        ));
    }
    line
}

fn convert(call: &Call<'_>, asked: &Arguments) -> Answered {
    let document = call.workspace.documents().vcontext(
        &asked.file,
        call.start(),
        &call.workspace.site().snapshot(),
    )?;
    let encoding = match asked.to.as_deref() {
        Some("json") => Encoding::Json,
        _ => Encoding::Tron,
    };
    let text = write(
        &without_nulls(document.value()),
        encoding,
        &Layout::pretty(),
    );
    let value = json!({ "document": text, "next_actions": [] });
    Answer::of(&text, &value, &[], call.limit)
}

fn append(call: &Call<'_>, asked: Arguments) -> Answered {
    call.check_room()?;
    let mut fields = Map::new();
    // `kind` and `text` can't be missing, because `ACTIONS` lists them among those that `append`
    // needs.
    fields.insert("kind".to_owned(), asked.kind.into());
    fields.insert("narrative".to_owned(), json!({ "Overview": asked.text }));
    fields.insert("status".to_owned(), "active".into());
    fields.extend(asked.title.map(|title| ("title".to_owned(), title.into())));
    for (name, list) in [("tags", asked.tags), ("evidence", asked.evidence)] {
        if !list.is_empty() {
            fields.insert(name.to_owned(), list.into());
        }
    }
    let request = EventRequest {
        actor: actor(call, asked.actor.as_deref()),
        resolves: None,
        operation: Operation::Append,
        target: asked.target.unwrap_or_default(),
        after: None,
        fields,
        dry_run: asked.dry_run,
    };
    record(call, &asked.file, &request)
}

/// Merges an entry's concurrent heads by selecting the one to `keep`.
fn resolve(call: &Call<'_>, asked: Arguments) -> Answered {
    call.check_room()?;
    let said = asked.text.map(|text| {
        let narrative = json!({ "Overview": text });
        ("narrative".to_owned(), narrative)
    });
    let request = EventRequest {
        actor: actor(call, asked.actor.as_deref()),
        // Without any names, this resolves all of the concurrent heads.
        resolves: Some(Vec::new()),
        operation: Operation::Update,
        target: asked.target.unwrap_or_default(),
        after: asked.keep,
        fields: said.into_iter().collect(),
        dry_run: asked.dry_run,
    };
    record(call, &asked.file, &request)
}

fn record(call: &Call<'_>, file: &str, request: &EventRequest) -> Answered {
    let recorded = call
        .workspace
        .documents()
        .record_event(file, call.start(), request)?;
    let event = recorded
        .event
        .as_object()
        .and_then(|event| Object::get(event, "eventId")?.as_str());
    let done = if recorded.dry_run {
        "would append"
    } else {
        "appended"
    };
    let text = format!("{done} {} to `{file}`", event.unwrap_or_default());
    Answer::shortened(&text, &recorded, &[], call.limit)
}

fn dedupe(call: &Call<'_>, asked: &Arguments) -> Answered {
    call.check_room()?;
    let who = actor(call, asked.actor.as_deref());
    let found = call.workspace.documents().deduplicate_playbook(
        &asked.file,
        call.start(),
        false,
        who.as_deref(),
        asked.dry_run,
    )?;
    let word = if asked.dry_run { "would end" } else { "ended" };
    let mut text = format!("{word} {}", counted(found.duplicates.len(), "entry"));
    for one in &found.duplicates {
        text.push_str(&format!("\n{} = {}", one.target_id, one.duplicate_of));
    }
    for target in &found.left {
        text.push_str(&format!(
            "\n{target} was skipped: `resolve` its concurrent changes first"
        ));
    }
    let events: Vec<Value> = found.events.iter().map(to_json).collect();
    let value = json!({
        "duplicates": found.duplicates,
        "left": found.left,
        "events": events,
        "dry_run": asked.dry_run,
    });
    Answer::shortened(&text, &value, &[], call.limit)
}

fn actor(call: &Call<'_>, named: Option<&str>) -> Option<String> {
    named.or(call.actor).map(str::to_owned)
}
