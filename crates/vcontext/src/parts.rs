//! Finds the parts of an item, which are the items nested in it.

use crate::Node;
use crate::specification::Needs;

pub(crate) struct PartList<'a> {
    pub(crate) list: Node<'a>,
    /// True if the names of the parts are a scope of their own.
    pub(crate) is_scope: bool,
}

/// Returns the lists of an item's parts, according to the version of its document.
///
/// In versions with edges, all names are those of the same list, so we only take the preferred one
/// that exists.
pub(crate) fn part_lists(item: Node<'_>) -> impl Iterator<Item = PartList<'_>> {
    let version = item.version();
    let are_names = version.needs == Needs::Edges;
    let lists = version.parts.iter().filter_map(move |name| {
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

pub(crate) fn parts_of(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    part_lists(item).flat_map(|parts| parts.list.items())
}
