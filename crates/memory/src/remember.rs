//! The eight ways in which something is written down: skip, event only, update what is there, a new decision, a new open loop,
//! the summary, in place of an older record, and feedback. Each leaves a memory in which nothing is wrong that was right before.

mod refuse;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_base::RepoPath;

use crate::date::day_of;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::fix::free_id;
use crate::index::link_all;
use crate::keywords::{MOST, suggest_keywords};
use crate::kind::{RecordKind, Status};
use crate::layout::IMPRESSIONS;
use crate::memory::Memory;
use crate::record::Record;

pub(crate) use self::refuse::secretless;
use self::refuse::{refuse, refuse_text, warnings_of};
use self::text::text_of;

/// What is to be written down.
#[derive(Debug, Clone, Default)]
pub struct NewRecord {
    /// What sort of thing it is: a decision, an open loop, context or an event.
    pub kind: Option<RecordKind>,
    /// What a person calls it.
    pub title: String,
    /// Its name; made from the title if not given.
    pub id: Option<String>,
    /// Its sections by title, or fields; what its kind asks for and nobody says is said to be not said.
    pub sections: Vec<(String, String)>,
    /// Words that lead to it; suggested from the text if none is given.
    pub keywords: Vec<String>,
    /// Other words for it.
    pub aliases: Vec<String>,
    /// Records it belongs to, by id or path.
    pub related: Vec<String>,
    /// The record whose place it takes, by id or path.
    pub supersedes: Option<String>,
}

/// What was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Remembered {
    /// Which of the eight ways it was.
    pub action: &'static str,
    /// The name of the record.
    pub id: String,
    /// Where it lies.
    pub file: RepoPath,
    /// The words that lead to it.
    pub keywords: Vec<String>,
    /// What is still to be said in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_say: Vec<String>,
    /// What others should perhaps not read of what was said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Writes down a new record on `day`, with its impression and links; in place of an older one, if that is said.
///
/// # Errors
/// When there is no memory; when it holds what must not be shared, says nothing, or has the name of another.
pub fn remember<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    new: &NewRecord,
    day: &str,
) -> Result<Remembered, MemoryError> {
    let scope = scope_of(memory)?;
    let kind = new.kind.unwrap_or(RecordKind::Decision);
    refuse(new)?;
    if kind == RecordKind::Event {
        return event(memory, draft, new, scope, day);
    }
    let mut ids = ids(memory);
    let id = match &new.id {
        Some(id) if ids.contains(id) => return Err(MemoryError::IdTaken(id.clone())),
        Some(id) => slug(id),
        None => free_id(&slug(&new.title), &mut ids),
    };
    let path = RepoPath::parse(&format!("{}/{id}.md", kind.folder()))
        .map_err(|error| MemoryError::Senseless(error.to_string()))?;
    if memory.files.has(&path) {
        return Err(MemoryError::IdTaken(id));
    }
    let old = match &new.supersedes {
        Some(name) => Some(replaceable(memory, known(memory, name)?, None)?),
        None => None,
    };
    let related: Vec<&Record> = new
        .related
        .iter()
        .map(|name| known(memory, name))
        .collect::<Result<_, _>>()?;
    let (text, to_say) = text_of(memory, new, kind, &id, &path, scope, day, &related, old);
    let keywords = keywords_of(new, &text_said(new));
    draft.put(path.clone(), text);
    let line = Cue {
        id: &id,
        scope,
        title: &new.title,
        path: &path,
        keywords: &keywords,
        aliases: &new.aliases,
        day,
    };
    line.append(draft);
    if let Some(old) = old {
        mark_superseded(memory, draft, old, &id, &id, day);
    }
    link(draft, day);
    Ok(Remembered {
        action: match (old.is_some(), kind) {
            (true, _) => "supersede_old_record",
            (_, RecordKind::OpenLoop) => "new_open_loop",
            (_, RecordKind::Context) => "new_context",
            _ => "new_decision",
        },
        id,
        file: path,
        keywords,
        to_say,
        warnings: warnings_of(new),
    })
}

