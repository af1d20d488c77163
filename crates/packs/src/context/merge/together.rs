//! Puts a merged pack together from all values of its parts. Contradictions become conflicts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::OBJECTS;
use super::merged_parts::{OF, Parts, SOURCE, Said, key, list};
use crate::context::model::pack_items::{NAMED_LISTS, is_failure, is_in};
use crate::context::model::run_totals::count;
use crate::context::{
    Conflict, ContextPack, NotAPack, Origin, PackId, Provenance, RESOLVED_ITEM, RunCount, Source,
    failure_item, read_pack,
};

impl Parts {
    fn count(&self, delta: &mut Map<String, Value>) {
        let runs: Vec<&RunCount> = self.runs.values().collect();
        if runs.is_empty() {
            return;
        }
        let named = self.said.keys().filter(|item| is_failure(item)).count() as u64;
        let count = count(&runs, named);
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                delta.insert(name.to_owned(), value);
            }
        };
        put("runs", serde_json::to_value(&runs).ok());
        put("moreFailures", (count.more > 0).then(|| count.more.into()));
        put("moreFailuresAtMost", count.at_most.map(Value::from));
        put("failuresAtLeast", count.at_least.map(Value::from));
        let tests = count
            .tests
            .and_then(|tests| serde_json::to_value(tests).ok());
        put("tests", tests);
    }
}

impl Parts {
    pub(super) fn into_pack(mut self) -> Result<ContextPack, NotAPack> {
        self.remove_failing_from_resolved();
        let mut value = Value::Object(Map::new());
        let mut conflicts = Vec::new();
        let mut chosen = BTreeMap::new();
        for (item, said) in &self.said {
            let mut all: Vec<Value> = said.values.values().map(|one| said.whole(one)).collect();
            // Values with a source come first. If one without a source were in use, the other's
            // origin would look like its own.
            all.sort_by_cached_key(|one| (one.get(SOURCE).is_none(), key(one)));
            if all.len() > 1 {
                conflicts.push(Conflict {
                    item: outer_name(item),
                    values: all.clone(),
                });
            }
            if let Some(mut first) = all.into_iter().next() {
                if let Value::Object(fields) = &mut first
                    && let Some(source) = fields.remove(SOURCE)
                {
                    chosen.insert(item.as_str(), source);
                }
                put(&mut value, item, first);
            }
        }
        for (field, texts) in &self.sets {
            if !texts.is_empty() || *field == "definitionOfDone" {
                // This field is required, so it's written even if it's empty.
                set(&mut value, field, Value::from(texts.clone()));
            }
        }
        if !self.runs.is_empty() {
            let mut delta = Map::new();
            self.count(&mut delta);
            for (name, counted) in delta {
                set_at(&mut value, &["delta", &name], counted);
            }
        }
        if value.get("docRefs").is_none() {
            set(&mut value, "docRefs", Value::Array(Vec::new()));
        }
        let id = Value::from(PackId::default().to_string());
        set(&mut value, "packId", id);
        let mut pack = read_pack(value)?;
        pack.conflicts = conflicts;
        pack.provenance = self.provenance(&chosen);
        Ok(pack)
    }

    /// Removes failures from the list of resolved ones.
    ///
    /// A test may be resolved in one pack and fail in another. We do not know which pack is newer,
    /// so we cannot claim that it was fixed.
    fn remove_failing_from_resolved(&mut self) {
        let Some(resolved) = self.sets.get_mut(RESOLVED_ITEM) else {
            return;
        };
        // The list keeps its origin even if it's empty now, because a pack that is merged later may
        // add more tests from the same results.
        resolved.retain(|id| !self.said.contains_key(&failure_item(id)));
    }

