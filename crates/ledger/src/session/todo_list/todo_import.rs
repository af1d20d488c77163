//! Converts TodoList items to bead records, which are then imported like those of any other tool.

use std::collections::BTreeSet;

use crate::bead::{Bead, USUAL_PRIORITY, bead_of_record, original_record};
use crate::event::Fields;
use crate::{Stamp, State};
use serde_json::{Map, Value as Json, json};
use windlass_base::{Diagnostic, Digest};
use windlass_vcontext::{
    CheckOptions, Container, Document, ItemStatus, Priority, WorkItem, check, to_json, work_items,
};

use super::{EXTRA_FIELD, NARRATIVES, REST, extra_fields, status_of};
use windlass_site::Error;

pub(crate) fn is_document(name: &str, text: &str) -> bool {
    Document::is_likely(name, text.as_bytes())
}

pub(crate) fn check_list(document: &Document) -> Result<(), Error> {
    let found = check(document, &CheckOptions::default());
    if found.has_errors() {
        return Err(Error::document(found));
    }
    match document.container() {
        Some((Container::TodoList, _)) => Ok(()),
        _ => Err(Error::document(
            Diagnostic::error("no-todo-list", "only items of a TodoList can become beads")
                .at(document.root().place())
                .help("run `windlass mol pour` to work through a Plan")
                .into(),
        )),
    }
}

/// Converts a TodoList's items to records, each with its bead's id.
///
/// If the bead exists, its record starts as that bead and adopts the fields in which the item
/// differs. An item that has not changed since its export therefore changes nothing.
pub(crate) fn records(
    name: &str,
    text: &str,
    state: &State,
    prefix: &str,
    now: Stamp,
) -> Result<Vec<(String, Fields)>, Error> {
    let document = Document::parse(name, text.as_bytes()).map_err(Error::document)?;
    check_list(&document)?;
    let items = work_items(&document).map_err(Error::document)?;
    let ids = bead_ids(&document, prefix)?;
    let record =
        |(item, id): (&WorkItem<'_>, &String)| (id.clone(), record(item, id, &ids, state, now));
    Ok(items.iter().zip(&ids).map(record).collect())
}

/// Returns the bead id of each item in a TodoList. An item without one gets an id that's the same
/// each time.
///
/// # Errors
/// Returns an error if two items have the same bead id.
pub(crate) fn bead_ids(document: &Document, prefix: &str) -> Result<Vec<String>, Error> {
    let whole = document.container().map(|(_, node)| node);
    let name = |field: &str| whole.and_then(|node| node.text_of(field));
    // A path would make the ids depend on the folder that the user is in, so only use the name of
    // the file.
    let file = document.source().name().rsplit(['/', '\\']).next();
    let file = file
        .and_then(|file| file.split('.').next())
        .unwrap_or_default();
    let space = name("uid").or_else(|| name("id")).unwrap_or(file);
    let items = work_items(document).map_err(Error::document)?;
    let mut ids: Vec<String> = Vec::with_capacity(items.len());
    let mut taken = BTreeSet::new();
    for item in &items {
        let id = match item.node.text_of("beadsId") {
            Some(id) => id.to_owned(),
            None => new_id(prefix, space, item),
        };
        if !taken.insert(id.clone()) {
            let message = format!("bead id `{id}` is used by two items");
            let finding = Diagnostic::error("bead-twice", message).at(item.node.place());
            let help = "give each item its own `beadsId` or `id`";
            return Err(Error::document(finding.help(help).into()));
        }
        ids.push(id);
    }
    Ok(ids)
}

/// Derives the bead id of an item without one from the item and its document, so that a repeated
/// import finds the bead.
fn new_id(prefix: &str, space: &str, item: &WorkItem<'_>) -> String {
    let name = item.node.text_of("uid").or(item.id());
    let digest = Digest::of_bytes(format!("{space}\n{}", name.unwrap_or(item.title())).as_bytes());
    let hash: String = digest.to_string().chars().rev().take(8).collect();
    format!("{prefix}-{hash}")
}

fn record(item: &WorkItem<'_>, id: &str, ids: &[String], state: &State, now: Stamp) -> Fields {
    let node = item.node;
    let known = state.beads.get(id);
    let kept = node
        .get("metadata")
        .and_then(|metadata| metadata.get(REST))
        .map(|rest| to_json(rest.value()));
    let mut record: Fields = match (&known, kept) {
        (Some(known), _) => original_record(known),
        (None, Some(Json::Object(kept))) => kept,
        (None, _) => Map::new(),
    };
    let before = record.clone();
    record.insert("id".to_owned(), id.into());
    set(&mut record, "title", Some(item.title()));
    for (title, field) in NARRATIVES {
        let text = node
            .get("narrative")
            .and_then(|narrative| narrative.text_of(title));
        set(&mut record, field, text);
    }
    let status = item.status().unwrap_or(ItemStatus::Pending);
    let now_is = bead_of_record(&record, now, USUAL_PRIORITY).map(|bead| status_of(&bead));
    // Several statuses of a bead are the same for an item. Only change it if the item's is another
    // one.
    if !record.contains_key("status") || now_is != Ok(status) {
        let updated = node.text_of("updated");
        end(
            &mut record,
            status,
            node.text_of("completed").or(updated),
            now,
        );
    }
    let priority = node.text_of("priority").and_then(Priority::from_word);
    let number = known.as_ref().map(|known| known.priority);
    let number = number.or_else(|| record.get("priority")?.as_u64()?.try_into().ok());
    if let Some(priority) = priority
        && number.map(Priority::of_rank) != Some(priority)
    {
        record.insert("priority".to_owned(), priority.rank().into());
    }
    label(
        &mut record,
        node.items_of("tags").filter_map(|tag| tag.text()),
    );
    let mut participants = node.items_of("participants");
    let assignee = participants.find(|one| one.text_of("role") == Some("assignee"));
    set(
        &mut record,
        "assignee",
        assignee.and_then(|one| one.text_of("id")),
    );
    depend(&mut record, item, ids, state);
    if let Some(extra) = extra_fields::of_item(node) {
        record.insert(EXTRA_FIELD.to_owned(), extra);
    }
    if known.is_none() {
        moment(&mut record, "created_at", node.text_of("created"), now);
    }
    if known.is_none() {
        moment(&mut record, "updated_at", node.text_of("updated"), now);
    } else if record != before {
        let updated = changed_at(node.text_of("updated"), known.as_ref(), now);
        record.insert("updated_at".to_owned(), updated.to_string().into());
    }
    record
}

/// Sets the labels of a record, unless it has the same set already.
fn label<'a>(record: &mut Fields, tags: impl Iterator<Item = &'a str>) {
    let tags: BTreeSet<&str> = tags.collect();
    let labels = record.get("labels").and_then(Json::as_array);
    let labels = labels.into_iter().flatten().filter_map(Json::as_str);
    let own: BTreeSet<&str> = labels.collect();
    if own != tags {
        record.insert("labels".to_owned(), json!(tags));
    }
}

