//! Names of a pack's parts. A name consists of the field, a slash and the name within that field,
//! e.g. `docRefs/README.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::{ContextPack, Origin, PayloadRef};

/// Lists whose entries are parts, each with the field that has an entry's name. When adding a list
/// to the pack, add it here too, so that it can be merged and compared.
pub(crate) const NAMED_LISTS: [(&str, &str); 7] = [
    ("docRefs", "path"),
    ("relevantFiles", "path"),
    ("inputs", "payloadId"),
    ("artifacts", "ref"),
    ("decisions", "id"),
    ("delta/files", "path"),
    ("delta/failures", "id"),
];

/// The name of a document.
#[must_use]
pub fn doc_item(path: &str) -> String {
    format!("docRefs/{path}")
}

/// The name of a relevant file.
#[must_use]
pub fn file_item(path: &str) -> String {
    format!("relevantFiles/{path}")
}

/// The name of a changed file.
#[must_use]
pub fn change_item(path: &str) -> String {
    format!("delta/files/{path}")
}

/// The name of a failure.
#[must_use]
pub fn failure_item(id: &str) -> String {
    format!("delta/failures/{id}")
}

pub(crate) fn is_in(item: &str, field: &str) -> bool {
    item.strip_prefix(field)
        .is_some_and(|rest| rest.starts_with('/'))
}

pub(crate) fn is_failure(item: &str) -> bool {
    is_in(item, "delta/failures")
}

/// The name of the list of resolved failures.
pub const RESOLVED_ITEM: &str = "delta/resolved";

/// The name of an artifact.
#[must_use]
pub fn artifact_item(reference: &str) -> String {
    format!("artifacts/{reference}")
}

/// The name of a decision.
#[must_use]
pub fn decision_item(id: &str) -> String {
    format!("decisions/{id}")
}

/// The name of a note on sources. Since notes have no ID, this is the text itself.
#[must_use]
pub fn note_item(note: &str) -> String {
    format!("sourceNotes/{note}")
}

pub(crate) fn is_note(item: &str) -> bool {
    is_in(item, "sourceNotes")
}

fn input_item(input: &PayloadRef) -> String {
    format!("inputs/{}", input.payload_id)
}

/// The first origin of each part. If there is a conflict, it belongs to the value in use.
pub(crate) fn origins(pack: &ContextPack) -> BTreeMap<&str, &Origin> {
    let items = pack
        .provenance
        .iter()
        .flat_map(|provenance| &provenance.items);
    let mut first = BTreeMap::new();
    for origin in items {
        first.entry(origin.item.as_str()).or_insert(origin);
    }
    first
}

/// Names that are only in the provenance. These origins must not be used, since the text they
/// belong to is not in the pack.
#[must_use]
pub fn dangling_origins(pack: &ContextPack) -> BTreeSet<&str> {
    let items = pack.provenance.iter().flat_map(|it| &it.items);
    let named: BTreeSet<&str> = items
        .map(|origin| origin.item.as_str())
        .filter(|item| is_note(item) || NAMED_LISTS.iter().any(|(list, _)| is_in(item, list)))
        .collect();
    if named.is_empty() {
        return named;
    }
    let own = entries(pack);
    named
        .into_iter()
        .filter(|item| !own.contains(*item))
        .collect()
}

fn entries(pack: &ContextPack) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    all.extend(pack.doc_refs.iter().map(|it| doc_item(&it.path)));
    all.extend(pack.relevant_files.iter().map(|it| file_item(&it.path)));
    all.extend(pack.inputs.iter().map(input_item));
    all.extend(pack.artifacts.iter().map(|it| artifact_item(&it.reference)));
    all.extend(pack.decisions.iter().map(|it| decision_item(&it.id)));
    all.extend(pack.source_notes.iter().map(|it| note_item(it)));
    if let Some(delta) = &pack.delta {
        all.extend(delta.files.iter().map(|it| change_item(&it.path)));
        all.extend(delta.failures.iter().map(|it| failure_item(&it.id)));
    }
    all
}

impl ContextPack {
    /// Sorts lists by rank and name, and origins by name. Equal contents then have equal bytes, and
    /// thus the same ID.
    pub fn sort(&mut self) {
        let mut ranks: BTreeMap<String, u32> = BTreeMap::new();
        for origin in self.provenance.iter().flat_map(|it| &it.items) {
            let rank = ranks.entry(origin.item.clone()).or_default();
            *rank = origin.rank.max(*rank);
        }
        let rank = |item: &str| std::cmp::Reverse(ranks.get(item).copied().unwrap_or_default());
        self.doc_refs.sort_by_cached_key(|it| {
            let item = doc_item(&it.path);
            (std::cmp::Reverse(it.priority), rank(&item), item)
        });
        self.relevant_files.sort_by_cached_key(|it| {
            let item = file_item(&it.path);
            (rank(&item), item)
        });
        self.artifacts.sort_by_cached_key(|it| {
            let item = artifact_item(&it.reference);
            (rank(&item), item)
        });
        self.inputs.sort_by_cached_key(|it| it.payload_id);
        self.decisions.sort_by_cached_key(|it| it.id.clone());
        self.source_notes.sort();
        self.source_notes.dedup();
        if let Some(delta) = &mut self.delta {
            delta.files.sort_by_cached_key(|it| {
                let item = change_item(&it.path);
                (rank(&item), item)
            });
            delta.failures.sort_by_cached_key(|it| {
                let item = failure_item(&it.id);
                (it.new == Some(false), rank(&item), item)
            });
            delta.resolved.sort();
            delta.resolved.dedup();
        }
        if let Some(provenance) = &mut self.provenance {
            provenance.items.sort_by(|a, b| a.item.cmp(&b.item));
        }
    }
}
