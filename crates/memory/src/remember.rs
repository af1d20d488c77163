//! The eight ways in which something is written down: skip, event only, update what is there, a new decision, a new open loop,
//! the summary, in place of an older record, and feedback. Each leaves a memory in which nothing is wrong that was right before.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_base::RepoPath;
use windlass_repo::redact_text;

use crate::date::day_of;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::fix::free_id;
use crate::front_matter::{is_same_name, scalar};
use crate::index::link_all;
use crate::keywords::{MOST, suggest_keywords};
use crate::kind::{RecordKind, Status};
use crate::layout::IMPRESSIONS;
use crate::memory::Memory;
use crate::record::Record;

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
}

/// Sections that may be said in a field.
const SHORT: [&str; 3] = ["Date", "Owner", "Opened"];
/// What stands in a section that nobody filled in.
const NOT_SAID: &str = "Not said yet.";
/// The longest title, in characters.
const MAX_TITLE: usize = 160;
/// The longest text of a record, in characters.
const MAX_TEXT: usize = 20_000;

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
        Some(name) => Some(known(memory, name)?),
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
    })
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

/// What must not be written down.
fn refuse(new: &NewRecord) -> Result<(), MemoryError> {
    if new.title.trim().is_empty() {
        return Err(MemoryError::NoTitle);
    }
    refuse_text(&new.sections, &new.title)?;
    let words = new
        .keywords
        .iter()
        .chain(&new.aliases)
        .chain(&new.related)
        .chain(&new.id);
    words
        .into_iter()
        .try_for_each(|word| secretless("words", word))
}

fn refuse_text(sections: &[(String, String)], title: &str) -> Result<(), MemoryError> {
    if title.chars().count() > MAX_TITLE {
        return Err(MemoryError::TooLong {
            what: "title",
            most: MAX_TITLE,
        });
    }
    secretless("title", title)?;
    for (name, says) in sections {
        if says.chars().count() > MAX_TEXT {
            return Err(MemoryError::TooLong {
                what: "text",
                most: MAX_TEXT,
            });
        }
        secretless("text", says)?;
        secretless("text", &format!("{name}: {says}"))?;
    }
    Ok(())
}

