//! What can be recalled of a memory, before it is taken apart.

use std::collections::BTreeMap;

use windlass_base::{Digest, RepoPath};

use super::entry_head::{EntryHead, STAMP, Stamp};
use super::indexed_texts::{passages_of, safe, texts_of_cues, texts_shown};
use crate::records::feedback::Feedback;
use crate::records::head::MARK;
use crate::records::impression::{Impression, USUAL_WEIGHT};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::memory::Memory;
use crate::state::said_by_impressions::{said_by_impressions, successors_said_once};

/// How many replacements are followed: a circle leads nowhere.
const MOST_SUCCESSORS: usize = 64;

/// Something that can be recalled: a record, or what impressions lead to.
pub(super) struct Thing<'a> {
    pub(super) path: &'a str,
    pub(super) record: Option<&'a Record>,
    pub(super) cues: Vec<&'a Impression>,
    /// The record that took its place, whichever of both says so.
    successor: Option<&'a RepoPath>,
    /// What its cues alone say became of it.
    said: Status,
    /// Tells it, and all that its entry is made of, from any other.
    pub(super) stamp: Stamp,
}

/// All that can be recalled of a memory, sorted by path.
pub(super) struct Things<'a> {
    pub(super) memory: &'a Memory,
    pub(super) all: Vec<Thing<'a>>,
}

impl<'a> Things<'a> {
    pub(super) fn of(memory: &'a Memory, threads: usize) -> Self {
        let mut cues = cues(memory);
        let next = successors_said_once(memory);
        let said = said_by_impressions(memory);
        // Where something has its place, that decides: what would close a circle holds.
        let said = |path: &RepoPath| {
            let said = said.get(path).filter(|said| said.by.is_none());
            said.map_or(Status::Active, |said| said.status)
        };
        let records = memory
            .records
            .values()
            .filter(|record| record.kind.is_recalled() || record.kind == RecordKind::Summary);
        let mut all: Vec<Thing<'a>> = records
            .map(|record| Thing {
                path: record.path.as_str(),
                record: Some(record),
                cues: cues.remove(record.path.as_str()).unwrap_or_default(),
                successor: next
                    .get(&record.path)
                    .copied()
                    .filter(|_| record.kind.is_recalled()),
                said: said(&record.path),
                stamp: Stamp::default(),
            })
            .collect();
        let others = cues.into_iter().filter(|(path, _)| is_apart(memory, path));
        all.extend(others.map(|(path, cues)| Thing {
            path,
            record: None,
            cues,
            successor: None,
            said: Status::Active,
            stamp: Stamp::default(),
        }));
        all.sort_unstable_by(|a, b| a.path.cmp(b.path));
        let stamps = windlass_base::in_parallel(&all, threads, 1_024, |things| {
            things.iter().map(Thing::stamp_now).collect::<Vec<_>>()
        });
        for (thing, stamp) in all.iter_mut().zip(stamps.into_iter().flatten()) {
            thing.stamp = stamp;
        }
        Self { memory, all }
    }

    /// What took the place of what was replaced, in the end: pairs of places in the list.
    pub(super) fn successors(&self) -> Vec<(usize, usize)> {
        let old = (0..self.all.len()).filter(|at| self.all[*at].status() == Status::Superseded);
        let newest = |at: usize| {
            let mut at = at;
            for _ in 0..MOST_SUCCESSORS {
                at = self.next(&self.all[at])?;
                if self.all[at].status() == Status::Active {
                    return Some(at);
                }
            }
            None
        };
        old.filter_map(|at| Some((at, newest(at)?))).collect()
    }

    fn place_of(&self, path: &str) -> Option<usize> {
        self.all.binary_search_by(|thing| thing.path.cmp(path)).ok()
    }

    /// What took the place of `thing`.
    fn next(&self, thing: &Thing<'_>) -> Option<usize> {
        if let Some(newer) = thing.successor {
            return self.place_of(newer.as_str());
        }
        let newer = thing
            .cues
            .iter()
            .find_map(|one| one.superseded_by.as_deref())?;
        let newer = RepoPath::parse(&self.memory.impression(newer)?.record_path).ok()?;
        self.place_of(newer.as_str())
    }

    /// What was said of recalls, of entries by the names they have in the index: a record may have several impressions. Lines that hold a
    /// secret value are none: what is learned of them would be kept.
    pub(super) fn feedback(&self) -> Vec<Feedback> {
        let entry_of = |name: &str| {
            let path = match self.memory.impression(name) {
                Some(one) => RepoPath::parse(&one.record_path).ok()?,
                None => self.memory.find(name)?.path.clone(),
            };
            let cues = &self.all[self.place_of(path.as_str())?].cues;
            Some(cues.first()?.id.clone())
        };
        let secret = self.memory.secret_feedback();
        let mut feedback = self.memory.feedback.clone();
        feedback.retain(|one| !secret.contains(&one.line));
        for one in &mut feedback {
            if let Some(name) = &mut one.matched_id
                && let Some(id) = entry_of(name)
            {
                *name = id;
            }
        }
        feedback
    }
}

