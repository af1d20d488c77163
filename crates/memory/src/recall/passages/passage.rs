//! Splits a record into passages, and picks those that answer a question.
//!
//! A record can be much longer than what a caller wants to read. We show the passage that has most
//! of the question's words, or the section that the question names by its heading.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use windlass_search::sections;

use super::text_split::PASSAGES;
use crate::recall::question::{Query, QueryWord, each_term};
use crate::records::entries::entries_in;
use crate::records::kind::RecordKind;
use crate::records::record::Record;

/// A relevant part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The range in the text of the record.
    pub range: Range<usize>,
    /// Number of different words shared with the question.
    pub matched: usize,
    /// The heading of the section with the passage, or `None` if it's above the first heading.
    pub title: Option<String>,
    /// True if the section has text before the passage.
    pub begins_within: bool,
    /// True if the section has text after the passage.
    pub goes_on: bool,
}

/// The range of the best of all [`passages`], or of the whole body if none of them has a word of
/// the question.
#[must_use]
pub fn best_passage(record: &Record, query: &Query) -> Range<usize> {
    let best = passages(record, query).into_iter().next();
    best.filter(|best| best.matched > 0).map_or_else(
        || {
            let text = record.source().text();
            let from = record.body_start();
            let lead = text[from..].len() - text[from..].trim_start().len();
            from + lead..text.trim_end().len().max(from + lead)
        },
        |best| best.range,
    )
}

/// Splits a record into passages, and ranks them.
///
/// If the question asks for a heading, the passages below it come first. Otherwise, the number of
/// matched words decides, then the number of matched words in the heading, and then the position.
///
/// In a file of events, each event is a passage. Since recent events tend to be of more interest,
/// the latest one wins a tie.
#[must_use]
pub fn passages(record: &Record, query: &Query) -> Vec<Passage> {
    let is_event = record.kind == RecordKind::Event;
    let words: Vec<&str> = query.required().map(QueryWord::lookup_stem).collect();
    let headings = match is_event {
        true => BTreeMap::new(),
        false => heading_matches(record, &words),
    };
    let words: BTreeSet<&str> = words.into_iter().collect();
    let mut ranked: Vec<(HeadingMatch, Passage)> = Vec::new();
    for section in filled_sections(record) {
        let heading = headings.get(&section.start).copied().unwrap_or_default();
        let passages = section.passages(record, &words);
        ranked.extend(passages.map(|passage| (heading, passage)));
    }
    if is_event {
        // Events are appended, so the latest one is the last. The sort below is stable and keeps
        // this order among equals.
        ranked.reverse();
    }
    ranked.sort_by_key(|(heading, passage)| {
        Reverse((heading.is_asked, passage.matched, heading.words))
    });
    ranked.into_iter().map(|(_, passage)| passage).collect()
}

/// A section up to the next heading, or the text before the first heading.
struct SectionText<'a> {
    start: usize,
    text: &'a str,
    title: Option<&'a str>,
}

fn filled_sections(record: &Record) -> impl Iterator<Item = SectionText<'_>> {
    let text = record.source().text();
    let all = record.sections();
    let from = record.body_start();
    let first = all
        .first()
        .map_or(text.len(), |section| section.heading.start);
    let has_lead = !text[from..first.max(from)].trim().is_empty();
    let lead = has_lead.then_some((from, None));
    let headings = all
        .iter()
        .map(|section| (section.heading.start, Some(section.title.as_str())));
    let (starts, titles): (Vec<usize>, Vec<Option<&str>>) =
        lead.into_iter().chain(headings).unzip();
    let blank = record.body().blank_sections();
    let blank: BTreeSet<usize> = blank.map(|section| section.heading.start).collect();
    let ranges: Vec<Range<usize>> = sections(&starts, text.len()).collect();
    let texts = ranges.into_iter().zip(titles).map(|(range, title)| {
        let start = range.start;
        SectionText {
            start,
            text: text[range].trim_end(),
            title,
        }
    });
    texts.filter(move |section| {
        let lines = section.text.lines().filter(|line| !line.trim().is_empty());
        // Don't show a heading on its own. Its subsections have passages of their own.
        let is_heading = section.title.is_some() && lines.count() < 2;
        !section.text.is_empty() && !blank.contains(&section.start) && !is_heading
    })
}

