//! The different shapes of dependencies in records of other tools.

use serde_json::{Map, Value};

use super::originals::{is_ours, originals, stamp, text};
use super::{Dependency, DependencyKind, IMPORTED};
use crate::Stamp;
use crate::event::Fields;

/// Dependency fields rewritten to our strict form.
const STRICT: [&str; 5] = ["depends_on_id", "type", "created_at", "created_by", "gate"];
/// Fields naming the target bead, in order of preference. They are used in records, in database
/// rows, and in embedded beads.
const TARGETS: [&str; 5] = [
    "depends_on_id",
    "depends_on_issue_id",
    "depends_on_wisp_id",
    "depends_on_external",
    "id",
];
/// Fields naming the kind, in order of preference.
const KINDS: [&str; 3] = ["type", "dependency_type", "dep_type"];

/// True if every element of the list is an object and a dependency of the bead `id`. Each
/// dependency can then keep its own original values.
pub(super) fn are_dependencies(value: &Value, id: &str) -> bool {
    let is_one = |one: &Value| {
        let one = one.as_object();
        one.is_some_and(|one| target(one).is_some() && is_of(one, id))
    };
    value.as_array().is_some_and(|list| list.iter().all(is_one))
}

/// True if a dependency belongs to the bead `id`. Without an owner of its own, a dependency belongs
/// to the record containing it.
pub(super) fn is_of(fields: &Fields, id: &str) -> bool {
    text(fields, "issue_id").is_none_or(|of| of == id)
}

/// Parses the dependencies of `record`: a list of objects or ids, or an object mapping ids to
/// kinds. Falls back to `depends_on` if there is no `dependencies` field.
pub(super) fn dependencies(record: &Fields, created: Stamp) -> Vec<Dependency> {
    let id = text(record, "id").unwrap_or_default();
    let own = record.get("dependencies").filter(|own| !own.is_null());
    let one = |value: &Value| match value {
        Value::String(target) if !target.is_empty() => Some(plain(target, "blocks")),
        Value::Object(fields) if is_of(fields, id) => Some(fields.clone()),
        _ => None,
    };
    let found: Vec<Fields> = match own.or_else(|| record.get("depends_on")) {
        Some(Value::Array(list)) => list.iter().filter_map(one).collect(),
        Some(Value::Object(kinds)) => {
            let kind = |value: &Value| value.as_str().unwrap_or("blocks").to_owned();
            let pairs = kinds.iter().filter(|(target, _)| !target.is_empty());
            pairs
                .map(|(target, value)| plain(target, &kind(value)))
                .collect()
        }
        _ => Vec::new(),
    };
    let mut dependencies: Vec<Dependency> = Vec::new();
    for fields in &found {
        dependencies.extend(dependency(fields, created));
    }
    dependencies
}

fn plain(target: &str, kind: &str) -> Fields {
    Map::from_iter([
        ("depends_on_id".to_owned(), target.into()),
        ("type".to_owned(), kind.into()),
    ])
}

/// Returns the id of the bead a dependency points to.
#[must_use]
pub fn target(fields: &Fields) -> Option<&str> {
    TARGETS.iter().find_map(|name| text(fields, name))
}

/// Returns a dependency's kind as written. The default is `blocks`.
#[must_use]
pub fn kind(fields: &Fields) -> &str {
    let kind = KINDS.iter().find_map(|name| text(fields, name));
    kind.unwrap_or("blocks")
}

fn dependency(fields: &Fields, created: Stamp) -> Option<Dependency> {
    // An embedded bead has its own times and names, which must not be read as the dependency's.
    let is_bead = fields.contains_key("title");
    let of_it = |found: Option<Stamp>| found.filter(|_| !is_bead);
    let is_kept = |(name, value): &(&String, &Value)| {
        !STRICT.contains(&name.as_str()) && (*name != IMPORTED || is_ours(value, &STRICT))
    };
    let mut dependency = Dependency {
        depends_on_id: target(fields)?.to_owned(),
        kind: DependencyKind::of(kind(fields)),
        created_at: of_it(stamp(fields, "created_at")).unwrap_or(created),
        created_by: text(fields, "created_by").unwrap_or("unknown").to_owned(),
        gate: text(fields, "gate").map(str::to_owned),
        rest: fields
            .iter()
            .filter(is_kept)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    };
    if let Ok(Value::Object(strict)) = serde_json::to_value(&dependency) {
        let known = dependency.rest.get(IMPORTED).and_then(Value::as_object);
        let mut imported = known.cloned().unwrap_or_default();
        imported.extend(originals(&strict, fields, &STRICT, |_, _| false));
        if let Some(foreign) = fields.get(IMPORTED).filter(|own| !is_ours(own, &STRICT)) {
            imported.insert(IMPORTED.to_owned(), foreign.clone());
        }
        if !imported.is_empty() {
            dependency
                .rest
                .insert(IMPORTED.to_owned(), Value::Object(imported));
        }
    }
    Some(dependency)
}

impl Dependency {
    /// Turns this into a dependency that blocks nothing. We keep the original kind to restore the
    /// record.
    pub(crate) fn put_aside(&mut self) {
        let imported = self.rest.entry(IMPORTED);
        let imported = imported.or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(imported) = imported {
            let own = || self.kind.as_str().into();
            imported.entry("type").or_insert_with(own);
        }
        self.kind = DependencyKind::Other("related".to_owned());
    }

    /// Returns the original kind if the dependency was made non-blocking, because it could never
    /// have been satisfied.
    pub(crate) fn put_aside_kind(&self) -> Option<DependencyKind> {
        let kept = self.rest.get(IMPORTED)?.get("type")?;
        let kind = DependencyKind::of(kept.as_str().unwrap_or_else(|| kind(&self.rest)));
        let is_waited_for = !matches!(kind, DependencyKind::Other(_));
        (is_waited_for && matches!(self.kind, DependencyKind::Other(_))).then_some(kind)
    }
}
