//! Splits packs into named parts, and collects the values that the packs have for each part.
//!
//! The result of a merge must not depend on the order of the packs. So everything here is a set or
//! a map, and wherever two values could be kept in either order, they are ordered by their
//! canonical JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use windlass_base::canonical_json;

use super::merged_runs::{COUNTED, runs_of};
use super::{APART, OBJECTS, SETS};
use crate::context::merge::joined_lines::Lines;
use crate::context::model::pack_items::{NAMED_LISTS, is_in};
use crate::context::model::run_totals::add_run;
use crate::context::{ContextPack, Origin, RunCount, Source, dangling_origins};

/// Field that refers to the lines of an excerpt by the hash of their file. We remove excerpts from
/// values, so that packs with different lines of the same file do not disagree. The NUL character
/// keeps the name from being mistaken for a real field.
pub(super) const OF: &str = "\u{0}of";
/// Field of a value in a conflict, with the state and the lines of its file.
pub(super) const SOURCE: &str = "source";

/// The parts of one or more packs. If packs disagree about a part, each value is kept.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) said: BTreeMap<String, Said>,
    pub(super) sets: BTreeMap<&'static str, Vec<String>>,
    pub(super) origins: BTreeMap<String, BTreeMap<String, Origin>>,
    pub(super) commits: BTreeSet<String>,
    /// The uncommitted files that each pack knows about.
    pub(super) uncommitted: BTreeSet<Option<BTreeMap<String, String>>>,
    /// The outcomes of test runs, by their canonical JSON.
    pub(super) runs: BTreeMap<Vec<u8>, RunCount>,
}

/// Everything the packs have for one part.
#[derive(Default)]
pub(super) struct Said {
    /// The values by their canonical JSON. More than one is a conflict.
    pub(super) values: BTreeMap<Vec<u8>, Value>,
    /// Fields of which the highest value wins: `high` beats `low`, and `true` beats `false`.
    pub(super) high: BTreeMap<&'static str, Value>,
    /// Lines of excerpts, by the hash of their file.
    pub(super) lines: BTreeMap<String, Lines>,
    pub(super) anchors: Option<Vec<String>>,
}

impl Parts {
    pub(super) fn of(pack: &ContextPack) -> Self {
        let mut parts = Self::default();
        let value = serde_json::to_value(pack).unwrap_or_default();
        let conflicts: BTreeSet<&str> = pack.conflicts.iter().map(|it| it.item.as_str()).collect();
        for (field, key) in NAMED_LISTS {
            for entry in list(&value, field) {
                let name = entry.get(key).and_then(Value::as_str).unwrap_or_default();
                let item = format!("{field}/{name}");
                // If this pack has a conflict about the part, the conflict lists the pack's own
                // value, too. We read that below.
                if !conflicts.contains(item.as_str()) {
                    let source = source_in(pack, &item);
                    parts.say(item, entry.clone(), source);
                }
            }
        }
        for field in OBJECTS {
            let fields = value.get(field).and_then(Value::as_object);
            for (name, inner) in fields.into_iter().flatten() {
                parts.say(format!("{field}/{name}"), inner.clone(), None);
            }
        }
        for field in SETS {
            let texts = list(&value, field).iter().filter_map(Value::as_str);
            parts.sets.insert(field, texts.map(str::to_owned).collect());
        }
        let is_whole = |name: &str| {
            let within = |known: &str| known == name || is_in(known, name);
            !APART.contains(&name)
                && !NAMED_LISTS.iter().any(|(known, _)| within(known))
                && !OBJECTS.iter().chain(&SETS).any(|known| within(known))
        };
        for (name, whole) in value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_whole(name))
        {
            parts.say(format!("={name}"), whole.clone(), None);
        }
        let delta = value.get("delta").and_then(Value::as_object);
        for (name, whole) in delta.into_iter().flatten() {
            let is_list = matches!(name.as_str(), "files" | "failures" | "resolved");
            if !is_list && !COUNTED.contains(&name.as_str()) {
                parts.say(format!("delta/={name}"), whole.clone(), None);
            }
        }
        parts.take_origins(pack);
        for run in runs_of(pack) {
            add_run(&mut parts.runs, run);
        }
        // The pack may itself be the result of a merge. If it has conflicts, we take all of their
        // values.
        let is_counted = |item: &str| {
            let field = item.strip_prefix("delta/");
            field.is_some_and(|field| COUNTED.contains(&field))
        };
        // Counts are computed from the runs, so they can't be in conflict. Older versions recorded
        // such conflicts, though, so skip them.
        let said = pack.conflicts.iter().filter(|it| !is_counted(&it.item));
        for conflict in said {
            for value in &conflict.values {
                let mut value = value.clone();
                let source = value
                    .as_object_mut()
                    .and_then(|fields| fields.remove(SOURCE));
                let source = source.and_then(|source| serde_json::from_value(source).ok());
                parts.say(inner_name(&conflict.item), value, source);
            }
        }
        parts
    }

    fn take_origins(&mut self, pack: &ContextPack) {
        let uncommitted = pack.provenance.as_ref();
        self.uncommitted
            .insert(uncommitted.and_then(|it| it.uncommitted.clone()));
        let Some(provenance) = &pack.provenance else {
            return;
        };
        let commit = provenance.commit.iter().cloned();
        self.commits.extend(commit);
        let more = provenance.rest.get("commits").and_then(Value::as_array);
        let more = more.into_iter().flatten().filter_map(Value::as_str);
        self.commits.extend(more.map(str::to_owned));
        // Drop origins without a part. After the merge, they'd look as if they belonged to another
        // pack's text.
        let dangling = dangling_origins(pack);
        let own = provenance.items.iter();
        for origin in own.filter(|origin| !dangling.contains(origin.item.as_str())) {
            self.origins
                .entry(origin.item.clone())
                .or_default()
                .insert(source_of(origin), origin.clone());
        }
    }

    /// Adds a value for a part. Fields that can be merged on their own are removed from the value
    /// first, so that a difference in them is not a conflict.
    fn say(&mut self, item: String, mut value: Value, source: Option<Source>) {
        // Fields of the same name mean something else in other lists.
        let raised: &[&'static str] = match item.split('/').next() {
            Some("docRefs") => &["priority", "anchors"],
            Some("relevantFiles") => &["purpose"],
            _ if item.starts_with("delta/failures/") => &["new"],
            _ => &[],
        };
        let said = self.said.entry(item).or_default();
        let mut anchors = None;
        if let Value::Object(fields) = &mut value {
            for name in raised {
                match fields.remove(*name) {
                    Some(inner) if *name == "anchors" => anchors = Some(inner),
                    Some(inner) => raise(&mut said.high, name, inner),
                    None => {}
                }
            }
            if let Some(Source {
                hash: Some(hash),
                spans,
                ..
            }) = source
            {
                let lines = match fields.get("excerpt") {
                    Some(Value::String(text)) => Lines::of(text, &spans),
                    _ => Some(Lines::default()),
                };
                if let Some(lines) = lines {
                    fields.remove("excerpt");
                    said.lines.entry(hash.clone()).or_default().join(lines);
                    fields.insert(OF.to_owned(), Value::String(hash));
                }
            }
        }
        if let Some(Value::Array(list)) = anchors {
            let list = list
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            said.anchors = Some(match said.anchors.take() {
                Some(known) => joined(known, list),
                None => list,
            });
        }
        said.values.insert(key(&value), value);
    }

    pub(super) fn join(&mut self, other: Self) {
        for (item, said) in other.said {
            let own = self.said.entry(item).or_default();
            own.values.extend(said.values);
            for (name, value) in said.high {
                raise(&mut own.high, name, value);
            }
            for (hash, lines) in said.lines {
                own.lines.entry(hash).or_default().join(lines);
            }
            own.anchors = match (own.anchors.take(), said.anchors) {
                (Some(one), Some(other)) => Some(joined(one, other)),
                (one, other) => one.or(other),
            };
        }
        for (field, texts) in other.sets {
            let own = self.sets.remove(field).unwrap_or_default();
            self.sets.insert(field, joined(own, texts));
        }
        for (item, origins) in other.origins {
            let own = self.origins.entry(item).or_default();
            for (source, origin) in origins {
                match own.get_mut(&source) {
                    Some(known) => same_source(known, origin),
                    None => {
                        own.insert(source, origin);
                    }
                }
            }
        }
        self.commits.extend(other.commits);
        self.uncommitted.extend(other.uncommitted);
        for run in other.runs.into_values() {
            add_run(&mut self.runs, run);
        }
    }
}