/// Says more, or something else, in a record that is there: sections are replaced by their titles, or added.
///
/// # Errors
/// As [`remember`], and when there is no such record.
pub fn update<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    name: &str,
    new: &NewRecord,
    day: &str,
) -> Result<Remembered, MemoryError> {
    let scope = scope_of(memory)?;
    refuse_text(&new.sections, &new.title)?;
    let record = known(memory, name)?;
    for (title, says) in &new.sections {
        let is_field = record
            .front
            .as_ref()
            .is_some_and(|front| front.field(title).is_some());
        if is_field {
            draft.set_field(&record.path, title, says);
        } else {
            draft.set_section(&record.path, title, says);
        }
    }
    if !new.title.is_empty() {
        draft.set_field(&record.path, "title", &new.title);
    }
    draft.set_field(&record.path, "updated", day);
    let file = lines_file()?;
    let routes: BTreeSet<&str> = memory
        .impressions_of(&record.path)
        .map(|one| one.id.as_str())
        .collect();
    let mut keywords = Vec::new();
    for line in memory
        .impression_lines
        .lines
        .iter()
        .filter(|line| line.text("id").is_some_and(|id| routes.contains(id)))
    {
        draft.set_on_line(&file, line, "updated", json!(day));
        if !new.title.is_empty() {
            draft.set_on_line(&file, line, "title", json!(new.title));
        }
        keywords = line.texts("keywords");
        if !new.keywords.is_empty() {
            keywords = new.keywords.clone();
            draft.set_on_line(&file, line, "keywords", json!(keywords));
        }
        if !new.aliases.is_empty() {
            draft.set_on_line(&file, line, "aliases", json!(new.aliases));
        }
    }
    let is_summary = record.kind == RecordKind::Summary;
    if routes.is_empty() && record.kind.is_recalled() {
        let title = if new.title.is_empty() {
            record.title()
        } else {
            &new.title
        };
        keywords = keywords_of(new, &format!("{title}\n{}", record.source.text()));
        let id = free_id(record.id().unwrap_or(name), &mut impression_ids(memory));
        let cue = Cue {
            id: &id,
            scope,
            title,
            path: &record.path,
            keywords: &keywords,
            aliases: &new.aliases,
            day,
        };
        cue.append(draft);
    }
    Ok(Remembered {
        action: if is_summary {
            "update_summary"
        } else {
            "update_existing"
        },
        id: record.id().unwrap_or(name).to_owned(),
        file: record.path.clone(),
        keywords,
        to_say: Vec::new(),
        warnings: warnings_of(new),
    })
}

/// Says that `newer` takes the place of `old`: on both sides, in the impressions, the index and the summary.
///
/// # Errors
/// When one of them is not there, they are the same, or one would replace itself in the end.
pub fn supersede<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    old: &str,
    newer: &str,
    day: &str,
) -> Result<Remembered, MemoryError> {
    scope_of(memory)?;
    let (old, newer) = (known(memory, old)?, known(memory, newer)?);
    let mut at = Some(newer);
    for _ in 0..memory.records.len().saturating_add(1) {
        let Some(record) = at else {
            break;
        };
        if record.path == old.path {
            let names = (
                old.id().unwrap_or(old.path.as_str()),
                newer.id().unwrap_or(newer.path.as_str()),
            );
            return Err(MemoryError::Circle(names.0.to_owned(), names.1.to_owned()));
        }
        at = record
            .text("superseded_by")
            .and_then(|name| crate::check::meant(memory, record, name));
    }
    replaceable(memory, old, Some(newer))?;
    let id = newer.id().unwrap_or(newer.path.as_str()).to_owned();
    let cue = memory
        .impressions_of(&newer.path)
        .next()
        .map(|one| one.id.clone());
    mark_superseded(memory, draft, old, &id, cue.as_deref().unwrap_or(&id), day);
    let old_name = old.id().unwrap_or(old.path.as_str()).to_owned();
    draft.add_to_field(&newer.path, "supersedes", &old_name);
    draft.set_field(&newer.path, "updated", day);
    link(draft, day);
    Ok(Remembered {
        action: "supersede_old_record",
        id,
        file: newer.path.clone(),
        keywords: Vec::new(),
        to_say: Vec::new(),
        warnings: Vec::new(),
    })
}

