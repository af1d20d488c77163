//! Schemas and formats that others read and write.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Topic};
use super::file_survey::{Survey, Text, depth, is_own};

/// The most files that are looked into.
const MAX_FILES: usize = 60;

/// Of a folder with more alike than so many, one is suggested: the others would be noise.
const MAX_ALIKE: usize = 5;

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut files: Vec<_> = survey
        .files
        .iter()
        .filter(|path| is_own(path) && may_be_schema(path.file_name()))
        .collect();
    files.sort_by_key(|path| depth(path));
    let texts = files.into_iter().take(MAX_FILES);
    let texts = texts.filter_map(|path| survey.text(path));
    let found = texts.filter_map(|text| Some((schema(&text)?, text)));
    let mut found: Vec<(Candidate, Text)> = found.collect();
    // The same schema for several databases is one.
    let mut dialects: BTreeSet<String> = BTreeSet::new();
    found.retain(|(_, text)| dialect_of(text).is_none_or(|all| dialects.insert(all)));
    // Where the first of a folder stands, the most telling of it does.
    let mut told: BTreeSet<Alike> = BTreeSet::new();
    let candidates = found.iter().filter_map(|(candidate, text)| {
        let alike: Vec<&(Candidate, Text)> = found
            .iter()
            .filter(|(_, other)| Alike::of(other) == Alike::of(text))
            .collect();
        if alike.len() <= MAX_ALIKE {
            return Some(candidate.clone());
        }
        told.insert(Alike::of(text)).then(|| most_telling(&alike))?
    });
    candidates.collect()
}

/// What the dialects of a database's schema have in common: their name, and the folder above those of the databases.
fn dialect_of(text: &Text) -> Option<String> {
    let path = text.file.as_str();
    let (folder, name) = path.rsplit_once('/')?;
    let (above, _) = folder.rsplit_once('/')?;
    name.to_lowercase()
        .ends_with(".sql")
        .then(|| format!("{above}/{name}"))
}

/// What schemas that are alike have in common: their folder, and how their names end.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alike(String, String);

impl Alike {
    fn of(text: &Text) -> Self {
        let path = text.file.as_str();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        Self(folder.to_owned(), ending.to_lowercase())
    }
}

/// The one that most others name, then the longest, for all of them.
fn most_telling(alike: &[&(Candidate, Text)]) -> Option<Candidate> {
    let named = |text: &Text| {
        let name = text.file.file_name();
        let others = alike.iter().filter(|(_, other)| other.file != text.file);
        let says = |other: &Text| other.lines().any(|(_, line)| line.contains(name));
        others.filter(|(_, other)| says(other)).count()
    };
    // Of equals the first.
    let telling = alike.iter().rev();
    let (candidate, text) = telling.max_by_key(|(_, text)| (named(text), text.len()))?;
    let label = format!(
        "{} and {} more in its folder",
        candidate.label,
        alike.len() - 1
    );
    Some(candidate.clone().label(label).because(format!(
        "{}; it is the most telling of {} that are alike: {}",
        candidate.reason,
        alike.len(),
        if named(text) > 0 {
            "others refer to it"
        } else {
            "it says the most"
        }
    )))
}

fn may_be_schema(name: &str) -> bool {
    let name = name.to_lowercase();
    let is = |ending: &str| name.ends_with(ending);
    let described = ["openapi", "swagger", "asyncapi", "schema"]
        .iter()
        .any(|word| name.contains(word));
    [
        ".proto",
        ".graphql",
        ".graphqls",
        ".avsc",
        ".thrift",
        ".prisma",
    ]
    .into_iter()
    .any(is)
        || (described && [".json", ".yaml", ".yml", ".sql"].into_iter().any(is))
}

/// The part of a schema that says most, judged by what stands in it.
fn schema(text: &Text) -> Option<Candidate> {
    let name = text.file.file_name().to_lowercase();
    let starts = |starts: &'static [&'static str]| {
        text.lines()
            .find(|(_, line)| starts.iter().any(|start| line.starts_with(start)))
    };
    let (found, reason) = if name.ends_with(".proto") {
        (
            starts(&["service "]).or_else(|| starts(&["message "]))?,
            "a protocol that others speak",
        )
    } else if name.contains(".graphql") {
        (
            starts(&["type Query", "schema {", "extend type Query"])?,
            "what can be asked of the API",
        )
    } else if name.ends_with(".prisma") {
        (starts(&["model "])?, "a model of the database")
    } else if name.ends_with(".thrift") {
        (
            starts(&["service ", "struct "])?,
            "a protocol that others speak",
        )
    } else if name.ends_with(".sql") {
        (
            starts(&["CREATE TABLE", "create table"])?,
            "a table of the database",
        )
    } else if name.ends_with(".json") || name.ends_with(".avsc") {
        return json_schema(text);
    } else {
        return openapi(text);
    };
    let (first, _) = found;
    let candidate = Candidate::lines(Topic::Schema, text, first, text.closed_at(first))?;
    Some(described(candidate, text, reason))
}

fn described(candidate: Candidate, text: &Text, reason: &str) -> Candidate {
    let name = text.file.file_name();
    let stem = name.split('.').next().unwrap_or(name);
    candidate
        .named(stem)
        .label(format!("Schema `{name}`"))
        .because(reason)
}

/// A JSON Schema says that it is one, and what it demands.
fn json_schema(text: &Text) -> Option<Candidate> {
    let value = super::manifest::json(text)?;
    let says = value.get("$schema").and_then(serde_json::Value::as_str);
    let is_schema = says.is_some_and(|says| says.contains("json-schema.org"))
        || text.file.file_name().ends_with(".avsc");
    if !is_schema {
        return None;
    }
    let field = ["required", "properties", "fields"]
        .iter()
        .find_map(|name| super::manifest::json_field(text, name))?;
    let candidate = Candidate::lines(Topic::Schema, text, field.0, field.1)?;
    Some(described(
        candidate,
        text,
        "a format that documents have to keep to",
    ))
}

/// The paths of an OpenAPI document.
fn openapi(text: &Text) -> Option<Candidate> {
    let line = |start: &str| {
        text.lines()
            .find(|(_, line)| line.starts_with(start))
            .map(|(number, _)| number)
    };
    line("openapi:")
        .or_else(|| line("swagger:"))
        .or_else(|| line("asyncapi:"))?;
    let first = line("paths:").or_else(|| line("channels:"))?;
    let after = text.lines().skip_while(|(number, _)| *number <= first);
    let mut after = after.filter(|(_, line)| !line.is_empty());
    let end = after
        .find(|(_, line)| !line.starts_with([' ', '#']))
        .map_or(text.len() + 1, |(number, _)| number);
    let last = text.trimmed(first, end.min(first + 60));
    let candidate = Candidate::lines(Topic::Schema, text, first, last)?;
    Some(described(candidate, text, "what the HTTP API answers to"))
}