    /// Merges the provenance. If a part has several origins, the one that belongs to its value in
    /// `chosen` comes first.
    fn provenance(&self, chosen: &BTreeMap<&str, Value>) -> Option<Provenance> {
        if self.origins.is_empty() && self.commits.is_empty() {
            return None;
        }
        let mut items = Vec::new();
        for (item, origins) in &self.origins {
            let lines = self.said.get(item).map(|said| &said.lines);
            let state = chosen
                .get(item.as_str())
                .and_then(|source| source.get("hash"));
            let state = state.and_then(Value::as_str);
            let mut origins: Vec<&Origin> = origins.values().collect();
            origins.sort_by_key(|origin| origin.source.hash.as_deref() != state);
            for origin in origins {
                let mut origin = origin.clone();
                let own = origin
                    .source
                    .hash
                    .as_ref()
                    .and_then(|hash| lines?.get(hash));
                if let Some(lines) = own {
                    origin.source.spans = lines.excerpt().1;
                }
                items.push(origin);
            }
        }
        let mut provenance = Provenance {
            items,
            ..Provenance::default()
        };
        match self.commits.iter().collect::<Vec<_>>()[..] {
            [] => {}
            [one] => {
                provenance.commit = Some(one.clone());
                // If the packs have seen different uncommitted files, neither list may be complete.
                let mut seen = self.uncommitted.iter();
                if let (Some(all), None) = (seen.next(), seen.next()) {
                    provenance.uncommitted.clone_from(all);
                }
            }
            ref several => {
                let all = several.iter().map(|id| Value::from(id.as_str())).collect();
                provenance
                    .rest
                    .insert("commits".to_owned(), Value::Array(all));
            }
        }
        Some(provenance)
    }
}

impl Said {
    /// Restores a value from the parts that we have merged separately: fields, excerpt and spans.
    fn whole(&self, value: &Value) -> Value {
        let mut value = value.clone();
        let Value::Object(fields) = &mut value else {
            return value;
        };
        if let Some(Value::String(hash)) = fields.remove(OF)
            && let Some(lines) = self.lines.get(&hash)
        {
            let (text, spans) = lines.excerpt();
            if !spans.is_empty() {
                fields.insert("excerpt".to_owned(), Value::String(text));
            }
            let source = Source {
                hash: Some(hash),
                spans,
                ..Source::default()
            };
            fields.insert(
                SOURCE.to_owned(),
                serde_json::to_value(source).unwrap_or_default(),
            );
        }
        for (name, inner) in &self.high {
            fields.insert((*name).to_owned(), inner.clone());
        }
        if let Some(anchors) = &self.anchors {
            fields.insert("anchors".to_owned(), Value::from(anchors.clone()));
        }
        value
    }
}

/// Converts our name of a part to the one used in conflicts. This is the inverse of `inner_name`.
fn outer_name(item: &str) -> String {
    item.replacen(
        '=',
        "",
        usize::from(item.starts_with('=') || item.starts_with("delta/=")),
    )
}

/// Puts a part in its place. For example, `docRefs/x` goes into a list, `constraints/x` into an
/// object, and `=goal` is a field.
fn put(value: &mut Value, item: &str, part: Value) {
    if let Some((list, _)) = NAMED_LISTS.iter().find(|(list, _)| is_in(item, list)) {
        return append(value, list, part);
    }
    if let Some(object) = OBJECTS.iter().find(|object| is_in(item, object)) {
        return set_at(value, &[object, &item[object.len() + 1..]], part);
    }
    match item.strip_prefix("delta/=") {
        Some(name) => set_at(value, &["delta", name], part),
        None => set_at(value, &[item.trim_start_matches('=')], part),
    }
}

fn append(value: &mut Value, field: &str, part: Value) {
    let mut all = list(value, field).to_vec();
    all.push(part);
    set(value, field, Value::Array(all));
}

fn set(value: &mut Value, field: &str, part: Value) {
    let names: Vec<&str> = field.split('/').collect();
    set_at(value, &names, part);
}

fn set_at(value: &mut Value, names: &[&str], part: Value) {
    let Value::Object(fields) = value else { return };
    match names {
        [] => {}
        [name] => {
            fields.insert((*name).to_owned(), part);
        }
        [name, rest @ ..] => {
            let inner = fields
                .entry(*name)
                .or_insert_with(|| Value::Object(Map::new()));
            set_at(inner, rest, part);
        }
    }
}
