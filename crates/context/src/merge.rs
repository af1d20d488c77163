//! Merging packs: the same whichever comes first, however they are grouped, and however often.
//!
//! Each part of a pack has a name. What packs say of a part is a set, and merging joins the sets: parts that are the same are one,
//! excerpts of the same state of a file are joined line by line, and whatever else differs is a conflict that keeps all that is said.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use windlass_base::canonical_json;

use crate::lines::Lines;
use crate::{
    Conflict, ContextPack, NotAPack, Origin, PackId, Provenance, Source, content_digest, read_pack,
    redaction_of,
};

/// Lists whose entries have names: the field, and the field of each that names it.
const LISTS: [(&str, &str); 7] = [
    ("/docRefs", "path"),
    ("/relevantFiles", "path"),
    ("/inputs", "payloadId"),
    ("/artifacts", "ref"),
    ("/decisions", "id"),
    ("/delta/files", "path"),
    ("/delta/failures", "id"),
];
/// Objects whose fields are parts by themselves.
const OBJECTS: [&str; 4] = ["/repoFacts", "/constraints", "/toolPolicy", "/workspace"];
/// Lists of texts.
const SETS: [&str; 2] = ["/definitionOfDone", "/delta/resolved"];
/// What is no part: it is of one pack, or follows from the others.
const APART: [&str; 12] = [
    "schema_version",
    "packId",
    "createdAt",
    "runId",
    "nodeId",
    "provenance",
    "redaction",
    "conflicts",
    "mergedFrom",
    "budget",
    "truncation",
    "nextActions",
];

/// The pack that two are together.
///
/// Merging is commutative, associative and idempotent. Both are to be whole.
///
/// # Errors
/// When they cannot be put together again; that is a mistake in this program.
pub fn merge(one: &ContextPack, other: &ContextPack) -> Result<ContextPack, NotAPack> {
    if one.pack_id == other.pack_id && content_digest(one) == content_digest(other) {
        let mut same = one.clone();
        same.created_at = one.created_at.clone().max(other.created_at.clone());
        return Ok(same);
    }
    let mut parts = Parts::of(one);
    parts.join(Parts::of(other));
    let mut merged = parts.together()?;
    merged.created_at = one.created_at.clone().max(other.created_at.clone());
    merged.merged_from = leaves(one).union(&leaves(other)).copied().collect();
    merged.sort();
    merged.redaction = redaction_of(&merged, parts_withheld(one, other));
    Ok(merged.seal())
}

/// The files that either could not read.
fn parts_withheld(one: &ContextPack, other: &ContextPack) -> BTreeSet<String> {
    let reports = one.redaction.iter().chain(&other.redaction);
    reports
        .flat_map(|report| report.withheld.iter().cloned())
        .collect()
}

/// The packs that a pack was merged of.
fn leaves(pack: &ContextPack) -> BTreeSet<PackId> {
    if pack.merged_from.is_empty() {
        return BTreeSet::from([pack.pack_id]);
    }
    pack.merged_from.iter().copied().collect()
}

/// What packs say of each part.
#[derive(Default)]
struct Parts {
    said: BTreeMap<String, Said>,
    /// Texts of lists; all of a list where all packs have the same.
    sets: BTreeMap<&'static str, Vec<String>>,
    /// Origins by part.
    origins: BTreeMap<String, BTreeMap<String, Origin>>,
    commits: BTreeSet<String>,
}

/// All that is said of one part.
#[derive(Default)]
struct Said {
    /// By canonical JSON.
    values: BTreeMap<Vec<u8>, Value>,
    /// The higher counts: `high` over `low`, `true` over `false`.
    high: BTreeMap<&'static str, Value>,
    /// Lines of excerpts, by the hash of the file they are of.
    lines: BTreeMap<String, Lines>,
    anchors: Option<Vec<String>>,
}

