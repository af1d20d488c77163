//! Raises xBRIEF 0.5 to 0.7 to the newest version, which only adds fields.

use windlass_tron::{Object, Value};

use super::{MigrationLog, rename};
use crate::Version;
use crate::specification::declared_in;

pub(super) fn raise(root: &mut Object<'static>, log: &mut MigrationLog) {
    let newest = Version::newest();
    let Some((header, number)) = declared_in(root) else {
        return;
    };
    if newest.has_header(header) && number.as_deref() == Some(newest.number()) {
        return;
    }
    let at = format!("/{header}");
    if rename(root, header, newest.header()) {
        log.breaking(&at, format!("`{header}` becomes `{}`", newest.header()));
    }
    if let Some(Value::Object(info)) = root.get_mut(newest.header()) {
        let before = number.unwrap_or_else(|| "without a number".to_owned());
        let what = format!("version {before} becomes `{}`", newest.number());
        log.breaking(format!("{at}/version"), what);
        info.insert("version", newest.number().to_owned());
    }
    if let Some(Value::Object(plan)) = root.get_mut("plan") {
        references(plan, log);
        items(plan, "/plan", log);
    }
}

/// Renames the reference types that still contain the format's first name.
fn references(plan: &mut Object<'static>, log: &mut MigrationLog) {
    let Some(Value::Array(references)) = plan.get_mut("references") else {
        return;
    };
    for (number, reference) in references.iter_mut().enumerate() {
        let kind = reference.get("type").and_then(Value::as_str);
        let Some(kind) = kind.and_then(|kind| kind.strip_prefix("x-vbrief/")) else {
            continue;
        };
        let now = format!("x-xbrief/{kind}");
        let what = format!("`x-vbrief/{kind}` becomes `{now}`");
        log.renaming(format!("/plan/references/{number}/type"), what);
        if let Some(reference) = reference.as_object_mut() {
            reference.insert("type", now);
        }
    }
}

/// Renames the lists of parts.
///
/// Recursion is safe here, because the depth of documents is limited.
fn items(object: &mut Object<'static>, at: &str, log: &mut MigrationLog) {
    if at != "/plan" && rename(object, "subItems", "items") {
        log.renaming(format!("{at}/subItems"), "`subItems` becomes `items`");
    }
    if let Some(Value::Array(list)) = object.get_mut("items") {
        for (number, item) in list.iter_mut().enumerate() {
            if let Value::Object(item) = item {
                items(item, &format!("{at}/items/{number}"), log);
            }
        }
    }
}