/// Sets a time in a record, unless it has an equal one already.
fn moment(record: &mut Fields, field: &str, text: Option<&str>, now: Stamp) {
    let stamp = |text: &str| text.parse::<Stamp>().ok().map(Stamp::to_millis);
    let own = record.get(field).and_then(Json::as_str).and_then(stamp);
    if own.is_none() || text.is_some_and(|text| stamp(text) != own) {
        let text = text.map_or_else(|| now.to_string(), str::to_owned);
        record.insert(field.to_owned(), text.into());
    }
}

/// Returns the time at which an item that differs from its bead was changed.
///
/// It's `now` if the item has no time of its own, or still the bead's, in which case somebody has
/// edited the item without updating its time. Some tools write whole seconds, so of two times in
/// the same second we take the later one.
fn changed_at(updated: Option<&str>, known: Option<&Bead>, now: Stamp) -> Stamp {
    let Some(updated) = updated.and_then(|updated| updated.parse::<Stamp>().ok()) else {
        return now;
    };
    let Some(known) = known.map(|known| known.updated_at) else {
        return updated;
    };
    let second = |stamp: Stamp| stamp.micros().div_euclid(1_000_000);
    match updated == known {
        true => now,
        false if second(updated) == second(known) => updated.max(known),
        false => updated,
    }
}

fn set(record: &mut Fields, field: &str, text: Option<&str>) {
    match text.filter(|text| !text.is_empty()) {
        Some(text) => drop(record.insert(field.to_owned(), text.into())),
        None if record.get(field).is_none_or(Json::is_string) => drop(record.shift_remove(field)),
        // A value that isn't text can't have come from an item, so keep it.
        None => {}
    }
}

/// Sets a bead's status, and the fields that tell how it was closed.
fn end(record: &mut Fields, status: ItemStatus, at: Option<&str>, now: Stamp) {
    for field in ["closed_at", "close_reason", "outcome"] {
        record.shift_remove(field);
    }
    let word = match status {
        ItemStatus::Pending => "open",
        ItemStatus::InProgress => "in_progress",
        ItemStatus::Blocked => "blocked",
        ItemStatus::Completed | ItemStatus::Cancelled | ItemStatus::Failed => "closed",
    };
    record.insert("status".to_owned(), word.into());
    if word != "closed" {
        return;
    }
    let at = at.map_or_else(|| now.to_string(), str::to_owned);
    record.insert("closed_at".to_owned(), at.into());
    if matches!(status, ItemStatus::Cancelled | ItemStatus::Failed) {
        record.insert("close_reason".to_owned(), status.as_str().into());
        record.insert("outcome".to_owned(), "failed".into());
    }
}

/// Replaces the bead's blocking dependencies with those of the item. Other kinds stay, and so do
/// dependencies on beads that have no item.
fn depend(record: &mut Fields, item: &WorkItem<'_>, ids: &[String], state: &State) {
    let wanted: Vec<&String> = item
        .waits_for
        .iter()
        .filter_map(|at| ids.get(*at))
        .collect();
    let old = record
        .get("dependencies")
        .and_then(Json::as_array)
        .cloned()
        .unwrap_or_default();
    let blocks_on = |one: &Json| -> Option<String> {
        let kind = one.get("type").and_then(Json::as_str).unwrap_or("blocks");
        let on = one.get("depends_on_id")?.as_str()?;
        (kind == "blocks").then(|| on.to_owned())
    };
    let mut new: Vec<Json> = (old.iter())
        .filter(|one| match blocks_on(one) {
            Some(on) => wanted.contains(&&on) || !ids.contains(&on) && state.beads.contains(&on),
            None => true,
        })
        .cloned()
        .collect();
    let known: Vec<String> = new.iter().filter_map(blocks_on).collect();
    for on in wanted {
        if !known.contains(on) {
            new.push(json!({ "depends_on_id": on, "type": "blocks" }));
        }
    }
    match new.is_empty() {
        true => drop(record.shift_remove("dependencies")),
        false => drop(record.insert("dependencies".to_owned(), new.into())),
    }
}