impl SectionText<'_> {
    /// Splits the section into passages. `words` are the stems of the question.
    fn passages(&self, record: &Record, words: &BTreeSet<&str>) -> impl Iterator<Item = Passage> {
        let is_event = record.kind == RecordKind::Event;
        let ranges = match is_event {
            true => events_in(self.text),
            false => PASSAGES.ranges(self.text),
        };
        ranges.into_iter().map(move |range| {
            let own = self.text[range.clone()].trim_end();
            let mut stems: BTreeSet<String> = BTreeSet::new();
            each_term(own, |term| {
                stems.insert(term.stem().into_owned());
            });
            let start = self.start + range.start;
            Passage {
                range: start..start + own.len(),
                matched: words.iter().filter(|stem| stems.contains(**stem)).count(),
                title: self.title.map(str::to_owned),
                // An event is always shown as a whole.
                begins_within: range.start > 0 && !is_event,
                goes_on: range.end < self.text.len() && !is_event,
            }
        })
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct HeadingMatch {
    is_asked: Asked,
    /// The number of the question's words in the heading.
    words: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    #[default]
    No,
    /// The question asks for a section that encloses this one.
    Enclosing,
    /// The question asks for this very section.
    Own,
}

/// Compares all headings to the question. The result is by the start of the heading, and doesn't
/// include the title: all sections are below it, so it can't set any of them apart.
fn heading_matches(record: &Record, words: &[&str]) -> BTreeMap<usize, HeadingMatch> {
    let title = record.body().title();
    let mut matches = BTreeMap::new();
    // The ends of sections that the question asks for, and that we're still in.
    let mut enclosing: Vec<usize> = Vec::new();
    for section in record.sections() {
        let start = section.heading.start;
        enclosing.retain(|end| *end > start);
        if Some(section) == title {
            continue;
        }
        let heading = Query::of(&section.title);
        let heading: Vec<&str> = heading.required().map(QueryWord::lookup_stem).collect();
        let is_own = asks_for(words, &heading);
        let is_asked = match enclosing.is_empty() {
            _ if is_own => Asked::Own,
            false => Asked::Enclosing,
            true => Asked::No,
        };
        let words = heading.iter().filter(|word| words.contains(word)).count();
        matches.insert(start, HeadingMatch { is_asked, words });
        if is_own {
            enclosing.push(section.body.end);
        }
    }
    matches
}

/// True if the question asks for this heading: either they have the same words, or the heading has
/// at least two words and all of them appear in the question in a row. A single word isn't enough,
/// because "why is the build slow" doesn't ask for a section called "Build".
fn asks_for(words: &[&str], heading: &[&str]) -> bool {
    let is_same = heading.len() == words.len() && heading.iter().all(|word| words.contains(word));
    let in_row = || words.windows(heading.len()).any(|row| row == heading);
    match heading.len() {
        0 => false,
        1 => is_same,
        _ => is_same || in_row(),
    }
}

/// The ranges of the events in a section, without the headings above them.
fn events_in(text: &str) -> Vec<Range<usize>> {
    let entries = entries_in(text).into_iter();
    let events = entries.filter(|one| !text[one.range.clone()].starts_with('#'));
    events.map(|one| one.range).collect()
}

#[cfg(test)]
mod tests {
    use windlass_base::{RepoPath, Source};

    use super::*;

    const TEXT: &str = "---\nid: x\n---\n\n# Commands\n\n## Pipelines\n\nA command gives its return value to the next; values of a context, and its \
        defaults, are returned.\n\n## Command return values\n\nEach gives one.\n\n## Context\n\n### Defaults\n\nA map.\n\n### Of a group\n\nIt \
        passes on.\n";

    fn titles(question: &str) -> Vec<String> {
        let path = RepoPath::parse("memory/context/x.md").unwrap();
        let record = Record::of(&path, &Source::new(path.as_str(), TEXT)).unwrap();
        let parts = passages(&record, &Query::of(question)).into_iter();
        parts.filter_map(|part| part.title).collect()
    }

    #[test]
    fn section_with_asked_heading_comes_first() {
        for (question, first) in [
            ("Command Return Values", "Command return values"),
            (
                "what are the command return values of a pipeline",
                "Command return values",
            ),
            ("return values of a command", "Command return values"),
            ("defaults", "Defaults"),
            // Another section has more of these words, but the question asks for no heading.
            (
                "which value of the context is returned by a command",
                "Pipelines",
            ),
            ("in which pipelines are commands", "Pipelines"),
        ] {
            assert_eq!(titles(question)[0], first, "{question}");
        }
        // Sections below the requested heading come first.
        assert_eq!(
            titles("context"),
            [
                "Defaults",
                "Of a group",
                "Pipelines",
                "Command return values"
            ]
        );
        // The title encloses all sections, so it doesn't count.
        assert_eq!(titles("commands")[0], "Command return values");
        assert_eq!(
            titles("wombat"),
            [
                "Pipelines",
                "Command return values",
                "Defaults",
                "Of a group"
            ]
        );
    }
}
