//! Shows items and entries page by page (`doc show` and `doc playbook show`).

use std::ops::Range;

use serde::Serialize;
use windlass::base::{NextAction, counted, did_you_mean};
use windlass::vcontext::{
    AppendError, CheckOptions, Document, EditError, EntryQuery, ItemQuery, ItemStatus, Metrics,
    Object, Value, WorkItem, check, derived_metrics, fold, work_items,
};
use windlass::{Error, Workspace};
use windlass_render::{entry_text, item_line, more_rows, playbook_summary, resolving};

use super::super::list_page;
use super::input::document;
use super::value_mapping::status_of;
use super::{DocContext, Ended, Failure, exact_data, exact_value};
use crate::args::{DocPageArgs, DocPlaybookShowArgs, DocShowArgs, OutputFormat};
use crate::exit::Exit;

pub(super) fn run(at: &DocContext<'_>, args: &DocShowArgs) -> Ended {
    let document = valid(at.workspace, &args.file)?;
    let call =
        NextAction::new("doc show", "see more of the document").positional(args.file.as_str());
    let call = options(
        call,
        &[
            ("id", &args.ids),
            ("tag", &args.tags),
            ("any-tag", &args.any_tags),
        ],
    );
    let call = args
        .text
        .iter()
        .fold(call, |call, text| call.option("text", text.as_str()));
    // Both TodoLists and Plans have items. For any other document, show the entries of its
    // playbook.
    if let Ok(items) = work_items(&document) {
        refuse(
            !args.any_tags.is_empty() || !args.kinds.is_empty() || args.all,
            "--any-tag`, `--kind` and `--all",
            "entries of Playbooks",
        )?;
        let statuses: Vec<ItemStatus> = args.statuses.iter().copied().map(status_of).collect();
        let words: Vec<String> = statuses
            .iter()
            .map(|status| status.as_str().to_owned())
            .collect();
        let query = ItemQuery {
            ids: args.ids.clone(),
            statuses,
            tags: args.tags.clone(),
            text: args.text.clone().unwrap_or_default(),
        };
        let known = || items.iter().map(WorkItem::name);
        for id in &args.ids {
            if !known().any(|name| name == id) {
                let similar = did_you_mean(id, known()).map(str::to_owned);
                let id = id.clone();
                return Err(Error::from(EditError::NoItem { id, similar }).into());
            }
        }
        let mut chosen: Vec<&WorkItem<'_>> =
            items.iter().filter(|item| query.takes(item)).collect();
        chosen.sort_by_key(|item| item.node.place().range.start);
        let rows: Vec<Object<'static>> = chosen.iter().map(|item| row(&items, item)).collect();
        let lines: Vec<String> = rows.iter().map(item_line).collect();
        let call = options(call, &[("status", &words)]);
        return print(
            at,
            "items",
            "item",
            (&rows, &lines),
            (call, &args.page),
            None,
        );
    }
    refuse(
        !args.statuses.is_empty(),
        "--status",
        "items of TodoLists and Plans",
    )?;
    let kinds: Vec<String> = (args.kinds.iter())
        .map(|kind| kind.as_str().to_owned())
        .collect();
    let call = options(call, &[("kind", &kinds)]);
    let call = if args.all {
        call.option("all", true)
    } else {
        call
    };
    let query = EntryQuery {
        targets: args.ids.clone(),
        kinds: args.kinds.clone(),
        tags: args.tags.clone(),
        any_tags: args.any_tags.clone(),
        text: args.text.clone().unwrap_or_default(),
        all: args.all,
    };
    entries(at, &args.file, &document, &query, (call, &args.page))
}

/// Shows the entries of a playbook, even of one inside of a TodoList or Plan.
pub(super) fn playbook(at: &DocContext<'_>, args: &DocPlaybookShowArgs) -> Ended {
    let document = valid(at.workspace, &args.file)?;
    let query = EntryQuery {
        kinds: args.kinds.clone(),
        tags: args.tags.clone(),
        all: args.all,
        ..EntryQuery::default()
    };
    let kinds: Vec<String> = (query.kinds.iter())
        .map(|kind| kind.as_str().to_owned())
        .collect();
    let call = NextAction::new("doc playbook show", "see more of the playbook")
        .positional(args.file.as_str());
    let call = options(call, &[("tag", &args.tags), ("kind", &kinds)]);
    let call = if args.all {
        call.option("all", true)
    } else {
        call
    };
    entries(at, &args.file, &document, &query, (call, &args.page))
}

fn valid(workspace: &Workspace, file: &str) -> Result<Document, Failure> {
    let document = document(workspace, file, &workspace.site().snapshot())?;
    let found = check(&document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::document(found).into()),
        false => Ok(document),
    }
}

