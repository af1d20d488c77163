use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use windlass_search::sections;

use super::query::{Query, QueryWord};
use crate::recall::recall_terms::each_term;
use crate::recall::text_split::PASSAGES;
use crate::records::entries::entries_in;
use crate::records::kind::RecordKind;
use crate::records::record::Record;

/// A part of a record that is worth reading for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its bytes.
    pub range: Range<usize>,
    /// The words of the question that stand in it.
    pub matched: usize,
    /// What it is called; nothing for what stands before the first heading.
    pub title: Option<String>,
    /// Whether something of its part of the record stands before it.
    pub begins_within: bool,
    /// Whether that part goes on behind it.
    pub goes_on: bool,
}

/// The part of a record that has most of the words of the question; all that it says where none has any.
#[must_use]
pub fn best_passage(record: &Record, query: &Query) -> Range<usize> {
    let best = passages(record, query).into_iter().next();
    best.filter(|best| best.matched > 0).map_or_else(
        || {
            let text = record.source().text();
            let from = record.front().map_or(0, |front| front.end);
            let lead = text[from..].len() - text[from..].trim_start().len();
            from + lead..text.trim_end().len().max(from + lead)
        },
        |best| best.range,
    )
}

/// The parts of a record, long ones by passages: those first whose heading the question says, then those that have most of the words of the
/// question, of these those that have more of them in their heading; parts that are alike in that in the order of the text, but for events: there
/// the latest come first, each by itself.
#[must_use]
pub fn passages(record: &Record, query: &Query) -> Vec<Passage> {
    let text = record.source().text();
    let from = record.front().map_or(0, |front| front.end);
    let mut starts: Vec<(usize, Option<String>)> = Vec::new();
    let first = record
        .sections()
        .first()
        .map_or(text.len(), |section| section.heading.start);
    if !text[from..first.max(from)].trim().is_empty() {
        starts.push((from, None));
    }
    for section in record.sections() {
        starts.push((section.heading.start, Some(section.title.clone())));
    }
    let asked = asked(query);
    let wanted: BTreeSet<&str> = asked.iter().copied().collect();
    let (starts, titles): (Vec<usize>, Vec<Option<String>>) = starts.into_iter().unzip();
    let is_event = record.kind == RecordKind::Event;
    let headings = match is_event {
        true => BTreeMap::new(),
        false => headings(record, &asked),
    };
    let silent = record.body().blank_sections();
    let silent: BTreeSet<usize> = silent.map(|section| section.heading.start).collect();
    let parts = sections(&starts, text.len()).zip(titles);
    let parts = parts.flat_map(|(Range { start, end }, title)| {
        let body = text[start..end].trim_end();
        let lines = body.lines().filter(|line| !line.trim().is_empty()).count();
        // A heading alone says nothing, nor does what nobody filled in.
        let is_silent = silent.contains(&start);
        if body.is_empty() || is_silent || (title.is_some() && lines < 2) {
            return Vec::new();
        }
        let ranges = match is_event {
            true => items_in(body),
            false => PASSAGES.ranges(body),
        };
        let heading = headings.get(&start).copied().unwrap_or_default();
        let passages = ranges.into_iter().map(|range| {
            let own = body[range.clone()].trim_end();
            let mut there: BTreeSet<String> = BTreeSet::new();
            each_term(own, |term| {
                there.insert(term.stem().into_owned());
            });
            let passage = Passage {
                range: start + range.start..start + range.start + own.len(),
                matched: wanted.iter().filter(|stem| there.contains(**stem)).count(),
                title: title.clone(),
                // Events go on nowhere.
                begins_within: range.start > 0 && !is_event,
                goes_on: range.end < body.len() && !is_event,
            };
            (heading, passage)
        });
        passages.collect()
    });
    let mut parts: Vec<(Heading, Passage)> = parts.collect();
    if is_event {
        // The latest stands last.
        parts.reverse();
    }
    parts.sort_by_key(|(heading, part)| Reverse((heading.is_said, part.matched, heading.words)));
    parts.into_iter().map(|(_, part)| part).collect()
}

/// What of a question the heading of a part says.
#[derive(Debug, Clone, Copy, Default)]
struct Heading {
    /// Whether the question says it.
    is_said: Said,
    /// How many of the words of the question it has.
    words: usize,
}

/// Whether a question says the heading of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    /// It does not.
    #[default]
    Not,
    /// That of a section it stands in.
    Above,
    /// Its own.
    Own,
}

/// What the headings of `record` say of what is `asked`, by where they begin. The title of the record stands above all of its parts, and tells
/// none of them from another.
fn headings(record: &Record, asked: &[&str]) -> BTreeMap<usize, Heading> {
    let title = record.body().title();
    let mut headings = BTreeMap::new();
    // Where those end that the question says.
    let mut above: Vec<usize> = Vec::new();
    for section in record.sections() {
        let start = section.heading.start;
        above.retain(|end| *end > start);
        if Some(section) == title {
            continue;
        }
        let heading = Query::of(&section.title);
        let heading = self::asked(&heading);
        let is_own = is_said(&heading, asked);
        let is_said = match above.is_empty() {
            _ if is_own => Said::Own,
            false => Said::Above,
            true => Said::Not,
        };
        let words = heading.iter().filter(|word| asked.contains(word)).count();
        headings.insert(start, Heading { is_said, words });
        if is_own {
            above.push(section.body.end);
        }
    }
    headings
}

/// Whether a question says a heading: both are the same words, or it has those of the heading, and they are several, one behind the other.
fn is_said(heading: &[&str], asked: &[&str]) -> bool {
    let is_same = heading.len() == asked.len() && heading.iter().all(|word| asked.contains(word));
    let in_row = || asked.windows(heading.len()).any(|row| row == heading);
    match heading.len() {
        0 => false,
        1 => is_same,
        _ => is_same || in_row(),
    }
}

/// The words of a question that a record has to have, as they are compared.
fn asked(query: &Query) -> Vec<&str> {
    let words = query.words.iter().filter(|word| word.is_asked());
    words.map(QueryWord::sought).collect()
}

/// Where the entries of a part of a file of events are, without the heading that stands above them.
fn items_in(body: &str) -> Vec<Range<usize>> {
    let entries = entries_in(body).into_iter();
    let entries = entries.filter(|one| !body[one.range.clone()].starts_with('#'));
    entries.map(|one| one.range).collect()
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
    fn the_section_whose_heading_is_asked_for_comes_first() {
        for (question, first) in [
            ("Command Return Values", "Command return values"),
            (
                "what are the command return values of a pipeline",
                "Command return values",
            ),
            ("return values of a command", "Command return values"),
            ("defaults", "Defaults"),
            // More of it stands elsewhere, and no heading is said.
            (
                "which value of the context is returned by a command",
                "Pipelines",
            ),
            ("in which pipelines are commands", "Pipelines"),
        ] {
            assert_eq!(titles(question)[0], first, "{question}");
        }
        // What stands below a heading comes before all others.
        assert_eq!(
            titles("context"),
            [
                "Defaults",
                "Of a group",
                "Pipelines",
                "Command return values"
            ]
        );
        // The title of the record tells no part from another.
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