pub(crate) fn secretless(what: &'static str, text: &str) -> Result<(), MemoryError> {
    match redact_text(text).1.first() {
        None => Ok(()),
        Some(found) => Err(MemoryError::Secret {
            what,
            rule: found.rule.clone(),
        }),
    }
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

#[expect(clippy::too_many_arguments, reason = "all that a record says")]
fn text_of(
    memory: &Memory,
    new: &NewRecord,
    kind: RecordKind,
    id: &str,
    path: &RepoPath,
    scope: &str,
    day: &str,
    related: &[&Record],
    old: Option<&Record>,
) -> (String, Vec<String>) {
    let said = |names: &[&str]| {
        let section = new
            .sections
            .iter()
            .find(|(name, _)| names.iter().any(|one| is_same_name(one, name)));
        section
            .map(|(_, says)| says.trim().to_owned())
            .filter(|says| !says.is_empty())
    };
    let title = new.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut front = vec![
        ("id", id.to_owned()),
        ("title", title.clone()),
        ("status", "active".to_owned()),
        ("scope", scope.to_owned()),
        ("updated", day.to_owned()),
    ];
    let (mut body, mut to_say) = (String::new(), Vec::new());
    for names in kind.parts() {
        let name = names[0];
        let says = match (said(names), name) {
            (Some(says), _) => says,
            (None, "Date" | "Opened") => day_of(day).to_owned(),
            (None, "Related records") => related_list(memory, path, related, old),
            (None, _) => {
                to_say.push(name.to_owned());
                if name == "Owner" {
                    "nobody yet".to_owned()
                } else {
                    NOT_SAID.to_owned()
                }
            }
        };
        match SHORT.contains(&name) {
            true => front.push((
                match name {
                    "Date" => "date",
                    "Owner" => "owner",
                    _ => "opened",
                },
                says,
            )),
            false => body.push_str(&format!("\n## {name}\n\n{says}\n")),
        }
    }
    if let Some(old) = old {
        front.push((
            "supersedes",
            old.id().unwrap_or(old.path.as_str()).to_owned(),
        ));
    }
    for (name, says) in &new.sections {
        let is_part = kind
            .parts()
            .iter()
            .any(|names| names.iter().any(|one| is_same_name(one, name)));
        if !is_part && !says.trim().is_empty() {
            body.push_str(&format!("\n## {}\n\n{}\n", name.trim(), says.trim()));
        }
    }
    let front: String = front
        .iter()
        .map(|(key, value)| format!("{key}: {}\n", scalar(value)))
        .collect();
    (format!("---\n{front}---\n\n# {title}\n{body}"), to_say)
}

/// Links to what it belongs to, and to the summary in any case.
fn related_list(
    memory: &Memory,
    from: &RepoPath,
    related: &[&Record],
    old: Option<&Record>,
) -> String {
    let summary = memory
        .summary()
        .filter(|_| related.is_empty() && old.is_none());
    let all = related.iter().copied().chain(old).chain(summary);
    let items: Vec<String> = all.map(|one| crate::index::item(from, one)).collect();
    match items.is_empty() {
        true => "None.".to_owned(),
        false => items.join("\n"),
    }
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
mod tests {
    use super::*;
    use crate::check;
    use crate::testing::Sample;

    const DAY: &str = "2026-03-01";

    /// The sample after `work`, in which nothing may be wrong.
    fn after(
        sample: &Sample,
        work: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<Remembered, MemoryError>,
    ) -> (Sample, Remembered) {
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let remembered = work(&memory, &mut draft).unwrap();
        let mut sample = sample.clone();
        for change in draft.changes() {
            sample.0.insert(change.path.to_string(), change.text);
        }
        let found = check(&sample.memory());
        assert!(found.is_empty(), "{found}");
        (sample, remembered)
    }

    fn new(kind: RecordKind, title: &str) -> NewRecord {
        NewRecord {
            kind: Some(kind),
            title: title.to_owned(),
            ..NewRecord::default()
        }
    }

    #[test]
    fn whatever_is_written_down_leaves_a_memory_with_nothing_wrong() {
        let mut sample = Sample::new();
        for (kind, title, action) in [
            (
                RecordKind::Decision,
                "Cache: evict the least recently used pages",
                "new_decision",
            ),
            (
                RecordKind::OpenLoop,
                "Measure the eviction under load",
                "new_open_loop",
            ),
            (
                RecordKind::Context,
                "Terminology of the pager subsystem",
                "new_context",
            ),
            (
                RecordKind::Event,
                "Shipped the pager prototype",
                "event_only",
            ),
            (
                RecordKind::Event,
                "Demoed the pager prototype",
                "event_only",
            ),
        ] {
            let record = NewRecord {
                sections: vec![(
                    "Decision".to_owned(),
                    "PageCache evicts by recency; see `page_cache.rs`.".to_owned(),
                )],
                ..new(kind, title)
            };
            let (next, remembered) = after(&sample, |memory, draft| {
                remember(memory, draft, &record, DAY)
            });
            assert_eq!(remembered.action, action);
            assert!(
                next.0.contains_key(remembered.file.as_str()),
                "{remembered:?}"
            );
            sample = next;
        }
        let index = &sample.0["memory/index.md"];
        assert!(
            index.contains(
                "- [Measure the eviction under load](open-loops/measure-the-eviction-under-load.md)"
            ),
            "{index}"
        );
        let events = &sample.0["memory/events/2026-03.md"];
        assert!(
            events.contains("## 2026-03-01\n\n- Shipped the pager prototype: ")
                && events.contains("\n- Demoed"),
            "{events}"
        );
        // The same title again is another record.
        let (_, twin) = after(&sample, |memory, draft| {
            remember(
                memory,
                draft,
                &NewRecord {
                    keywords: vec!["pages".into(), "twin".into(), "again".into()],
                    ..new(
                        RecordKind::Decision,
                        "Cache: evict the least recently used pages",
                    )
                },
                DAY,
            )
        });
        assert_eq!(twin.id, "cache-evict-the-least-recently-used-pages-2");
    }

    #[test]
    fn a_newer_record_takes_the_place_of_an_older_one_on_all_sides() {
        let record = NewRecord {
            supersedes: Some("settings-store".to_owned()),
            ..new(RecordKind::Decision, "Settings live in the cloud")
        };
        let (sample, remembered) = after(&Sample::new(), |memory, draft| {
            remember(memory, draft, &record, DAY)
        });
        assert_eq!(remembered.action, "supersede_old_record");
        let old = &sample.0["memory/decisions/settings-store.md"];
        assert!(
            old.contains("status: superseded")
                && old.contains("superseded_by: settings-live-in-the-cloud")
        );
        let index = &sample.0["memory/index.md"];
        assert!(index.contains("- [One store owns the settings](decisions/settings-store.md), superseded by [Settings live in the cloud]"), "{index}");
        assert!(!sample.0["memory/summary.md"].contains("settings-store.md"));
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let circle = supersede(
            &memory,
            &mut draft,
            "settings-live-in-the-cloud",
            "settings-store",
            DAY,
        )
        .unwrap_err();
        assert!(matches!(circle, MemoryError::Circle(..)), "{circle}");
        let (sample, _) = after(&sample, |memory, draft| {
            let newer = new(RecordKind::OpenLoop, "Settings refactor, second part");
            remember(memory, draft, &newer, DAY)
        });
        let (sample, _) = after(&sample, |memory, draft| {
            supersede(
                memory,
                draft,
                "settings-refactor",
                "settings-refactor-second-part",
                DAY,
            )
        });
        assert!(
            sample.0["memory/open-loops/settings-refactor-second-part.md"]
                .contains("supersedes: settings-refactor\n")
        );
    }

    #[test]
    fn an_update_changes_what_is_said_and_keeps_the_rest() {
        let sample = Sample::new().with(
            "memory/decisions/settings-store.md",
            "date: 2026-02-01\n",
            "date: 2026-02-01\nodd: [1, 2]\n",
        );
        let change = NewRecord {
            sections: vec![
                ("rationale".to_owned(), "Two writers raced.".to_owned()),
                ("Review".to_owned(), "In May.".to_owned()),
            ],
            ..NewRecord::default()
        };
        let (sample, remembered) = after(&sample, |memory, draft| {
            update(memory, draft, "settings-store", &change, DAY)
        });
        assert_eq!(remembered.action, "update_existing");
        let text = &sample.0["memory/decisions/settings-store.md"];
        for part in [
            "odd: [1, 2]",
            "updated: 2026-03-01",
            "## Rationale\n\nTwo writers raced.\n\n## Consequences",
            "## Review\n\nIn May.\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (sample, remembered) = after(&sample, |memory, draft| {
            let change = NewRecord {
                sections: vec![("Current objective".to_owned(), "Ship it.".to_owned())],
                ..NewRecord::default()
            };
            update(memory, draft, "summary", &change, DAY)
        });
        assert_eq!(remembered.action, "update_summary");
        assert!(
            sample.0["memory/summary.md"].contains("## Current objective\n\nShip it.\n\n## Key")
        );
    }

    #[test]
    fn secrets_and_names_that_are_taken_are_refused() {
        let memory = Sample::new().memory();
        let try_it = |record: &NewRecord| {
            remember(&memory, &mut Draft::new(&memory), record, DAY).unwrap_err()
        };
        let secret = NewRecord {
            sections: vec![(
                "Decision".to_owned(),
                "Use ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R for now".to_owned(),
            )],
            ..new(RecordKind::Decision, "Token")
        };
        assert!(matches!(
            try_it(&secret),
            MemoryError::Secret { what: "text", .. }
        ));
        let taken = NewRecord {
            id: Some("settings-store".to_owned()),
            ..new(RecordKind::Decision, "x")
        };
        assert_eq!(
            try_it(&taken),
            MemoryError::IdTaken("settings-store".to_owned())
        );
        assert_eq!(
            try_it(&new(RecordKind::Decision, "  ")),
            MemoryError::NoTitle
        );
        let unknown = NewRecord {
            related: vec!["settings-stor".to_owned()],
            ..new(RecordKind::Decision, "x")
        };
        assert!(
            try_it(&unknown)
                .to_string()
                .contains("did you mean `settings-store`")
        );
    }
}