/// `old`, if no other record than `newer` has its place.
fn replaceable<'a>(
    memory: &Memory,
    old: &'a Record,
    newer: Option<&Record>,
) -> Result<&'a Record, MemoryError> {
    let by = old.text("superseded_by");
    let by = by.and_then(|name| crate::check::meant(memory, old, name));
    match by {
        Some(by) if by.path != old.path && newer.is_none_or(|newer| newer.path != by.path) => {
            let name = |record: &Record| record.id().unwrap_or(record.path.as_str()).to_owned();
            Err(MemoryError::Superseded {
                old: name(old),
                by: name(by),
            })
        }
        _ => Ok(old),
    }
}

/// The scope of a memory that can be written to.
fn scope_of(memory: &Memory) -> Result<&str, MemoryError> {
    if !memory.is_there() {
        return Err(MemoryError::NotInitialized);
    }
    memory.scope().ok_or(MemoryError::NoScope)
}

fn known<'a>(memory: &'a Memory, name: &str) -> Result<&'a Record, MemoryError> {
    memory.find(name).ok_or_else(|| {
        let ids = memory.records.values().filter_map(Record::id);
        MemoryError::NoSuchRecord {
            name: name.to_owned(),
            similar: windlass_base::did_you_mean(name, ids).map(str::to_owned),
        }
    })
}

fn ids(memory: &Memory) -> BTreeSet<String> {
    let records = memory
        .records
        .values()
        .filter_map(Record::id)
        .map(str::to_owned);
    records.chain(impression_ids(memory)).collect()
}

fn impression_ids(memory: &Memory) -> BTreeSet<String> {
    memory
        .impressions
        .iter()
        .map(|one| one.id.clone())
        .collect()
}

fn lines_file() -> Result<RepoPath, MemoryError> {
    RepoPath::parse(IMPRESSIONS).map_err(|error| MemoryError::Senseless(error.to_string()))
}

/// A name for a file: small letters and digits with hyphens between words.
fn slug(title: &str) -> String {
    let mut slug = crate::project_id_of(title);
    if slug.len() > 60 {
        let end = (0..=60)
            .rev()
            .find(|at| slug.is_char_boundary(*at))
            .unwrap_or(0);
        slug.truncate(end);
        if let Some(at) = slug.rfind('-').filter(|at| *at > 20) {
            slug.truncate(at);
        }
    }
    slug
}

