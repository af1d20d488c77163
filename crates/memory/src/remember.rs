//! Operations that write to a memory: they add, update and supersede records.
//!
//! All of them refuse content that the check would report as an error, so a valid memory stays
//! valid. Content that only deserves a warning is written, and the caller gets the warning.

mod cue;
mod event_entry;
mod record_text;
mod refused;
mod replaced;
mod said_aside;
mod said_sections;
mod supersede;
mod warnings;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;
use windlass_base::{RepoPath, one_line};

use crate::draft::Draft;
use crate::error::MemoryError;
use crate::fix::free_id;
use crate::index_file::link_all;
use crate::markdown::{goes_by, is_same_heading};
use crate::records::copied::{copied_title, file_stem, is_secret};
use crate::records::keywords::{MAX_KEYWORDS, suggest_keywords};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::records::record_body::NOT_SAID;
use crate::state::memory::Memory;

use self::cue::{Cue, keywords_of, lines_file};
use self::event_entry::event;
use self::record_text::{SHORT, text_of};
use self::refused::{refuse, refuse_aside, refuse_empty_sections, refuse_empty_text, refuse_said};
pub(crate) use self::refused::{secretless, secretless_on_line};
pub use self::replaced::Replaced;
use self::replaced::{MainText, main_text, replaced};
use self::said_aside::{field_of, refuse_no_day};
pub(crate) use self::supersede::supersede;
use self::supersede::{mark_superseded, replaceable};
use self::warnings::{not_holding, of_one_name, stale_title, unfinished, warnings_of};

/// Fields that identify a record or relate it to others. Other commands manage them, so they can't
/// be set as a section.
const OWN_FIELDS: [&str; 8] = [
    "id",
    "title",
    "status",
    "scope",
    "updated",
    "supersedes",
    "superseded_by",
    "schema_version",
];

/// The content of a new record, or of an update.
#[derive(Debug, Clone, Default)]
pub struct NewRecord {
    /// Decision, open loop, context or event. Defaults to a decision.
    pub kind: Option<RecordKind>,
    /// The title. In an update, an empty one keeps the title as it is.
    pub title: String,
    /// The ID, or `None` to derive one from the title.
    pub id: Option<String>,
    /// The text for the [main part](RecordKind::main_part).
    pub text: Option<String>,
    /// Sections by title, or fields by name. If a new record lacks a required part, we write a
    /// placeholder for it.
    pub sections: Vec<(String, String)>,
    /// Keywords for the impression. Without any, we suggest some from the text.
    pub keywords: Vec<String>,
    /// Other names of the record.
    pub aliases: Vec<String>,
    /// The IDs or paths of related records.
    pub related: Vec<String>,
    /// ID or path of the record to supersede.
    pub supersedes: Option<String>,
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Remembered {
    /// The operation, such as `new_decision`.
    pub action: &'static str,
    /// Id of the record.
    pub id: String,
    /// Path of the record.
    pub file: RepoPath,
    /// The impression's keywords.
    pub keywords: Vec<String>,
    /// Parts whose text was replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Replaced>,
    /// Parts that still hold a placeholder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_say: Vec<String>,
    /// Warnings about the content or the state of the memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Writes a new record along with its impression and links. If `supersedes` names a record, we also
/// mark that one as superseded.
///
/// # Errors
/// Returns an error if there's no memory, if the ID is taken, or if an active record has the same
/// content. Also refuses content that's empty, too long or unfit to share.
pub(crate) fn remember<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    new: &NewRecord,
    day: &str,
) -> Result<Remembered, MemoryError> {
    let scope = scope_of(memory)?;
    let kind = new.kind.unwrap_or(RecordKind::Decision);
    refuse_empty_text(new)?;
    let all = &new.with_text_in(kind);
    refuse(all)?;
    let (new, fields) = new.with_fields_apart(kind)?;
    let new = &new.with_text_in(kind);
    if kind == RecordKind::Event {
        refuse_aside(new, "an event")?;
        return event(memory, draft, new, scope, day);
    }
    let mut ids = ids(memory);
    let id = match &new.id {
        Some(id) => match slug(id) {
            near if ids.contains(&near) => return Err(MemoryError::IdTaken(near)),
            // `slug` has changed the ID, e.g. to lower case. We could just store the result, but
            // then the author wouldn't find the record under the ID they chose.
            near if near != windlass_search::composed(id.trim()) => {
                return Err(MemoryError::OddId {
                    id: id.clone(),
                    near,
                });
            }
            near => near,
        },
        None => {
            // Without an explicit ID, running the same command again would create a second record
            // with a slightly different ID. So refuse what's already there, unless the caller asks
            // for another ID.
            said_already(memory, new, kind)?;
            free_id(&slug(&new.title), &mut ids)
        }
    };
    let path = RepoPath::parse(&format!("{}/{id}.md", kind.folder()))
        .map_err(|error| MemoryError::Senseless(error.to_string()))?;
    // A file may exist at this path without having the ID, since the ID is in the frontmatter.
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
    let (text, to_say) = text_of(
        memory, new, &fields, kind, &id, &path, scope, day, &related, old,
    );
    let keywords = keywords_of(new, &text_said(all));
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
        replaced: Vec::new(),
        to_say,
        warnings: warnings_of(new)
            .into_iter()
            .chain(new.said_twice())
            .chain(unfinished(memory))
            .collect(),
    })
}