impl Thing<'_> {
    /// Whether it is to be relied on: what another record took the place of is not, though it does not know that itself, nor is
    /// what only cues lead to that say it is not.
    fn status(&self) -> Status {
        match (self.own_status(), self.successor) {
            (Status::Active, Some(_)) => Status::Superseded,
            (Status::Active, None) => self.said,
            (own, _) => own,
        }
    }

    /// What it says itself; a record without a status is what its cues say.
    fn own_status(&self) -> Status {
        let own = self
            .record
            .filter(|it| self.cues.is_empty() || it.text("status").is_some());
        let of_cues = || self.cues.iter().map(|one| one.status).min();
        own.map_or_else(|| of_cues().unwrap_or_default(), Record::status)
    }

    /// The stamp of it: of all that its entry is made of, but for which other one took its place.
    fn stamp_now(&self) -> Stamp {
        let mut bytes = Vec::with_capacity(512);
        let mut put = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        put(self.path);
        for cue in &self.cues {
            for text in [&cue.id, &cue.title, &cue.updated] {
                put(text);
            }
            put(cue.status.as_str());
            put(&cue.weight.to_string());
            for words in [&cue.keywords, &cue.aliases] {
                put(&words.len().to_string());
                words.iter().for_each(|word| put(word));
            }
        }
        put(self.status().as_str());
        let text = self.record.map_or([0; MARK], |record| record.head().mark);
        bytes.extend_from_slice(&text);
        let mut stamp = Stamp::default();
        stamp.copy_from_slice(&Digest::of_bytes(&bytes).as_bytes()[..STAMP]);
        stamp
    }

    /// Its passages; `shown` gives the text of a record as it may be shown.
    pub(super) fn passages(
        &self,
        shown: &dyn Fn(&Record) -> String,
    ) -> Vec<windlass_search::Passage<'static>> {
        match self.record {
            Some(record) => {
                let texts = texts_shown(record, &self.cues, shown(record));
                passages_of(record.kind, &texts)
            }
            None => passages_of(RecordKind::Note, &texts_of_cues(&self.cues)),
        }
    }

    /// Its head.
    pub(super) fn head(&self) -> EntryHead {
        let own = |field: &str| self.record.and_then(|record| record.text(field));
        let cue = self.cues.first();
        let name = || own("id").unwrap_or(if self.record.is_some() { self.path } else { "" });
        let title = match self.record {
            Some(record) => record.title(),
            None => cue.map_or("", |cue| &cue.title),
        };
        let updated = match self.record {
            Some(_) => own("updated"),
            None => cue.map(|cue| cue.updated.as_str()),
        };
        EntryHead {
            id: cue.map_or_else(|| name().to_owned(), |cue| cue.id.clone()),
            path: self.path.to_owned(),
            title: safe(title),
            updated: updated.unwrap_or_default().to_owned(),
            kind: self.record.map_or(RecordKind::Note, |record| record.kind),
            status: self.status(),
        }
    }

    /// Factor of its scores, in thousandths, by the weight of its cues.
    pub(super) fn boost(&self) -> u32 {
        let weights = self.cues.iter().map(|cue| cue.weight);
        900 + weights.max().unwrap_or(USUAL_WEIGHT) / 5
    }
}

/// Impressions by the path that they lead to.
fn cues(memory: &Memory) -> BTreeMap<&str, Vec<&Impression>> {
    let routed = memory.routed().map(|(path, cues)| (path.as_str(), cues));
    routed
        .filter(|(path, _)| !crate::is_private(path))
        .collect()
}

/// Whether cues that lead to `path` lead to what is no record of the memory, but a file of the repository.
fn is_apart(memory: &Memory, path: &str) -> bool {
    let is_inside = path.starts_with("memory/");
    let is_known = |path: &RepoPath| {
        // What lies in the folder and was not read with it is left out by an ignore file: it is nobody else's.
        let is_there = memory.files.outside.get(path) == Some(&true);
        let is_ignored =
            is_inside && !memory.files.has(path) && is_there && !memory.files.is_closed(path);
        memory.records.contains_key(path) || is_ignored
    };
    !RepoPath::parse(path).is_ok_and(|path| is_known(&path))
}
