//! Records events, i.e. short traces of work, in one file per month.

use serde_json::json;
use windlass_base::{RepoPath, one_line};

use super::cue::{Cue, keywords_of, lines_file};
use super::warnings::{unfinished, warnings_of};
use super::{NewRecord, Remembered, impression_ids, text_said};
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::fix::free_id;
use crate::records::entries::MAX_ENTRY;
use crate::records::keywords::MAX_KEYWORDS;
use crate::state::memory::Memory;
use crate::texts::day::day_of;
use crate::texts::front_matter::new_front_matter;

/// Adds an event to its month's file, as a list item below its day.
pub(super) fn event<'a>(
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
    let says = one_line(&says);
    let done = one_line(&new.title);
    let item = match says.is_empty() {
        true => format!("- {done}"),
        false => format!("- {done}: {says}"),
    };
    let long = (item.chars().count() > MAX_ENTRY).then(|| {
        format!("the event has more than {MAX_ENTRY} characters; record anything reusable as a decision, an open loop or context")
    });
    let id = format!("events-{month}");
    let keywords = keywords_of(new, &says);
    let title = format!("Events of {month}");
    if memory.files.has(&path) {
        draft.set_field(&path, "updated", day);
    } else {
        let front = new_front_matter(&[
            ("id", &id),
            ("title", &title),
            ("status", "active"),
            ("scope", scope),
            ("updated", day),
        ]);
        draft.put(path.clone(), format!("{front}\n# {title}\n"));
    }
    if memory.impressions_of(&path).next().is_none() {
        let cue = free_id(&id, &mut impression_ids(memory));
        Cue {
            id: &cue,
            scope,
            title: &title,
            path: &path,
            keywords: &keywords,
            aliases: &new.aliases,
            day,
        }
        .append(draft);
    }
    let file = lines_file()?;
    for line in memory.lines_to(&path) {
        // The limit drops keywords at the end, so put the latest event's keywords first.
        let mut words = keywords.clone();
        words.extend(
            line.texts("keywords")
                .into_iter()
                .filter(|word| !keywords.contains(word)),
        );
        words.truncate(MAX_KEYWORDS);
        draft.set_on_line(&file, line, "keywords", json!(words));
        draft.set_on_line(&file, line, "updated", json!(day));
    }
    draft.add_to_section(&path, &[day], &[item]);
    Ok(Remembered {
        action: "event_only",
        id,
        file: path,
        keywords,
        replaced: Vec::new(),
        to_say: Vec::new(),
        warnings: warnings_of(new)
            .into_iter()
            .chain(long)
            .chain(unfinished(memory))
            .collect(),
    })
}