fn said_already(memory: &Memory, new: &NewRecord, kind: RecordKind) -> Result<(), MemoryError> {
    let (title, names) = (one_line(&new.title), kind.main_part());
    let mut sections = new.sections.iter();
    let says = sections.find(|(name, _)| goes_by(name, names));
    let says = says.map_or(NOT_SAID.to_owned(), |(_, says)| one_line(says));
    let mut same = memory.records.values().filter(|record| {
        record.kind == kind
            && record.status() == Status::Active
            && one_line(record.title()) == title
    });
    let same = same.find(|record| {
        let text = record.source().text();
        let own = record.body().part(names);
        own.is_some_and(|own| one_line(&text[record.body().own_range(own)]) == says)
    });
    match same {
        Some(record) => Err(MemoryError::SaidAlready {
            id: record.id().unwrap_or(record.path.as_str()).to_owned(),
            file: record.path.to_string(),
        }),
        None => Ok(()),
    }
}

/// Updates an existing record's sections, fields, title or keywords. Missing sections are added.
///
/// # Errors
/// Returns an error if the record doesn't exist, and in the same cases as [`remember`].
pub(crate) fn update<'a>(
    memory: &'a Memory,
    draft: &mut Draft<'a>,
    name: &str,
    new: &NewRecord,
    day: &str,
) -> Result<Remembered, MemoryError> {
    let scope = scope_of(memory)?;
    refuse_empty_text(new)?;
    let said = new;
    let new = &new.with_sections_apart();
    refuse_empty_sections(new)?;
    refuse_said(new)?;
    let title = one_line(&new.title);
    let record = known(memory, name)?;
    refuse_aside(new, "an existing record")?;
    if record.is_unmerged() {
        return Err(MemoryError::ConflictMarks { what: "record" });
    }
    let twice = new.said_twice();
    let new = &new.with_each_section_once(main_text(record).0);
    let mut former = Vec::new();
    if let Some(says) = &new.text {
        former.extend(set_main(draft, record, says));
    }
    for (title, says) in &new.sections {
        if let Some(field) = own_field(title) {
            return Err(MemoryError::OwnField(field));
        }
        let is_named = said.sections.iter().any(|(name, _)| name == title);
        if is_named && record.kind.is_routed() && record.body().section(&[title]).is_none() {
            refuse_no_day(title, says)?;
        }
        former.extend(set_part(draft, record, title, says, is_named));
    }
    if !new.title.is_empty() {
        retitle(memory, draft, record, &title);
    }
    draft.set_field(&record.path, "updated", day);
    let file = lines_file()?;
    let mut keywords = Vec::new();
    let mut is_routed = false;
    // Impressions repeat the record's title and date, so keep them in step.
    for line in memory.lines_to(&record.path) {
        is_routed = true;
        draft.set_on_line(&file, line, "updated", json!(day));
        if !new.title.is_empty() {
            draft.set_on_line(&file, line, "title", json!(title));
        }
        keywords = line.texts("keywords");
        if !new.keywords.is_empty() {
            keywords = keywords_of(new, "");
            draft.set_on_line(&file, line, "keywords", json!(keywords));
        } else if add_keywords(&mut keywords, new) {
            draft.set_on_line(&file, line, "keywords", json!(keywords));
        }
        if !new.aliases.is_empty() {
            draft.set_on_line(&file, line, "aliases", json!(new.aliases));
        }
    }
    let is_summary = record.kind == RecordKind::Summary;
    // The record has no impression yet, so add one. We leave out records with the scope of another
    // project, because their impressions would only cause a finding about mixed scopes.
    let is_own = record.text("scope").is_none_or(|own| own == scope);
    if !is_routed && is_own && record.kind.is_recalled() {
        let title = match title.is_empty() {
            true => &copied_title(record),
            false => &title,
        };
        keywords = keywords_of(
            new,
            &format!("{title}\n{}\n{}", record.body().own_words(), text_said(new)),
        );
        let name = record.id().unwrap_or(name);
        // An ID with a secret must not spread to the impressions.
        let name = match is_secret(name) {
            true => file_stem(record),
            false => name,
        };
        let id = free_id(name, &mut impression_ids(memory));
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
        warnings: warnings_of(new)
            .into_iter()
            .chain(twice)
            .chain(of_one_name(record, new))
            .chain(stale_title(record, new, &former))
            .chain(not_holding(memory, record))
            .chain(unfinished(memory))
            .collect(),
        replaced: former,
        to_say: Vec::new(),
    })
}

