use std::borrow::Cow;
use std::collections::BTreeMap;

use windlass_base::{RepoPath, Source};
use windlass_repo::redact_text;
use windlass_words::each_term;

use super::codec::{put_number, put_text};
use super::index::RecallIndex;
use super::renew::{Known, STAMP, Stamp, stamp_of};
use super::tuning::Tuning;
use super::{FIELDS, INDEX_VERSION};
use crate::check::meant;
use crate::impression::{Impression, USUAL_WEIGHT};
use crate::kind::{RecordKind, Status};
use crate::memory::Memory;
use crate::record::Record;

/// Something that can be recalled, as it is written into an index.
#[derive(Debug, Default)]
struct Entry {
    path: String,
    id: String,
    title: String,
    kind: u8,
    status: u8,
    weight: u32,
    updated: String,
    /// The entry that took its place, one more than its number; 0 for none.
    successor: u32,
    lengths: [u32; FIELDS],
}

/// How often a term stands in the parts of an entry.
pub(super) type Counts = [u32; FIELDS];

/// What an entry is made of: its head, and how often each of its terms stands where, the terms sorted.
struct Built<'a> {
    entry: Entry,
    counts: Vec<(Cow<'a, str>, Counts)>,
    /// What tells that a record and its cues are still the same.
    stamp: Stamp,
}

/// The index of `memory`, as bytes. `shown` gives the text of a record as it may be shown: what is a secret is not indexed.
#[must_use]
pub fn build_index(
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    build_index_from(None, memory, shown, threads)
}

/// The same bytes as [`build_index`] makes; what did not change since `before` was made is not taken apart again. `before` has
/// to be made with the same `shown`.
#[must_use]
pub fn build_index_from(
    before: Option<&RecallIndex>,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    let cues = cues(memory);
    let none = Vec::new();
    let records: Vec<(&Record, &Vec<&Impression>)> = memory
        .records
        .values()
        .filter(|record| record.kind.is_recalled())
        .map(|record| (record, cues.get(record.path.as_str()).unwrap_or(&none)))
        .collect();
    let stamps = windlass_base::in_parallel(&records, threads, 256, |records| {
        let stamps = records.iter().map(|(record, cues)| stamp_of(record, cues));
        stamps.collect::<Vec<_>>()
    });
    let known = Known::of(before, &records, &stamps.concat());
    let jobs: Vec<_> = records.iter().zip(known.0).collect();
    let pieces = windlass_base::in_parallel(&jobs, threads, 32, |jobs| {
        let built = jobs.iter().map(|((record, cues), known)| {
            let mut entry = head_of(record, cues);
            let counts = match &known.counts {
                Some((lengths, counts)) => {
                    entry.lengths = *lengths;
                    counts.clone()
                }
                None => count(&mut entry, &texts_shown(record, cues, shown(record))),
            };
            Built {
                entry,
                counts,
                stamp: known.stamp,
            }
        });
        built.collect::<Vec<_>>()
    });
    let mut built: Vec<Built<'_>> = pieces.into_iter().flatten().collect();
    // Cues that lead to what is no record of the memory: a file of the repository.
    for (path, impressions) in &cues {
        if RepoPath::parse(path).is_ok_and(|path| memory.records.contains_key(&path)) {
            continue;
        }
        built.push(entry_of_cues(path, impressions));
    }
    built.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    successors(memory, &mut built);
    encode(
        &built,
        &Tuning::learn(&memory.feedback),
        &memory.unreadable(),
    )
}

/// Something that is no part of a memory, and is to be recalled as if it were.
#[derive(Debug, Clone, Default)]
pub struct Recallable {
    /// Its name: hits give it as their path, too.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// Words that lead to it.
    pub keywords: Vec<String>,
    /// What else it goes by.
    pub aliases: Vec<String>,
    /// What it says.
    pub body: String,
}

/// An index of other things than records.
#[must_use]
pub fn build_other_index(things: &[Recallable]) -> Vec<u8> {
    let mut built: Vec<Built<'_>> = things
        .iter()
        .map(|thing| {
            let mut entry = Entry {
                path: thing.id.clone(),
                id: thing.id.clone(),
                title: thing.title.clone(),
                kind: RecordKind::Note as u8,
                weight: USUAL_WEIGHT,
                ..Entry::default()
            };
            let texts = [
                vec![thing.title.clone()],
                thing.keywords.clone(),
                thing.aliases.clone(),
                vec![thing.id.clone()],
                vec![thing.body.clone()],
            ];
            let counts = count(&mut entry, &texts);
            Built {
                entry,
                counts,
                stamp: Stamp::default(),
            }
        })
        .collect();
    built.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    encode(&built, &Tuning::default(), &[])
}

