//! The parts of a pack, by name: the field they stand in, a slash, and their name there.

use std::collections::BTreeMap;

use crate::{ContextPack, Origin};

/// The name of a document.
#[must_use]
pub fn doc_item(path: &str) -> String {
    format!("docRefs/{path}")
}

/// The name of a file that matters.
#[must_use]
pub fn file_item(path: &str) -> String {
    format!("relevantFiles/{path}")
}

/// The name of a file that differs.
#[must_use]
pub fn change_item(path: &str) -> String {
    format!("delta/files/{path}")
}

/// The name of something that fails.
#[must_use]
pub fn failure_item(id: &str) -> String {
    format!("delta/failures/{id}")
}

/// Whether `item` is a failure.
pub(crate) fn is_failure(item: &str) -> bool {
    item.starts_with("delta/failures/")
}

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

/// The origins of the parts of `pack`, by part.
pub(crate) fn origins(pack: &ContextPack) -> BTreeMap<&str, &Origin> {
    let items = pack
        .provenance
        .iter()
        .flat_map(|provenance| &provenance.items);
    items.map(|origin| (origin.item.as_str(), origin)).collect()
}

impl ContextPack {
    /// Brings the lists into their order: what matters more first, then by name; origins by name.
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