impl Parts {
    fn of(pack: &ContextPack) -> Self {
        let mut parts = Self::default();
        let value = serde_json::to_value(pack).unwrap_or_default();
        let conflicts: BTreeSet<&str> = pack.conflicts.iter().map(|it| it.item.as_str()).collect();
        for (pointer, key) in LISTS {
            let field = pointer.trim_start_matches('/');
            for entry in list(&value, pointer) {
                let name = entry.get(key).and_then(Value::as_str).unwrap_or_default();
                let item = format!("{field}/{name}");
                // All that is said of it stands among the conflicts.
                if !conflicts.contains(item.as_str()) {
                    let source = source_in(pack, &item);
                    parts.say(item, entry.clone(), source);
                }
            }
        }
        for pointer in OBJECTS {
            let fields = value.pointer(pointer).and_then(Value::as_object);
            for (name, inner) in fields.into_iter().flatten() {
                parts.say(format!("{}/{name}", &pointer[1..]), inner.clone(), None);
            }
        }
        for pointer in SETS {
            let texts = list(&value, pointer).iter().filter_map(Value::as_str);
            parts
                .sets
                .insert(pointer, texts.map(str::to_owned).collect());
        }
        let is_whole = |name: &str| {
            let pointer = format!("/{name}");
            let within =
                |known: &str| known == pointer || known.starts_with(&format!("{pointer}/"));
            !APART.contains(&name)
                && !LISTS.iter().any(|(known, _)| within(known))
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
            if !matches!(name.as_str(), "files" | "failures" | "resolved") {
                parts.say(format!("delta/={name}"), whole.clone(), None);
            }
        }
        parts.take_origins(pack);
        // All that was said of what was a conflict already.
        for conflict in &pack.conflicts {
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
        let Some(provenance) = &pack.provenance else {
            return;
        };
        let commit = provenance.commit.iter().cloned();
        self.commits.extend(commit);
        let more = provenance.rest.get("commits").and_then(Value::as_array);
        let more = more.into_iter().flatten().filter_map(Value::as_str);
        self.commits.extend(more.map(str::to_owned));
        for origin in &provenance.items {
            self.origins
                .entry(origin.item.clone())
                .or_default()
                .insert(source_of(origin), origin.clone());
        }
    }

    /// Notes what is said of a part, apart from what is joined in another way.
    fn say(&mut self, item: String, mut value: Value, source: Option<Source>) {
        let said = self.said.entry(item).or_default();
        let mut anchors = None;
        if let Value::Object(fields) = &mut value {
            for name in ["priority", "new", "purpose"] {
                if let Some(inner) = fields.remove(name) {
                    raise(&mut said.high, name, inner);
                }
            }
            anchors = fields.remove("anchors");
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

    fn join(&mut self, other: Self) {
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
        for (pointer, texts) in other.sets {
            let own = self.sets.remove(pointer).unwrap_or_default();
            self.sets.insert(pointer, joined(own, texts));
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
    }

    /// The pack that all of it makes.
    fn together(self) -> Result<ContextPack, NotAPack> {
        let mut value = Value::Object(Map::new());
        let mut conflicts = Vec::new();
        for (item, said) in &self.said {
            let mut all: Vec<Value> = said.values.values().map(|one| said.whole(one)).collect();
            all.sort_by_cached_key(key);
            if all.len() > 1 {
                conflicts.push(Conflict {
                    item: outer_name(item),
                    values: all.clone(),
                });
            }
            if let Some(mut first) = all.into_iter().next() {
                if let Value::Object(fields) = &mut first {
                    fields.remove(SOURCE);
                }
                put(&mut value, item, first);
            }
        }
        for (pointer, texts) in &self.sets {
            if !texts.is_empty() || *pointer == "/definitionOfDone" {
                set(&mut value, pointer, Value::from(texts.clone()));
            }
        }
        for (name, _) in LISTS.iter().filter(|(name, _)| *name == "/docRefs") {
            if value.pointer(name).is_none() {
                set(&mut value, name, Value::Array(Vec::new()));
            }
        }
        set(
            &mut value,
            "/packId",
            Value::from(PackId::default().to_string()),
        );
        let mut pack = read_pack(value)?;
        pack.conflicts = conflicts;
        pack.provenance = self.provenance();
        Ok(pack)
    }

    fn provenance(&self) -> Option<Provenance> {
        if self.origins.is_empty() && self.commits.is_empty() {
            return None;
        }
        let mut items = Vec::new();
        for (item, origins) in &self.origins {
            let lines = self.said.get(item).map(|said| &said.lines);
            for origin in origins.values() {
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
            [one] => provenance.commit = Some(one.clone()),
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

/// Stands in a value for the excerpt that is joined line by line: the hash of the file it is of.
const OF: &str = "\u{0}of";
/// Stands in a value that is one of several: the state of the file it is of, and the lines.
const SOURCE: &str = "source";

/// The source of a part that is a file, as the pack has it.
fn source_in(pack: &ContextPack, item: &str) -> Option<Source> {
    if !item.starts_with("docRefs/") && !item.starts_with("relevantFiles/") {
        return None;
    }
    let mut items = pack.provenance.iter().flat_map(|it| &it.items);
    items
        .find(|origin| origin.item == item)
        .map(|origin| origin.source.clone())
}

/// The name of a part in a conflict.
fn outer_name(item: &str) -> String {
    item.replacen(
        '=',
        "",
        usize::from(item.starts_with('=') || item.starts_with("delta/=")),
    )
}

/// The name of a part that a conflict is about.
fn inner_name(item: &str) -> String {
    let within = |pointer: &&str| {
        item.strip_prefix(&pointer[1..])
            .is_some_and(|rest| rest.starts_with('/'))
    };
    if LISTS
        .iter()
        .map(|(pointer, _)| pointer)
        .chain(&OBJECTS)
        .any(within)
    {
        return item.to_owned();
    }
    match item.strip_prefix("delta/") {
        Some(name) => format!("delta/={name}"),
        None => format!("={item}"),
    }
}

impl Said {
    /// One of the values, with what was joined apart from it, and where its lines stand.
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

/// What is the same of two origins of one source stays; reasons are joined, the higher rank counts.
fn same_source(known: &mut Origin, other: Origin) {
    known.why.extend(other.why);
    known.rank = known.rank.max(other.rank);
    known.lines_left_out = known.lines_left_out.max(other.lines_left_out);
}

/// What tells origins apart: all of the source but the lines, which are joined.
fn source_of(origin: &Origin) -> String {
    let mut source = origin.source.clone();
    source.spans.clear();
    String::from_utf8_lossy(&key(&serde_json::to_value(source).unwrap_or_default())).into_owned()
}

fn key(value: &Value) -> Vec<u8> {
    canonical_json(value).unwrap_or_default()
}

/// How high a word stands, where words have an order.
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

/// Two lists of texts as one: as they are where they are the same, else sorted, each text once.
fn joined(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    if one == other {
        return one;
    }
    let all: BTreeSet<String> = one.into_iter().chain(other).collect();
    all.into_iter().collect()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Puts a part back where it was: `docRefs/x` into a list, `constraints/x` into an object, `=goal` as a field.
fn put(value: &mut Value, item: &str, part: Value) {
    for (pointer, _) in LISTS {
        if item
            .strip_prefix(&pointer[1..])
            .is_some_and(|rest| rest.starts_with('/'))
        {
            return append(value, pointer, part);
        }
    }
    for pointer in OBJECTS {
        if let Some(name) = item.strip_prefix(&format!("{}/", &pointer[1..])) {
            return field(value, &[&pointer[1..], name], part);
        }
    }
    match item.strip_prefix("delta/=") {
        Some(name) => field(value, &["delta", name], part),
        None => field(value, &[item.trim_start_matches('=')], part),
    }
}

fn append(value: &mut Value, pointer: &str, part: Value) {
    let mut all = list(value, pointer).to_vec();
    all.push(part);
    set(value, pointer, Value::Array(all));
}

fn set(value: &mut Value, pointer: &str, part: Value) {
    let names: Vec<&str> = pointer.split('/').skip(1).collect();
    field(value, &names, part);
}

fn field(value: &mut Value, names: &[&str], part: Value) {
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
            field(inner, rest, part);
        }
    }
}