/// Impressions by the path that they lead to.
fn cues(memory: &Memory) -> BTreeMap<String, Vec<&Impression>> {
    let mut cues: BTreeMap<String, Vec<&Impression>> = BTreeMap::new();
    for impression in &memory.impressions {
        if let Ok(path) = RepoPath::parse(&impression.record_path)
            && !crate::is_private(path.as_str())
        {
            cues.entry(path.as_str().to_owned())
                .or_default()
                .push(impression);
        }
    }
    cues
}

/// The head of the entry of a record; how long its parts are is not known yet.
fn head_of(record: &Record, impressions: &[&Impression]) -> Entry {
    let own = |field: &str| record.text(field).map(str::to_owned);
    let first = impressions.first();
    let mut entry = Entry {
        path: record.path.as_str().to_owned(),
        id: first
            .map(|one| one.id.clone())
            .or_else(|| own("id"))
            .unwrap_or_else(|| record.path.as_str().to_owned()),
        title: safe(record.title()),
        kind: record.kind as u8,
        status: record.status() as u8,
        weight: impressions
            .iter()
            .map(|one| one.weight)
            .max()
            .unwrap_or(USUAL_WEIGHT),
        updated: own("updated").unwrap_or_default(),
        ..Entry::default()
    };
    // A record that says nothing of it itself is what its cues say it is.
    if record.text("status").is_none() && !impressions.is_empty() {
        entry.status = impressions
            .iter()
            .map(|one| one.status as u8)
            .min()
            .unwrap_or_default();
    }
    entry
}

/// The texts of the parts of a record as `shown`, its text as it may be shown, has them.
fn texts_shown(
    record: &Record,
    impressions: &[&Impression],
    shown: String,
) -> [Vec<String>; FIELDS] {
    if shown == record.source.text() {
        return texts_of(record, impressions);
    }
    let source = Source::new(record.path.as_str(), shown);
    Record::of(&record.path, &source)
        .map(|record| texts_of(&record, impressions))
        .unwrap_or_default()
}

/// The texts of the parts of a record.
fn texts_of(record: &Record, impressions: &[&Impression]) -> [Vec<String>; FIELDS] {
    let front = record.front.as_ref();
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
            .sections
            .iter()
            .skip(1)
            .map(|section| section.title.clone())
            .filter(|title| !is_usual(record.kind, title)),
    );
    texts[3].push(record.path.file_name().trim_end_matches(".md").to_owned());
    let (text, from) = (record.source.text(), front.map_or(0, |front| front.end));
    texts[4].push(text.get(from..).unwrap_or(text).to_owned());
    texts
}

fn entry_of_cues(path: &str, impressions: &[&Impression]) -> Built<'static> {
    let first = impressions.first();
    let mut entry = Entry {
        path: path.to_owned(),
        id: first.map(|one| one.id.clone()).unwrap_or_default(),
        title: first.map(|one| safe(&one.title)).unwrap_or_default(),
        kind: RecordKind::Note as u8,
        status: impressions
            .iter()
            .map(|one| one.status as u8)
            .min()
            .unwrap_or_default(),
        weight: impressions
            .iter()
            .map(|one| one.weight)
            .max()
            .unwrap_or(USUAL_WEIGHT),
        updated: first.map(|one| one.updated.clone()).unwrap_or_default(),
        ..Entry::default()
    };
    let mut texts: [Vec<String>; FIELDS] = Default::default();
    add_cues(impressions, "", &mut texts);
    let counts = count(&mut entry, &texts);
    Built {
        entry,
        counts,
        stamp: Stamp::default(),
    }
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

/// `text` without secret values.
fn safe(text: &str) -> String {
    redact_text(text).0.as_str().to_owned()
}

/// Whether a heading is one that all records of a kind have.
fn is_usual(kind: RecordKind, title: &str) -> bool {
    kind.parts()
        .iter()
        .flat_map(|names| names.iter())
        .any(|name| crate::front_matter::is_same_name(name, title))
}

fn count<'a>(entry: &mut Entry, texts: &[Vec<String>; FIELDS]) -> Vec<(Cow<'a, str>, Counts)> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (field, texts) in texts.iter().enumerate() {
        for text in texts {
            each_term(text, |term| {
                // A name as a whole counts beside its parts, and makes nothing longer.
                if !term.is_whole {
                    entry.lengths[field] += 1;
                }
                counts.entry(term.stem().into_owned()).or_default()[field] += 1;
            });
        }
    }
    let counts = counts.into_iter();
    counts
        .map(|(term, counts)| (Cow::Owned(term), counts))
        .collect()
}

