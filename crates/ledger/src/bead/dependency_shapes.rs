//! Reads the dependencies of other tools' records, which come in several shapes: as objects like
//! ours, as rows of a database, as whole beads, or as mere ids.

use serde_json::{Map, Value};

use super::originals::{is_ours, originals, stamp, text};
use super::{Dependency, DependencyKind, IMPORTED};
use crate::Stamp;
use crate::event::Fields;

/// Fields that have a place in [`Dependency`].
const STRICT: [&str; 5] = ["depends_on_id", "type", "created_at", "created_by", "gate"];
/// Fields that may name the target bead. Records, database rows and embedded beads each use another
/// one. If an entry has several of them, the first in this order wins.
const TARGETS: [&str; 5] = [
    "depends_on_id",
    "depends_on_issue_id",
    "depends_on_wisp_id",
    "depends_on_external",
    "id",
];
/// Fields that may name the kind. The first one wins.
const KINDS: [&str; 3] = ["type", "dependency_type", "dep_type"];

/// True if every element of the list is an object and a dependency of the bead `id`. Only then can
/// each of them keep its own original values; otherwise, we keep the original of the whole list.
pub(super) fn are_dependencies(value: &Value, id: &str) -> bool {
    let is_one = |one: &Value| {
        let one = one.as_object();
        one.is_some_and(|one| target(one).is_some() && is_of(one, id))
    };
    value.as_array().is_some_and(|list| list.iter().all(is_one))
}

/// True if a dependency belongs to the bead `id`. A dependency that names no owner belongs to the
/// record that we found it in.
pub(super) fn is_of(fields: &Fields, id: &str) -> bool {
    text(fields, "issue_id").is_none_or(|of| of == id)
}

/// Parses the dependencies of `record`, which are a list of objects or ids, or an object that maps
/// ids to kinds. Some tools call the field `depends_on`.
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

/// Finds the id of the bead that a dependency points to, or `None` if no known field has it.
#[must_use]
pub fn target(fields: &Fields) -> Option<&str> {
    TARGETS.iter().find_map(|name| text(fields, name))
}

/// The dependency's kind as written, or `blocks` if it has none.
#[must_use]
pub fn kind(fields: &Fields) -> &str {
    let kind = KINDS.iter().find_map(|name| text(fields, name));
    kind.unwrap_or("blocks")
}

fn dependency(fields: &Fields, created: Stamp) -> Option<Dependency> {
    // An embedded bead has its own times and creator, which say nothing about the dependency.
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
    /// Makes this dependency non-blocking.
    ///
    /// This is for imported dependencies that close a cycle, and so could never be met. We keep the
    /// original kind so that an export can restore the record.
    pub(crate) fn put_aside(&mut self) {
        let imported = self.rest.entry(IMPORTED);
        let imported = imported.or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(imported) = imported {
            let own = || self.kind.as_str().into();
            imported.entry("type").or_insert_with(own);
        }
        self.kind = DependencyKind::Other("related".to_owned());
    }

    /// The kind that the dependency had before [`Self::put_aside`].
    pub(crate) fn put_aside_kind(&self) -> Option<DependencyKind> {
        let kept = self.rest.get(IMPORTED)?.get("type")?;
        let kind = DependencyKind::of(kept.as_str().unwrap_or_else(|| kind(&self.rest)));
        let is_waited_for = !matches!(kind, DependencyKind::Other(_));
        (is_waited_for && matches!(self.kind, DependencyKind::Other(_))).then_some(kind)
    }
}
