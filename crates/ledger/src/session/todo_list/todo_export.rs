//! Exports beads as the items of a TodoList.

use std::collections::BTreeMap;
use std::path::Path;

use crate::WorkFilter;
use crate::bead::{Bead, DependencyKind, original_record};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use windlass_site::Error;
use windlass_vcontext::{
    Author, Container, Document, DocumentDraft, Encoding, ItemStatus, Layout, Node, Note, Object,
    Priority, Value, held_by, stamp_item, write,
};

use super::item_update::settle;
use super::{
    EXTRA_FIELD, LINK, LINK_TYPE, NARRATIVES, REST, bead_ids, check_list, extra_fields, status_of,
    value,
};
use crate::session::Beads;

/// Result of an export.
#[derive(Debug, Clone, Serialize)]
pub struct ExportReport {
    /// Text of a new document. It is empty if we updated an existing one.
    #[serde(skip)]
    pub text: String,
    /// Ids of the beads that got a new item.
    pub added: Vec<String>,
    /// Ids of the beads whose item has changed.
    pub changed: Vec<String>,
    /// Number of beads whose item was up to date.
    pub same: usize,
    /// Beads whose items another actor has locked, each with that actor. We leave these items
    /// alone.
    pub locked: Vec<(String, String)>,
}

/// Bead fields that have an equivalent in an item, or mean nothing to other tools.
const MAPPED_FIELDS: [&str; 12] = [
    EXTRA_FIELD,
    "id",
    "title",
    "description",
    "status",
    "labels",
    "created_at",
    "updated_at",
    "design",
    "notes",
    "acceptance_criteria",
    "assignee",
];

impl Beads<'_> {
    /// Exports the beads that match `filter` as items of a TodoList.
    ///
    /// If `file` is an existing list, we update it: its other contents stay, and no item is
    /// removed. Beads that another tool has deleted are skipped.
    ///
    /// # Errors
    /// Returns an error if the log or the file cannot be read, the file is not a TodoList, or it
    /// cannot be written.
    pub fn export(
        &self,
        filter: &WorkFilter,
        file: Option<(&str, &Path)>,
        encoding: Encoding,
    ) -> Result<ExportReport, Error> {
        let beads: Vec<Bead> = (self.list(filter, None, usize::MAX)?.beads.into_iter())
            .map(|report| report.bead)
            .filter(|bead| bead.foreign_status() != Some("tombstone"))
            .collect();
        let now = self
            .session
            .site()
            .environment()
            .timestamp()
            .unwrap_or_default();
        let own = self.prefix_of_folder();
        let project = self.session.state().prefix().unwrap_or(&own).to_owned();
        let head = Head { project, now };
        let Some((name, start)) = file else {
            return made(&beads, &head, encoding);
        };
        if !start.join(name).exists() {
            let report = made(&beads, &head, encoding)?;
            self.session
                .service
                .documents()
                .write_document(name, start, &report.text)?;
            return Ok(report);
        }
        let documents = self.session.service.documents();
        documents.change_vcontext(name, start, |document| {
            check_list(document)?;
            let author = documents.author(super::super::known_actor(self.session));
            let (value, report) = updated(document, &beads, &head, &author)?;
            let is_new = !report.added.is_empty() || !report.changed.is_empty();
            let draft = is_new.then(|| DocumentDraft {
                value,
                author,
                note: Some(Note::update("beads")),
                dry_run: false,
            });
            Ok((draft, report))
        })
    }
}

struct Head {
    project: String,
    now: String,
}

fn made(beads: &[Bead], head: &Head, encoding: Encoding) -> Result<ExportReport, Error> {
    let ids = beads
        .iter()
        .map(|bead| (bead.id.as_str(), bead.id.as_str()));
    let ids = ids.collect();
    let items: Result<Vec<Value<'static>>, Error> =
        beads.iter().map(|bead| whole(bead, &ids)).collect();
    let mut list = Object::new();
    list.insert("title", "Beads");
    list.insert("beadsProject", head.project.clone());
    list.insert("beadsSyncedAt", head.now.clone());
    list.insert("items", items?);
    let mut info = Object::new();
    info.insert("version", windlass_vcontext::VERSION);
    let mut document = Object::new();
    document.insert("vContextInfo", info);
    document.insert(Container::TodoList.field(), list);
    Ok(ExportReport {
        text: write(&document.into(), encoding, &Layout::pretty()),
        added: beads.iter().map(|bead| bead.id.clone()).collect(),
        changed: Vec::new(),
        same: 0,
        locked: Vec::new(),
    })
}

