//! Converts command-line values to values of documents.

use windlass::vcontext::ItemStatus;

use crate::args::ItemState;

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
