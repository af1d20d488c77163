//! Values without a counterpart in the other format. They stay in the document, under names that the way back
//! restores.

use windlass_tron::{Object, Value};

use super::{MigrationLog, token};
use crate::{Shape, Version};

/// Prefix of the names of values that only vContext has.
pub(super) const OF_VCONTEXT: &str = "x-vcontext/";
/// Prefix of the names of values that only xBRIEF has.
pub(super) const OF_XBRIEF: &str = "x-xbrief/";

/// Stores `value`, which is the field `name` in the other format.
pub(super) fn keep(object: &mut Object<'static>, prefix: &str, name: &str, value: Value<'static>) {
    object.insert(format!("{prefix}{name}"), value);
}

/// Removes and returns the stored value of the field `name`.
pub(super) fn stored(
    object: &mut Object<'static>,
    prefix: &str,
    name: &str,
) -> Option<Value<'static>> {
    object.remove(&format!("{prefix}{name}"))
}

/// Reports the fields of `entity` that the version `to` does not have, other than those in `handled`, and
/// extension properties. All of them stay.
pub(super) fn report(
    object: &Object<'static>,
    entity: &str,
    (from, to): (&'static Version, &'static Version),
    handled: &[&str],
    (at, log): (&str, &mut MigrationLog),
) {
    let (source, target): (&Shape, &Shape) = (from.shape(entity), to.shape(entity));
    let has = |shape: &Shape, name: &str| shape.fields.iter().any(|field| field.name == name);
    for (key, value) in object.iter() {
        let name = key.as_str();
        if value.is_null() || handled.contains(&name) {
            continue;
        }
        let is_extension = name.starts_with("x-") && name.contains('/');
        if is_extension || has(source, name) && !has(target, name) {
            let what = format!(
                "`{name}` has no counterpart in version {}: it stays, but is not read",
                to.number()
            );
            log.losing(format!("{at}/{}", token(name)), what);
        }
    }
}