fn text_said(new: &NewRecord) -> String {
    new.sections
        .iter()
        .map(|(_, says)| says.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

fn keywords_of(new: &NewRecord, text: &str) -> Vec<String> {
    let mut keywords: Vec<String> = Vec::new();
    let suggested = match new.keywords.is_empty() {
        true => suggest_keywords(&new.title, text),
        false => new.keywords.clone(),
    };
    for word in suggested {
        let word = word.trim().to_owned();
        if !word.is_empty() && !keywords.iter().any(|one| one.eq_ignore_ascii_case(&word)) {
            keywords.push(word);
        }
    }
    keywords.truncate(MOST);
    if keywords.is_empty() {
        keywords.push(new.title.trim().to_lowercase());
    }
    keywords
}

/// An event goes into the file of its month, as a line of a list.
fn event<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    new: &NewRecord,
    scope: &str,
    day: &str,
) -> Result<Remembered, MemoryError> {
    let day = day_of(day);
    let month = day.get(..7).unwrap_or(day);
    let path = RepoPath::parse(&format!("memory/events/{month}.md"))
        .map_err(|error| MemoryError::Senseless(error.to_string()))?;
    let says = text_said(new);
    let says = says.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = new.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let item = match says.is_empty() {
        true => format!("- {title}"),
        false => format!("- {title}: {says}"),
    };
    let id = format!("events-{month}");
    let keywords = keywords_of(new, &says);
    if !memory.files.has(&path) {
        draft.put(path.clone(), format!("---\nid: {id}\ntitle: Events of {month}\nstatus: active\nscope: {scope}\nupdated: {day}\n---\n\n# Events of {month}\n"));
        Cue {
            id: &id,
            scope,
            title: &format!("Events of {month}"),
            path: &path,
            keywords: &keywords,
            aliases: &new.aliases,
            day,
        }
        .append(draft);
    } else {
        draft.set_field(&path, "updated", day);
        let file = lines_file()?;
        for line in memory
            .impression_lines
            .lines
            .iter()
            .filter(|line| line.text("id") == Some(&id))
        {
            // The words of the latest events lead there.
            let mut words = keywords.clone();
            words.extend(
                line.texts("keywords")
                    .into_iter()
                    .filter(|word| !keywords.contains(word)),
            );
            words.truncate(MOST);
            draft.set_on_line(&file, line, "keywords", json!(words));
            draft.set_on_line(&file, line, "updated", json!(day));
        }
    }
    draft.add_to_section(&path, &[day], &[item]);
    Ok(Remembered {
        action: "event_only",
        id,
        file: path,
        keywords,
        to_say: Vec::new(),
        warnings: warnings_of(new),
    })
}

/// A line that leads to a record.
struct Cue<'a> {
    id: &'a str,
    scope: &'a str,
    title: &'a str,
    path: &'a RepoPath,
    keywords: &'a [String],
    aliases: &'a [String],
    day: &'a str,
}

impl Cue<'_> {
    fn append(&self, draft: &mut Draft<'_>) {
        let line = json!({
            "schema_version": 1, "id": self.id, "scope": self.scope, "title": self.title.trim(), "keywords": self.keywords,
            "record_path": self.path, "updated": self.day, "status": "active",
        });
        if let (Value::Object(mut line), Ok(file)) = (line, lines_file()) {
            if !self.aliases.is_empty() {
                line.insert("aliases".to_owned(), json!(self.aliases));
            }
            draft.append_line(&file, Map::from_iter(line));
        }
    }
}

fn mark_superseded<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    old: &Record,
    newer: &str,
    newer_cue: &str,
    day: &str,
) {
    draft.set_field(&old.path, "status", Status::Superseded.as_str());
    draft.set_field(&old.path, "superseded_by", newer);
    draft.set_field(&old.path, "updated", day);
    let Ok(file) = lines_file() else {
        return;
    };
    let routes: BTreeSet<&str> = memory
        .impressions_of(&old.path)
        .map(|one| one.id.as_str())
        .collect();
    for line in memory.impression_lines.lines.iter().filter(|line| {
        line.text("id")
            .is_some_and(|id| routes.contains(id) && id != newer_cue)
    }) {
        draft.set_on_line(&file, line, "status", json!(Status::Superseded.as_str()));
        draft.set_on_line(&file, line, "superseded_by", json!(newer_cue));
    }
}

/// Brings the index and the summary in step with what is in the draft.
fn link(draft: &mut Draft<'_>, day: &str) {
    let after = draft.as_memory();
    for record in [after.index(), after.summary()].into_iter().flatten() {
        let mut inner = Draft::new(&after);
        if link_all(&after, &mut inner, record) {
            inner.set_field(&record.path, "updated", day);
            if let Some(text) = inner.text(&record.path) {
                draft.put(record.path.clone(), text.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests;
