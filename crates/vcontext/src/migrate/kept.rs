//! Stores values that have no counterpart in the other format. They stay in the document under a
//! name with a prefix, and can be restored when it is migrated back.

use windlass_tron::{Object, Value};

use super::{MigrationLog, token};
use crate::{Shape, Version};

/// Prefix of names that only vContext knows.
pub(super) const OF_VCONTEXT: &str = "x-vcontext/";
/// Prefix of names that only xBRIEF knows.
pub(super) const OF_XBRIEF: &str = "x-xbrief/";

pub(super) fn keep(object: &mut Object<'static>, prefix: &str, name: &str, value: Value<'static>) {
    object.insert(format!("{prefix}{name}"), value);
}

pub(super) fn stored(
    object: &mut Object<'static>,
    prefix: &str,
    name: &str,
) -> Option<Value<'static>> {
    object.remove(&format!("{prefix}{name}"))
}

/// Reports fields of `entity` that version `to` does not know, apart from those in `handled`.
///
/// We leave the fields themselves alone, and that includes extension properties.
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