/// Updates the items of `beads` in `document`. Beads do not know about everything that may be in an
/// item, and all of that stays.
fn updated(
    document: &Document,
    beads: &[Bead],
    head: &Head,
    author: &Author,
) -> Result<(Value<'static>, ExportReport), Error> {
    let known = bead_ids(document, &head.project)?;
    // An item keeps its own `id`, since other items refer to it.
    let mut ids: BTreeMap<&str, &str> = (beads.iter())
        .map(|bead| (bead.id.as_str(), bead.id.as_str()))
        .collect();
    for (at, node) in document
        .at("/todoList/items")
        .into_iter()
        .flat_map(Node::items)
        .enumerate()
    {
        if let (Some(bead), Some(id)) = (known.get(at), node.text_of("id")) {
            ids.insert(bead, id);
        }
    }
    let mut report = ExportReport {
        text: String::new(),
        added: Vec::new(),
        changed: Vec::new(),
        same: 0,
        locked: Vec::new(),
    };
    let mut root = document.value().clone();
    let list = root
        .as_object_mut()
        .and_then(|root| root.get_mut(Container::TodoList.field())?.as_object_mut());
    let Some(list) = list else {
        return Err(Error::internal(
            "a valid TodoList document has no list".to_owned(),
        ));
    };
    let places: BTreeMap<&str, usize> = (known.iter().enumerate())
        .map(|(at, id)| (id.as_str(), at))
        .collect();
    if let Some(Value::Array(items)) = list.get_mut("items") {
        for bead in beads {
            let at = places.get(bead.id.as_str());
            let own = at.and_then(|at| items.get_mut(*at)?.as_object_mut());
            let Some(own) = own else {
                items.push(whole(bead, &ids)?);
                report.added.push(bead.id.clone());
                continue;
            };
            // Make the change first to see if there's any, and undo it if the item is locked. A
            // lock on an item that's up to date does no harm.
            let before = own.to_owned();
            settle(own, bead, &item(bead, &ids))?;
            if *own == before {
                report.same += 1;
            } else if let Some(by) = held_by(&before, author) {
                *own = before;
                report.locked.push((bead.id.clone(), by));
            } else {
                stamp_item(own, author);
                report.changed.push(bead.id.clone());
            }
        }
    }
    // If nothing has changed, keep the time as well, so that the document stays the same.
    if !report.added.is_empty() || !report.changed.is_empty() {
        list.insert("beadsSyncedAt", head.now.clone());
    }
    Ok((root, report))
}

/// Returns the item for a bead that has none in the document. If the bead was imported from an item
/// once, it gets back its extra fields.
fn whole(bead: &Bead, ids: &BTreeMap<&str, &str>) -> Result<Value<'static>, Error> {
    let new = item(bead, ids);
    let record = original_record(bead);
    let extra = record
        .get(EXTRA_FIELD)
        .map(extra_fields::as_item)
        .transpose()?
        .flatten();
    let Some(extra) = extra else {
        return value(new.into());
    };
    // These come first in the document, and the extra fields follow.
    let first = ["id", "beadsId", "title", "status"].map(|name| (name, new.get(name)));
    let mut own = Object::new();
    for (name, field) in first {
        if let Some(field) = field {
            own.insert(name, value(field.clone())?);
        }
    }
    for (name, field) in extra.into_members() {
        own.insert(name, field);
    }
    settle(&mut own, bead, &new)?;
    Ok(own.into())
}

/// Converts a bead to an item. Items refer to each other by their own ids, which `ids` has for each
/// bead.
fn item(bead: &Bead, ids: &BTreeMap<&str, &str>) -> Map<String, Json> {
    let record = original_record(bead);
    let status = status_of(bead);
    let mut item = Map::new();
    let mut put = |name: &str, value: Json| {
        item.insert(name.to_owned(), value);
    };
    let id = ids.get(bead.id.as_str()).copied().unwrap_or(&bead.id);
    put("id", id.into());
    put("beadsId", bead.id.as_str().into());
    put("title", bead.full_title().into());
    put("status", status.as_str().into());
    let narrative: Map<String, Json> = (NARRATIVES.into_iter())
        .filter_map(|(title, field)| Some((title.to_owned(), text_of(&record, field)?.into())))
        .collect();
    if !narrative.is_empty() {
        put("narrative", narrative.into());
    }
    put("priority", Priority::of_rank(bead.priority).as_str().into());
    if !bead.labels.is_empty() {
        put("tags", json!(bead.labels));
    }
    put("created", bead.created_at.to_string().into());
    put("updated", bead.updated_at.to_string().into());
    if let Some(closed) = bead.closed_at.filter(|_| status == ItemStatus::Completed) {
        put("completed", closed.to_string().into());
    }
    let needs: Vec<&str> = (bead.dependencies.iter())
        .filter(|one| one.kind == DependencyKind::Blocks)
        .filter_map(|one| ids.get(one.depends_on_id.as_str()).copied())
        .collect();
    if !needs.is_empty() {
        put("dependencies", json!(needs));
    }
    if let Some(assignee) = bead.assignee.as_deref().filter(|one| !one.is_empty()) {
        put(
            "participants",
            json!([{ "id": assignee, "role": "assignee" }]),
        );
    }
    put(
        "uris",
        json!([{ "uri": format!("{LINK}{}", bead.id), "type": LINK_TYPE }]),
    );
    let rest = rest(record);
    if !rest.is_empty() {
        put("metadata", json!({ REST: rest }));
    }
    item
}

fn text_of<'a>(record: &'a Map<String, Json>, field: &str) -> Option<&'a str> {
    record.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// True if an item has the same spelling of this time, so that the record does not have to keep its
/// own.
fn is_in_millis(moment: Option<&Json>) -> bool {
    let text = moment.and_then(Json::as_str).unwrap_or_default();
    let stamp = text.parse::<crate::Stamp>();
    stamp.is_ok_and(|stamp| stamp.to_string() == text)
}

fn rest(mut record: Map<String, Json>) -> Map<String, Json> {
    let is_text =
        |record: &Map<String, Json>, name: &str| record.get(name).is_none_or(Json::is_string);
    for name in MAPPED_FIELDS {
        // Keep the status and times if we couldn't restore them from the item.
        let keeps = match name {
            "status" => !matches!(
                record.get(name).and_then(Json::as_str),
                Some("open" | "in_progress" | "closed" | "blocked")
            ),
            "labels" | EXTRA_FIELD => false,
            "created_at" | "updated_at" => !is_in_millis(record.get(name)),
            name => !is_text(&record, name),
        };
        if !keeps {
            record.shift_remove(name);
        }
    }
    // An item's `low` would become 3 again, so the record has to keep any larger number.
    if record
        .get("priority")
        .and_then(Json::as_u64)
        .is_some_and(|priority| priority < 4)
    {
        record.shift_remove("priority");
    }
    record
}
