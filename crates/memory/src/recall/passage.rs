use std::collections::BTreeSet;
use std::ops::Range;

use super::query::Query;
use super::split::ranges_in;
use super::terms::each_term;
use crate::entries::entries_in;
use crate::kind::RecordKind;
use crate::record::Record;

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

/// The parts of a record, long ones by passages, those first that have most of the words of the question; parts that are alike in that in the order of
/// the text, but for events: there the latest come first, each by itself.
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
    let wanted: BTreeSet<&str> = query
        .words
        .iter()
        .filter(|word| word.is_asked())
        .map(|word| word.stem.as_str())
        .collect();
    let ends: Vec<usize> = starts
        .iter()
        .skip(1)
        .map(|(start, _)| *start)
        .chain([text.len()])
        .collect();
    let is_event = record.kind == RecordKind::Event;
    let silent = record.silent_sections();
    let silent: BTreeSet<usize> = silent.map(|section| section.heading.start).collect();
    let parts = starts
        .into_iter()
        .zip(ends)
        .flat_map(|((start, title), end)| {
            let body = text[start..end].trim_end();
            let lines = body.lines().filter(|line| !line.trim().is_empty()).count();
            // A heading alone says nothing, nor does what nobody filled in.
            let is_silent = silent.contains(&start);
            if body.is_empty() || is_silent || (title.is_some() && lines < 2) {
                return Vec::new();
            }
            let ranges = match is_event {
                true => items_in(body),
                false => ranges_in(body),
            };
            let passages = ranges.into_iter().map(|range| {
                let own = body[range.clone()].trim_end();
                let mut there: BTreeSet<String> = BTreeSet::new();
                each_term(own, |term| {
                    there.insert(term.stem().into_owned());
                });
                Passage {
                    range: start + range.start..start + range.start + own.len(),
                    matched: wanted.iter().filter(|stem| there.contains(**stem)).count(),
                    title: title.clone(),
                    // Events go on nowhere.
                    begins_within: range.start > 0 && !is_event,
                    goes_on: range.end < body.len() && !is_event,
                }
            });
            passages.collect()
        });
    let mut parts: Vec<Passage> = parts.collect();
    if is_event {
        // The latest stands last.
        parts.reverse();
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.matched));
    parts
}

/// Where the entries of a part of a file of events are, without the heading that stands above them.
fn items_in(body: &str) -> Vec<Range<usize>> {
    let entries = entries_in(body).into_iter();
    let entries = entries.filter(|one| !body[one.range.clone()].starts_with('#'));
    entries.map(|one| one.range).collect()
}
