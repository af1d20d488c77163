//! An item's parts, which are the items nested in it.

use crate::Node;
use crate::specification::Needs;

/// A list of an item's parts.
pub(crate) struct PartList<'a> {
    /// The list.
    pub(crate) list: Node<'a>,
    /// True if its items are named in a scope of their own.
    pub(crate) is_scope: bool,
}

/// Returns the lists with an item's parts, by its document's version. If one list is just an older
/// name of another, the preferred one counts.
pub(crate) fn part_lists(item: Node<'_>) -> impl Iterator<Item = PartList<'_>> {
    let version = item.version();
    let are_names = version.needs() == Needs::Edges;
    let lists = version.parts().iter().filter_map(move |name| {
        let field = item.get(name)?;
        match field.value().as_array() {
            Some(_) => Some(PartList {
                list: field,
                is_scope: false,
            }),
            None => Some(PartList {
                list: field.get("items")?,
                is_scope: true,
            }),
        }
    });
    lists.take(if are_names { 1 } else { usize::MAX })
}

/// Returns the parts of an item.
pub(crate) fn parts_of(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    part_lists(item).flat_map(|parts| parts.list.items())
}