/// The source of a part that is a file. Other parts do not have lines to merge.
fn source_in(pack: &ContextPack, item: &str) -> Option<Source> {
    if !is_in(item, "docRefs") && !is_in(item, "relevantFiles") {
        return None;
    }
    let mut items = pack.provenance.iter().flat_map(|it| &it.items);
    items
        .find(|origin| origin.item == item)
        .map(|origin| origin.source.clone())
}

/// Converts the name of a part in a conflict to our name. This is the inverse of `outer_name`.
fn inner_name(item: &str) -> String {
    let mut fields = NAMED_LISTS.iter().map(|(list, _)| list).chain(&OBJECTS);
    if fields.any(|field| is_in(item, field)) {
        return item.to_owned();
    }
    match item.strip_prefix("delta/") {
        Some(name) => format!("delta/={name}"),
        None => format!("={item}"),
    }
}

/// Merges two origins with the same source. All reasons are kept, and the higher rank wins.
fn same_source(known: &mut Origin, other: Origin) {
    let order = |rest: &Map<String, Value>| key(&Value::Object(rest.clone()));
    if order(&other.rest) < order(&known.rest) {
        known.rest = other.rest;
    }
    known.why.extend(other.why);
    known.rank = known.rank.max(other.rank);
    known.lines_left_out = known.lines_left_out.max(other.lines_left_out);
}

/// A key for the source. It does not include the lines, because those of equal sources are joined.
fn source_of(origin: &Origin) -> String {
    let mut source = origin.source.clone();
    source.spans.clear();
    String::from_utf8_lossy(&key(&serde_json::to_value(source).unwrap_or_default())).into_owned()
}

pub(super) fn key(value: &Value) -> Vec<u8> {
    canonical_json(value).unwrap_or_default()
}

/// The rank of a value among others of its field. Unknown values have rank 0.
fn height(value: &Value) -> u8 {
    match value {
        Value::Bool(true) => 2,
        Value::Bool(false) => 1,
        Value::String(word) if word == "high" => 3,
        Value::String(word) if word == "medium" => 2,
        _ => 0,
    }
}

fn raise(high: &mut BTreeMap<&'static str, Value>, name: &'static str, value: Value) {
    let is_higher = high
        .get(name)
        .is_none_or(|known| (height(known), key(known)) < (height(&value), key(&value)));
    if is_higher {
        high.insert(name, value);
    }
}

/// Joins two lists of strings. Equal lists keep their order. If they differ, we have no common
/// order, so the strings are sorted and duplicates are dropped.
fn joined(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    if one == other {
        return one;
    }
    let all: BTreeSet<String> = one.into_iter().chain(other).collect();
    all.into_iter().collect()
}

pub(super) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value
        .pointer(&format!("/{field}"))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
