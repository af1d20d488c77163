//! Finds items by name and returns their paths.

use windlass_base::did_you_mean;
use windlass_tron::{Object, Value};

use super::EditError;
use crate::{Container, Node};

/// Returns an item's `id`, or its title if it has no `id`.
pub(crate) fn name_of(item: Node<'_>) -> &str {
    let name = item.text_of("id").or_else(|| item.text_of("title"));
    name.unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Key(&'static str),
    Item(&'static str, usize),
}

/// Returns the path to the item with this `id`.
///
/// If there is none, an item without an `id` may also be named by its title.
pub(super) fn path_of(
    value: &Value<'static>,
    container: Container,
    id: &str,
) -> Result<Vec<Step>, EditError> {
    let mut all = Vec::new();
    let mut path = vec![Step::Key(container.field())];
    if let Some(container) = value.get(container.field()) {
        collect(container, &mut path, &mut all);
    }
    let named = |by_id: bool| -> Vec<&Vec<Step>> {
        let found = all
            .iter()
            .filter(|(own, is_id, _)| own == id && *is_id == by_id);
        found.map(|(_, _, path)| path).collect()
    };
    let mut found = named(true);
    if found.is_empty() {
        found = named(false);
    }
    match found[..] {
        [only] => Ok(only.clone()),
        [] => Err(EditError::NoItem {
            id: id.to_owned(),
            similar: did_you_mean(id, all.iter().map(|(own, ..)| own.as_str())).map(str::to_owned),
        }),
        _ => Err(EditError::SeveralItems(id.to_owned())),
    }
}

/// The name of an item, whether that is an `id`, and the path to the item.
type Named = (String, bool, Vec<Step>);

/// Collects all items below `value`.
///
/// Recursion is safe here, because the depth of documents is limited.
fn collect(value: &Value<'static>, path: &mut Vec<Step>, all: &mut Vec<Named>) {
    for list in ["items", "subItems"] {
        let items = value.get(list).and_then(Value::as_array);
        for (at, item) in items.into_iter().flat_map(|items| items.iter()).enumerate() {
            path.push(Step::Item(list, at));
            let text = |name: &str| item.get(name).and_then(Value::as_str);
            if let Some(name) = text("id").or_else(|| text("title")) {
                all.push((name.to_owned(), text("id").is_some(), path.clone()));
            }
            collect(item, path, all);
            path.pop();
        }
    }
    if let Some(list) = value.get("todoList") {
        path.push(Step::Key("todoList"));
        collect(list, path, all);
        path.pop();
    }
}

pub(super) fn follow<'v>(
    value: &'v mut Value<'static>,
    path: &[Step],
) -> Option<&'v mut Object<'static>> {
    let mut at = value;
    for step in path {
        let object = at.as_object_mut()?;
        at = match step {
            Step::Key(key) => object.get_mut(key)?,
            Step::Item(list, number) => object.get_mut(list)?.as_array_mut()?.get_mut(*number)?,
        };
    }
    at.as_object_mut()
}
