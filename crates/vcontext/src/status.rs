//! Determines the status of an item, which is either its own or derived from its parts.

use crate::parts::parts_of;
use crate::{ItemStatus, Node};

/// The word for a status that is derived from the parts.
pub(crate) const AUTO: &str = "auto";

/// Returns the status, or `None` if the document's version does not know the word.
pub(crate) fn status_of(item: Node<'_>) -> Option<ItemStatus> {
    match item.text_of("status")? {
        AUTO => Some(rolled_up(item)),
        word => item.version().item_status(word),
    }
}

/// Returns the summary, which describes the item in one sentence.
///
/// It is `None` in versions without this field.
pub(crate) fn summary_of(item: Node<'_>) -> Option<&str> {
    let has_field = item.version().shape("PlanItem").field("summary").is_some();
    item.text_of("summary").filter(|_| has_field)
}

/// Derives the status of an item from its parts.
///
/// Recursion is safe here, because the depth of documents is limited.
fn rolled_up(item: Node<'_>) -> ItemStatus {
    let parts: Vec<ItemStatus> = parts_of(item).filter_map(status_of).collect();
    let any = |status| parts.contains(&status);
    let all = |ends: &[ItemStatus]| parts.iter().all(|part| ends.contains(part));
    match () {
        () if parts.is_empty() => ItemStatus::Pending,
        () if any(ItemStatus::InProgress) => ItemStatus::InProgress,
        () if any(ItemStatus::Blocked) => ItemStatus::Blocked,
        () if any(ItemStatus::Failed) => ItemStatus::Failed,
        () if all(&[ItemStatus::Cancelled]) => ItemStatus::Cancelled,
        () if all(&[ItemStatus::Completed, ItemStatus::Cancelled]) => ItemStatus::Completed,
        // Some parts are done and others aren't, but none is in progress.
        () if any(ItemStatus::Completed) => ItemStatus::InProgress,
        () => ItemStatus::Pending,
    }
}
