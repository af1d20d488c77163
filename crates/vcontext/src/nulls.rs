use windlass_tron::{Object, Value};

use crate::{Container, Kind, Shape};

/// Removes the fields of the specification that are `null`, which means absent. A `null` in other fields
/// stays.
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
    std::iter::once(("vContextInfo", Shape::of_info())).chain(containers)
}

/// Removes null fields. A document is at most 256 levels deep.
fn clean(object: &mut Object<'static>, shape: &'static Shape) {
    object.retain(|key, value| !(value.is_null() && shape.field(key).is_some()));
    for (key, value) in object.iter_mut() {
        let Some(field) = shape.field(key) else {
            continue;
        };
        match (&field.kind, value) {
            (Kind::Entity(inner), Value::Object(object)) => clean(object, Shape::of(inner)),
            (Kind::List(inner), Value::Array(items)) => {
                let Kind::Entity(inner) = &**inner else {
                    continue;
                };
                let objects = items.iter_mut().filter_map(Value::as_object_mut);
                objects.for_each(|object| clean(object, Shape::of(inner)));
            }
            (Kind::Texts, Value::Object(texts)) => texts.retain(|_, text| !text.is_null()),
            _ => {}
        }
    }
}
