use windlass_tron::{Object, Value};

use crate::{Container, Kind, Shape, VContextInfo};

/// `value` without the fields of the specification that are `null`, which mean the same as none. What is `null` in fields
/// that the specification does not know stays.
#[must_use]
pub fn without_nulls(value: &Value<'_>) -> Value<'static> {
    let mut value = value.clone().into_owned();
    if let Some(root) = value.as_object_mut() {
        for (name, shape) in known() {
            match root.get_mut(name) {
                Some(Value::Null) => drop(root.remove(name)),
                Some(Value::Object(object)) => clean(object, shape),
                _ => {}
            }
        }
    }
    value
}

fn known() -> impl Iterator<Item = (&'static str, &'static Shape)> {
    let containers = Container::ALL
        .into_iter()
        .map(|one| (one.field(), one.shape()));
    std::iter::once(("vContextInfo", VContextInfo::shape())).chain(containers)
}

/// A document is at most 256 levels deep.
fn clean(object: &mut Object<'static>, shape: &'static Shape) {
    object.retain(|key, value| !(value.is_null() && shape.field(key).is_some()));
    for (key, value) in object.iter_mut() {
        let Some(field) = shape.field(key) else {
            continue;
        };
        match (&field.kind, value) {
            (Kind::Entity(inner), Value::Object(object)) => clean(object, inner()),
            (Kind::List(Kind::Entity(inner)), Value::Array(items)) => {
                for item in items.iter_mut() {
                    if let Value::Object(object) = item {
                        clean(object, inner());
                    }
                }
            }
            (Kind::Texts, Value::Object(texts)) => texts.retain(|_, text| !text.is_null()),
            _ => {}
        }
    }
}