fn set_main(draft: &mut Draft<'_>, record: &Record, says: &str) -> Option<Replaced> {
    match main_text(record) {
        (name, MainText::None) => set_part(draft, record, name, says, false),
        (_, MainText::Part(title)) => set_part(draft, record, title, says, false),
        (name, MainText::Lead(before)) => {
            draft.set_lead(&record.path, says);
            replaced(name, before, says)
        }
    }
}

fn own_field(name: &str) -> Option<&'static str> {
    let mut fields = OWN_FIELDS.into_iter();
    fields.find(|field| is_same_heading(field, name))
}

/// Replaces a field or a section of `record`, or adds one.
///
/// `is_named` is true if the caller named the part. Otherwise, `title` is a heading that we found
/// in the caller's text, which never becomes a new field.
fn set_part(
    draft: &mut Draft<'_>,
    record: &Record,
    title: &str,
    says: &str,
    is_named: bool,
) -> Option<Replaced> {
    let field = record.front().and_then(|front| front.field(title));
    if let Some(field) = field {
        let before = field.says();
        draft.set_field(&record.path, title, says);
        return replaced(title, &before, says);
    }
    let section = record.body().part(&[title]);
    let short = SHORT.iter().find(|name| is_same_heading(name, title));
    if let (None, Some(name), true) = (section, short, is_of_kind(record, title)) {
        // This part is a field in new records, so write a field here as well instead of a section.
        draft.set_field(&record.path, &name.to_lowercase(), says);
        return None;
    }
    let aside = field_of(record.kind, title, says).filter(|_| is_named && record.front().is_some());
    if let (None, Some(name)) = (section, aside) {
        draft.set_field(&record.path, name, says.trim());
        return None;
    }
    let before = section.map_or("", |section| {
        &record.source().text()[record.body().own_range(section)]
    });
    draft.set_section(&record.path, title, says);
    replaced(title, before, says)
}

fn is_of_kind(record: &Record, title: &str) -> bool {
    let mut names = record.kind.parts().iter().flat_map(|names| names.iter());
    record.front().is_some() && names.any(|name| is_same_heading(name, title))
}

/// Adds suggested keywords from the new text. Returns true if there were any that `keywords`
/// lacked.
fn add_keywords(keywords: &mut Vec<String>, new: &NewRecord) -> bool {
    let said = text_said(new);
    let before = keywords.len();
    for word in suggest_keywords(&new.title, &said) {
        let is_known = keywords.iter().any(|one| one.eq_ignore_ascii_case(&word));
        if !is_known && keywords.len() < MAX_KEYWORDS {
            keywords.push(word);
        }
    }
    keywords.len() > before
}

fn scope_of(memory: &Memory) -> Result<&str, MemoryError> {
    if !memory.is_there() {
        return Err(MemoryError::NotInitialized);
    }
    memory.scope().ok_or(MemoryError::NoScope)
}

/// Changes the title everywhere: in the frontmatter, in the heading, and in the links of the index
/// and the summary.
fn retitle<'a>(memory: &'a Memory, draft: &mut Draft<'a>, record: &Record, title: &str) {
    let old = record.title().to_owned();
    draft.set_field(&record.path, "title", title);
    draft.set_heading(&record.path, &old, title);
    // Links show the title without its secrets, if there are any, so look for both forms.
    let copied = copied_title(record);
    for list in [memory.index(), memory.summary()].into_iter().flatten() {
        draft.set_link_text(&list.path, &record.path, &old, title);
        if copied != old {
            draft.set_link_text(&list.path, &record.path, &copied, title);
        }
    }
}

/// Looks up a record by its ID or path. An ID that two records share is refused.
fn known<'a>(memory: &'a Memory, name: &str) -> Result<&'a Record, MemoryError> {
    let mut of_id = memory.records.values().filter(|one| one.id() == Some(name));
    if let (Some(first), Some(second)) = (of_id.next(), of_id.next()) {
        return Err(MemoryError::SameId {
            name: name.to_owned(),
            first: first.path.to_string(),
            second: second.path.to_string(),
        });
    }
    memory.find(name).ok_or_else(|| {
        if let Some((path, why)) = memory.unreadable_record(name) {
            return MemoryError::UnreadableRecord {
                file: path.to_string(),
                why,
            };
        }
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

/// Turns a title into a file name, e.g. `one-store-owns-the-settings`. We cut long titles,
/// preferably between words.
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
    // Windows reserves these file names.
    let is_port = |name: &str| {
        let number = name.strip_prefix("com").or(name.strip_prefix("lpt"));
        number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    };
    if ["con", "prn", "aux", "nul"].contains(&slug.as_str()) || is_port(&slug) {
        slug.push_str("-record");
    }
    slug
}

fn text_said(new: &NewRecord) -> String {
    let sections = new.sections.iter().map(|(_, says)| says);
    new.text
        .iter()
        .chain(sections)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Updates the index and the summary for the records in the draft.
fn link(draft: &mut Draft<'_>, day: &str) {
    let after = draft.as_memory();
    let lists = [after.index(), after.summary()].into_iter().flatten();
    for record in lists {
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
