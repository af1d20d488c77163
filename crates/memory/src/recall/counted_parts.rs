//! Which words stand in which part of what can be recalled.

use std::borrow::Cow;
use std::collections::BTreeMap;

use windlass_base::Source;
use windlass_redact::redact_for_cache;
use windlass_search::TermKind;

use super::encode::{Counted, Counts, Entry, Spread};
use super::quantity::each_near_number;
use super::{BODY, FIELDS};
use crate::markdown::{goes_by, is_same_heading};
use crate::recall::recall_terms::each_term;
use crate::recall::text_split::{PASSAGES, events_in};
use crate::records::impression::{Impression, USUAL_WEIGHT};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;

/// How many parts of a summary say something themselves; the others link records.
const SUMMARY_SAYS: usize = 3;

/// The head of the entry of a record; how long its parts are is not known yet.
pub(super) fn head_of(record: &Record, impressions: &[&Impression], status: Status) -> Entry {
    let own = |field: &str| record.text(field).map(str::to_owned);
    let first = impressions.first();
    Entry {
        path: record.path.as_str().to_owned(),
        id: first
            .map(|one| one.id.clone())
            .or_else(|| own("id"))
            .unwrap_or_else(|| record.path.as_str().to_owned()),
        title: safe(record.title()),
        kind: record.kind as u8,
        status: status as u8,
        weight: weight_of(impressions),
        updated: own("updated").unwrap_or_default(),
        ..Entry::default()
    }
}

/// Whether an entry is to be relied on: a record that says nothing of it itself is what its cues say it is.
pub(super) fn status_of(record: Option<&Record>, impressions: &[&Impression]) -> Status {
    let own = record.filter(|record| impressions.is_empty() || record.text("status").is_some());
    match own {
        Some(record) => record.status(),
        None => impressions
            .iter()
            .map(|one| one.status)
            .min()
            .unwrap_or_default(),
    }
}

fn weight_of(impressions: &[&Impression]) -> u32 {
    let weights = impressions.iter().map(|one| one.weight);
    weights.max().unwrap_or(USUAL_WEIGHT)
}

/// The texts of the parts of a record as `shown`, its text as it may be shown, has them.
pub(super) fn texts_shown(
    record: &Record,
    impressions: &[&Impression],
    shown: String,
) -> [Vec<String>; FIELDS] {
    if shown == record.source().text() {
        return texts_of(record, impressions);
    }
    let source = Source::new(record.path.as_str(), shown);
    Record::of(&record.path, &source)
        .map(|record| texts_of(&record, impressions))
        .unwrap_or_default()
}

/// The texts of the parts of a record.
fn texts_of(record: &Record, impressions: &[&Impression]) -> [Vec<String>; FIELDS] {
    let front = record.front();
    let mut texts: [Vec<String>; FIELDS] = Default::default();
    texts[0].push(record.title().to_owned());
    texts[1].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("keywords"))
            .map(str::to_owned),
    );
    texts[1].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("tags"))
            .map(str::to_owned),
    );
    texts[2].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("aliases"))
            .map(str::to_owned),
    );
    add_cues(impressions, record.title(), &mut texts);
    texts[3].extend(
        record
            .sections()
            .iter()
            .skip(1)
            .map(|section| section.title.clone())
            .filter(|title| !is_usual(record.kind, title)),
    );
    texts[3].push(record.path.file_name().trim_end_matches(".md").to_owned());
    texts[4] = bodies_of(record);
    texts
}

/// What a record says below its frontmatter. Of the summary only what stands nowhere else: the records that it links are found
/// by their own words.
fn bodies_of(record: &Record) -> Vec<String> {
    let text = record.source().text();
    let from = record.front().map_or(0, |front| front.end);
    let said = |range: std::ops::Range<usize>| {
        let parts = record.body().filled(range).into_iter();
        parts.map(|part| text[part].to_owned()).collect::<Vec<_>>()
    };
    if record.kind != RecordKind::Summary {
        return said(from..text.len());
    }
    let linked = RecordKind::Summary.parts().iter().skip(SUMMARY_SAYS);
    let linked: Vec<&str> = linked.flat_map(|names| names.iter().copied()).collect();
    let mut bodies = Vec::new();
    let mut at = from;
    for section in record.sections().iter().filter(|section| section.level > 1) {
        let is_linked = goes_by(&section.title, &linked);
        if section.heading.start >= at && is_linked {
            bodies.extend(said(at..section.heading.start));
            at = section.body.end;
        }
    }
    bodies.extend(said(at..text.len().max(at)));
    bodies
}

/// The entry of cues that lead to no record of the memory.
pub(super) fn entry_of_cues<'a>(
    path: &str,
    impressions: &[&Impression],
) -> (Entry, Vec<Counted<'a>>) {
    let first = impressions.first();
    let mut entry = Entry {
        path: path.to_owned(),
        id: first.map(|one| one.id.clone()).unwrap_or_default(),
        title: first.map(|one| safe(&one.title)).unwrap_or_default(),
        kind: RecordKind::Note as u8,
        status: status_of(None, impressions) as u8,
        weight: weight_of(impressions),
        updated: first.map(|one| one.updated.clone()).unwrap_or_default(),
        ..Entry::default()
    };
    let mut texts: [Vec<String>; FIELDS] = Default::default();
    add_cues(impressions, "", &mut texts);
    let counts = count(&mut entry, &texts);
    (entry, counts)
}

fn add_cues(impressions: &[&Impression], title: &str, texts: &mut [Vec<String>; FIELDS]) {
    for impression in impressions {
        if impression.title != title {
            texts[0].push(safe(&impression.title));
        }
        texts[1].push(safe(&impression.keywords.join("\n")));
        texts[2].push(safe(&impression.aliases.join("\n")));
    }
}

/// `text` without secret values, for the index.
fn safe(text: &str) -> String {
    redact_for_cache(text).0.as_str().to_owned()
}

/// Whether a heading is one that all records of a kind have.
fn is_usual(kind: RecordKind, title: &str) -> bool {
    kind.parts()
        .iter()
        .flat_map(|names| names.iter())
        .any(|name| is_same_heading(name, title))
}

pub(super) fn count<'a>(entry: &mut Entry, texts: &[Vec<String>; FIELDS]) -> Vec<Counted<'a>> {
    let mut counts: BTreeMap<String, (Counts, Spread)> = BTreeMap::new();
    for (field, texts) in texts.iter().enumerate() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let passages = match field {
            BODY if entry.kind == RecordKind::Event as u8 => events_in(&texts),
            BODY => PASSAGES.of(&texts),
            _ => vec![texts],
        };
        let has_several = passages.len() > 1;
        for (passage, texts) in (0u32..).zip(passages) {
            let mut length = 0;
            let mut note = |stem: String| {
                let (counts, spread) = counts.entry(stem).or_default();
                counts[field] += 1;
                match spread.last_mut() {
                    _ if !has_several => {}
                    Some((last, count)) if *last == passage => *count += 1,
                    _ => spread.push((passage, 1)),
                }
            };
            for text in texts {
                each_term(text, |term| {
                    // What counts beside other words makes nothing longer.
                    length += u32::from(term.kind == TermKind::Word);
                    note(term.stem().into_owned());
                });
                each_near_number(text, &mut note);
            }
            entry.lengths[field] += length;
            if has_several {
                entry.passages.push(length);
            }
        }
    }
    let counts = counts.into_iter();
    counts
        .map(|(term, (counts, spread))| (Cow::Owned(term), counts, spread))
        .collect()
}
