//! Selects the passages of a record worth reading for a question.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use windlass_search::sections;

use super::text_split::PASSAGES;
use crate::recall::question::{Query, QueryWord, each_term};
use crate::records::entries::entries_in;
use crate::records::kind::RecordKind;
use crate::records::record::Record;

/// A part of a record that may be worth reading for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Range of the passage in the record's text.
    pub range: Range<usize>,
    /// Number of the question's words found in the passage.
    pub matched: usize,
    /// The enclosing section's heading, or `None` before the first heading.
    pub title: Option<String>,
    /// True if the section has text before the passage.
    pub begins_within: bool,
    /// True if the section has text after the passage.
    pub goes_on: bool,
}

/// Returns the passage with the most words of the question, or the whole body if no passage has
/// any.
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

/// Returns a record's passages, best first.
///
/// Passages under a heading requested by the question come first. The others are sorted by the
/// number of matched words, then by matched words in the heading, then by position. In an event
/// file each event is a passage, and the latest comes first.
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
        // Events are appended, so the latest is the last one in the text.
        ranked.reverse();
    }
    ranked.sort_by_key(|(heading, passage)| {
        Reverse((heading.is_asked, passage.matched, heading.words))
    });
    ranked.into_iter().map(|(_, passage)| passage).collect()
}

/// A record's section up to the next heading, or the text before the first heading.
struct SectionText<'a> {
    start: usize,
    text: &'a str,
    title: Option<&'a str>,
}

/// Returns the sections with content.
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
        // A heading with no text below it has no content to show.
        let is_heading = section.title.is_some() && lines.count() < 2;
        !section.text.is_empty() && !blank.contains(&section.start) && !is_heading
    })
}

impl SectionText<'_> {
    /// Splits the section into passages. `words` are the question's stems.
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
                // An event is always complete, so nothing comes before or after it.
                begins_within: range.start > 0 && !is_event,
                goes_on: range.end < self.text.len() && !is_event,
            }
        })
    }
}

/// A measure of how well a section's heading matches a question.
#[derive(Debug, Clone, Copy, Default)]
struct HeadingMatch {
    is_asked: Asked,
    /// Number of the question's words in the heading.
    words: usize,
}

/// Degree to which a question asks for a section's heading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// The question asks for neither the heading nor an enclosing one.
    #[default]
    No,
    /// The question asks for the heading of an enclosing section.
    Enclosing,
    /// The question asks for this section's own heading.
    Own,
}

/// Returns how well `words` match each heading, keyed by the heading's start. The title encloses
/// all sections and would make them equal, so we skip it.
fn heading_matches(record: &Record, words: &[&str]) -> BTreeMap<usize, HeadingMatch> {
    let title = record.body().title();
    let mut matches = BTreeMap::new();
    // Ends of the enclosing sections whose headings the question asks for.
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

/// Returns true if a question asks for a heading. Either both have the same words, or the question
/// contains all words of a longer heading in a row.
fn asks_for(words: &[&str], heading: &[&str]) -> bool {
    let is_same = heading.len() == words.len() && heading.iter().all(|word| words.contains(word));
    let in_row = || words.windows(heading.len()).any(|row| row == heading);
    match heading.len() {
        0 => false,
        1 => is_same,
        _ => is_same || in_row(),
    }
}

/// Returns the ranges of a section's events, without the headings above them.
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
            // Another section has more of the words, but the question asks for none of the
            // headings.
            (
                "which value of the context is returned by a command",
                "Pipelines",
            ),
            ("in which pipelines are commands", "Pipelines"),
        ] {
            assert_eq!(titles(question)[0], first, "{question}");
        }
        // Sections below the requested heading precede all others.
        assert_eq!(
            titles("context"),
            [
                "Defaults",
                "Of a group",
                "Pipelines",
                "Command return values"
            ]
        );
        // The record's title encloses all sections, so it doesn't count.
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
