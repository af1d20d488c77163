//! Converts command-line values to values of documents.

use windlass::vcontext::{ItemKind, ItemStatus};

use crate::args::{EntryKind, ItemState};

/// Converts an item's status.
pub(super) fn status_of(state: ItemState) -> ItemStatus {
    match state {
        ItemState::Pending => ItemStatus::Pending,
        ItemState::InProgress => ItemStatus::InProgress,
        ItemState::Completed => ItemStatus::Completed,
        ItemState::Blocked => ItemStatus::Blocked,
        ItemState::Cancelled => ItemStatus::Cancelled,
        ItemState::Failed => ItemStatus::Failed,
    }
}

pub(super) fn kind_of(kind: EntryKind) -> ItemKind {
    match kind {
        EntryKind::Strategy => ItemKind::Strategy,
        EntryKind::Learning => ItemKind::Learning,
        EntryKind::Rule => ItemKind::Rule,
        EntryKind::Warning => ItemKind::Warning,
        EntryKind::Note => ItemKind::Note,
    }
}
