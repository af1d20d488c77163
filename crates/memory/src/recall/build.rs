//! Making an index of a memory, or of what is to be recalled as if it were one.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::encode::{Built, Entry, encode};
use super::index::RecallIndex;
use super::parts::{count, entry_of_cues, head_of, texts_shown};
use super::renew::{Known, Stamp, stamp_of};
use super::tuning::Tuning;
use crate::check::meant;
use crate::feedback::Feedback;
use crate::impression::{Impression, USUAL_WEIGHT};
use crate::kind::{RecordKind, Status};
use crate::memory::Memory;
use crate::record::Record;

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
        .filter(|record| record.kind.is_recalled() || record.kind == RecordKind::Summary)
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
        let is_apart = |path: RepoPath| {
            // What lies in the folder and was not read with it is left out by an ignore file: it is nobody else's.
            let is_ignored = path.as_str().starts_with("memory/")
                && !memory.files.has(&path)
                && memory.files.outside.get(&path) == Some(&true);
            memory.records.contains_key(&path) || is_ignored
        };
        if RepoPath::parse(path).is_ok_and(is_apart) {
            continue;
        }
        built.push(entry_of_cues(path, impressions));
    }
    built.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    successors(memory, &mut built);
    let feedback = feedback_of_entries(memory, &cues);
    encode(&built, &Tuning::learn(&feedback), &memory.unreadable())
}

/// What was said of recalls, of entries by the names they have in the index: a record may have several impressions.
fn feedback_of_entries(
    memory: &Memory,
    cues: &BTreeMap<String, Vec<&Impression>>,
) -> Vec<Feedback> {
    let entry_of = |name: &str| {
        let path = match memory.impression(name) {
            Some(one) => RepoPath::parse(&one.record_path).ok()?,
            None => memory.find(name)?.path.clone(),
        };
        let first = cues.get(path.as_str())?.first()?;
        Some(first.id.clone())
    };
    let mut feedback = memory.feedback.clone();
    for one in &mut feedback {
        if let Some(name) = &mut one.matched_id
            && let Some(id) = entry_of(name)
        {
            *name = id;
        }
    }
    feedback
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
