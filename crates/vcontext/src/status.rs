//! Status of an item, its own or derived from its parts.

use crate::parts::parts_of;
use crate::{ItemStatus, Node};

/// Word of an item whose status follows from its parts.
pub(crate) const AUTO: &str = "auto";

/// Returns the status of an item; `None` if it is not a word of the document's version.
pub(crate) fn status_of(item: Node<'_>) -> Option<ItemStatus> {
    match item.text_of("status")? {
        AUTO => Some(rolled_up(item)),
        word => item.version().item_status(word),
    }
}

/// Returns the one-sentence description of an item, if its version has one.
pub(crate) fn summary_of(item: Node<'_>) -> Option<&str> {
    let has_field = item.version().shape("PlanItem").field("summary").is_some();
    item.text_of("summary").filter(|_| has_field)
}

/// Returns the status that follows from the parts. A document is at most 256 levels deep.
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
        () if any(ItemStatus::Completed) => ItemStatus::InProgress,
        () => ItemStatus::Pending,
    }
}