fn refuse(is_given: bool, options: &str, of: &str) -> Result<(), Failure> {
    match is_given {
        true => Err(Failure::Usage(format!(
            "`{options}` are for {of}, and the document has none"
        ))),
        false => Ok(()),
    }
}

fn options(call: NextAction, lists: &[(&str, &Vec<String>)]) -> NextAction {
    let given = lists.iter().filter(|(_, list)| !list.is_empty());
    given.fold(call, |call, (name, list)| {
        call.option(*name, (*list).clone())
    })
}

fn entries(
    at: &DocContext<'_>,
    file: &str,
    document: &Document,
    query: &EntryQuery,
    page: (NextAction, &DocPageArgs),
) -> Ended {
    let playbook = document
        .playbook()
        .ok_or(Error::from(AppendError::NoPlaybook))?;
    let items = playbook.list("items");
    let metrics = derived_metrics(items);
    let mut entries = fold(items).entries;
    for target in &query.targets {
        let mut known = entries.iter().map(|entry| entry.target_id.as_str());
        if !known.clone().any(|name| name == target) {
            let similar = did_you_mean(target, known.by_ref()).map(str::to_owned);
            let target = target.clone();
            return Err(Error::from(AppendError::NoEntry { target, similar }).into());
        }
    }
    entries.retain(|entry| query.takes(entry));
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| entry_text(entry, file))
        .collect();
    let rows = entries.iter().map(|entry| {
        let row = exact_value(entry)?;
        let mut row = row.as_object().cloned().unwrap_or_default();
        if let Some(call) = resolving(entry, file) {
            row.insert("resolve", call.command_line());
        }
        Ok(row)
    });
    let rows: Vec<Object<'static>> = rows.collect::<Result<_, Error>>()?;
    print(
        at,
        "entries",
        "entry",
        (&rows, &lines),
        page,
        Some(&metrics),
    )
}

/// Prints as many of `rows` as fit. Programs get them under `key`, next to the playbook's metrics.
fn print<Row: Serialize>(
    at: &DocContext<'_>,
    key: &str,
    what: &str,
    (rows, lines): (&[Row], &[String]),
    (call, args): (NextAction, &DocPageArgs),
    metrics: Option<&Metrics>,
) -> Ended {
    let (page, measure) = list_page(args, call);
    let as_text = |shown: Range<usize>, more: Option<&NextAction>| {
        let left = rows.len() - shown.end;
        let mut text = lines.get(shown).unwrap_or_default().concat();
        if let Some(more) = more {
            text.push_str(&more_rows(left, more));
        }
        text
    };
    let as_json = |shown: Range<usize>, more: Option<&NextAction>| {
        let mut page = Object::new();
        page.insert("total", rows.len());
        page.insert(key, exact_value(rows.get(shown).unwrap_or_default())?);
        // The metrics are about the whole playbook, so they're only on the first page.
        if let Some(metrics) = metrics.filter(|_| args.cursor.is_none()) {
            page.insert("metrics", exact_value(metrics)?);
        }
        if let Some(more) = more {
            page.insert("next_cursor", exact_value(&more.args.get("cursor"))?);
            page.insert("next_actions", exact_value(&[more])?);
        }
        Ok(format!("{}\n", exact_data(args.format, measure, &page)?))
    };
    let found = page.fit(
        at.workspace.site().caller(),
        rows,
        |shown, more| match args.format {
            OutputFormat::Text => Ok(as_text(shown, more)),
            _ => as_json(shown, more),
        },
    )?;
    at.screen.print_raw(&found.text);
    if args.format == OutputFormat::Text {
        let counted = counted(rows.len(), what);
        at.screen.say(&match metrics {
            Some(metrics) => format!("{counted}; {}", playbook_summary(metrics)),
            None => counted,
        });
    }
    Ok(Exit::Done)
}

/// Converts an item for programs. We add what only the document as a whole tells: the item that
/// it is a part of, and those that it is still waiting for.
fn row(all: &[WorkItem<'_>], item: &WorkItem<'_>) -> Object<'static> {
    let mut row = item.node.value().as_object().cloned().unwrap_or_default();
    // Sub-items have rows of their own.
    row.retain(|key, _| !matches!(key, "items" | "subItems" | "todoList"));
    if let Some(whole) = item.part_of.and_then(|at| all.get(at)) {
        row.insert("partOf", whole.name().to_owned());
    }
    let open = item.waits_for_open(all);
    if !open.is_empty() {
        let open: Vec<Value<'static>> = open
            .into_iter()
            .map(|name| name.to_owned().into())
            .collect();
        row.insert("waitsFor", open);
    }
    if let Some(due) = item.due().filter(|_| item.timezone.is_some()) {
        row.insert("due", due);
    }
    row.insert("line", item.node.lines().start());
    row
}
