use windlass_tron::{Object, Value};

use crate::specification::{HEADERS, Version};
use crate::{Container, Kind, Shape};

/// Removes the `null` fields of the specification, since they count as absent.
///
/// In any other field, `null` is a value.
#[must_use]
pub fn without_nulls(value: &Value<'_>) -> Value<'static> {
    let version = Version::of(value);
    let mut value = value.clone().into_owned();
    if let Some(root) = value.as_object_mut() {
        for (name, shape) in known(version) {
            match root.get_mut(name) {
                Some(Value::Null) => drop(root.remove(name)),
                Some(Value::Object(object)) => clean(object, shape, version),
                _ => {}
            }
        }
    }
    value
}

fn known(version: &'static Version) -> impl Iterator<Item = (&'static str, &'static Shape)> {
    let containers = Container::ALL
        .into_iter()
        .map(|one| (one.field(), version.shape(one.entity())));
    let headers = HEADERS.into_iter().map(|name| (name, Shape::of_info()));
    headers.chain(containers)
}

/// Removes the `null` fields of an entity and of everything in it.
///
/// Recursion is safe here, because the depth of documents is limited.
fn clean(object: &mut Object<'static>, shape: &'static Shape, version: &'static Version) {
    object.retain(|key, value| !(value.is_null() && shape.field(key).is_some()));
    for (key, value) in object.iter_mut() {
        let Some(field) = shape.field(key) else {
            continue;
        };
        match (&field.kind, value) {
            (Kind::Entity(inner), Value::Object(object)) => {
                clean(object, version.shape(inner), version);
            }
            (Kind::List(inner), Value::Array(items)) => {
                let Kind::Entity(inner) = &**inner else {
                    continue;
                };
                let objects = items.iter_mut().filter_map(Value::as_object_mut);
                objects.for_each(|object| clean(object, version.shape(inner), version));
            }
            (Kind::Texts, Value::Object(texts)) => texts.retain(|_, text| !text.is_null()),
            _ => {}
        }
    }
}
