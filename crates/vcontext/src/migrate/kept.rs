//! Keeps values that have no counterpart in the other format. They stay in the document, under
//! names from which we restore them on the way back.

use windlass_tron::{Object, Value};

use super::{MigrationLog, token};
use crate::{Shape, Version};

/// Prefix for names of values that only exist in vContext.
pub(super) const OF_VCONTEXT: &str = "x-vcontext/";
/// Prefix for names of values that only exist in xBRIEF.
pub(super) const OF_XBRIEF: &str = "x-xbrief/";

/// Stores `value` of the field `name` in the other format.
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

/// Reports fields of `entity` that don't exist in the version `to`, except those in `handled` and
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
