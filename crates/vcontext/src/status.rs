//! An item's status, either its own or derived from its parts.

use crate::parts::parts_of;
use crate::{ItemStatus, Node};

/// The status of an item that derives it from its parts.
pub(crate) const AUTO: &str = "auto";

/// Returns an item's status, or `None` if its document's version has no such word.
pub(crate) fn status_of(item: Node<'_>) -> Option<ItemStatus> {
    match item.text_of("status")? {
        AUTO => Some(rolled_up(item)),
        word => item.version().item_status(word),
    }
}

/// Returns an item's one-sentence description, if its version has one.
pub(crate) fn summary_of(item: Node<'_>) -> Option<&str> {
    let has_field = item.version().shape("PlanItem").field("summary").is_some();
    item.text_of("summary").filter(|_| has_field)
}

/// Returns the status derived from the parts. Documents are at most 256 levels deep, so we can
/// recurse.
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