/// Notes for each entry that was replaced what took its place in the end.
fn successors(memory: &Memory, built: &mut [Built<'_>]) {
    let numbers: BTreeMap<String, usize> = built
        .iter()
        .enumerate()
        .map(|(at, built)| (built.entry.path.clone(), at))
        .collect();
    let next = |path: &str| -> Option<String> {
        let record = memory.record(path);
        let by_record =
            record.and_then(|record| meant(memory, record, record.text("superseded_by")?));
        if let Some(newer) = by_record {
            return Some(newer.path.as_str().to_owned());
        }
        let path = RepoPath::parse(path).ok()?;
        let mut cues = memory.impressions_of(&path);
        let newer = memory.impression(cues.find_map(|one| one.superseded_by.as_deref())?)?;
        Some(
            RepoPath::parse(&newer.record_path)
                .ok()?
                .as_str()
                .to_owned(),
        )
    };
    let superseded: Vec<usize> = (0..built.len())
        .filter(|at| built[*at].entry.status == Status::Superseded as u8)
        .collect();
    for at in superseded {
        let mut path = built[at].entry.path.clone();
        // A circle leads nowhere.
        for _ in 0..64 {
            let Some(newer) = next(&path) else {
                break;
            };
            path = newer;
            let Some(number) = numbers.get(&path) else {
                break;
            };
            if built[*number].entry.status == Status::Active as u8 {
                built[at].entry.successor = u32::try_from(number + 1).unwrap_or(0);
                break;
            }
        }
    }
}

fn encode(built: &[Built<'_>], tuning: &Tuning, unreadable: &[(String, String)]) -> Vec<u8> {
    let (mut entries, mut entry_ends) = (Vec::new(), Vec::new());
    let mut postings: BTreeMap<&str, Vec<(u32, &Counts)>> = BTreeMap::new();
    let mut totals = [0u64; FIELDS];
    let mut stamps = Vec::with_capacity(built.len() * STAMP);
    for (number, built) in (0u32..).zip(built) {
        let Built {
            entry,
            counts,
            stamp,
        } = built;
        stamps.extend_from_slice(stamp);
        for text in [&entry.path, &entry.id, &entry.title, &entry.updated] {
            put_text(&mut entries, text);
        }
        entries.extend([entry.kind, entry.status]);
        put_number(&mut entries, entry.weight);
        put_number(&mut entries, entry.successor);
        for (field, length) in entry.lengths.iter().enumerate() {
            put_number(&mut entries, *length);
            totals[field] += u64::from(*length);
        }
        entry_ends.push(entries.len());
        for (term, counts) in counts {
            postings.entry(term).or_default().push((number, counts));
        }
    }
    let (mut terms, mut term_ends) = (Vec::new(), Vec::new());
    let (mut lists, mut list_ends) = (Vec::new(), Vec::new());
    for (term, list) in &postings {
        terms.extend_from_slice(term.as_bytes());
        term_ends.push(terms.len());
        put_number(&mut lists, u32::try_from(list.len()).unwrap_or(u32::MAX));
        let mut before = 0;
        for (number, counts) in list {
            put_number(&mut lists, number - before);
            before = *number;
            let mask = (0..FIELDS)
                .filter(|field| counts[*field] > 0)
                .fold(0u8, |mask, field| mask | 1 << field);
            lists.push(mask);
            for count in counts.iter().filter(|count| **count > 0) {
                put_number(&mut lists, *count);
            }
        }
        list_ends.push(lists.len());
    }
    let tuning = serde_json::to_vec(tuning).unwrap_or_default();
    let unreadable = serde_json::to_vec(unreadable).unwrap_or_default();
    let mut averages = Vec::new();
    for total in totals {
        averages.extend_from_slice(&total.to_le_bytes());
    }
    let mut bytes = INDEX_VERSION.to_le_bytes().to_vec();
    for part in [
        &table(&entry_ends),
        &entries,
        &table(&term_ends),
        &terms,
        &table(&list_ends),
        &lists,
        &averages,
        &tuning,
        &stamps,
        &unreadable,
    ] {
        bytes.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn table(ends: &[usize]) -> Vec<u8> {
    ends.iter()
        .flat_map(|end| u32::try_from(*end).unwrap_or(u32::MAX).to_le_bytes())
        .collect()
}
