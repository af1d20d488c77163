//! Verdicts that are stored between runs, and the check that they are still valid.
//!
//! A stored verdict comes with its grounds: the files that were read for it or contain its lines,
//! the files through which its lines were followed, and the lines that were searched for. It
//! remains valid as long as none of these files changed and no new or changed file contains one of
//! these lines. The location that it claims is verified in any case.

use crate::params;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};
use windlass_base::{Digest, Judgement, RepoPath};
use windlass_repo::{Refusal, Snapshot};

use super::looked::{Grounds, held};
use super::state::State;

/// Version of the document and of the rules for verdicts.
///
/// Raise it with every change that may lead to other verdicts. Documents of another version are
/// ignored, whereas a verdict from before the change would be used until one of its files changes.
const VERSION: u32 = 24;

/// A stored verdict and its grounds. `idle` counts the runs since it was last needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) judgement: Judgement,
    pub(super) grounds: Grounds,
    pub(super) idle: u32,
}

/// The stored verdicts of a working tree, and the state of the files for which they were computed
/// or found valid.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Document {
    version: u32,
    state: State,
    /// Blobs that git could not read at the time, by id. If git can read one of them now, all
    /// verdicts are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lacking: Vec<String>,
    verdicts: BTreeMap<Digest, Kept>,
}

impl Document {
    /// Creates a document.
    ///
    /// If there are too many verdicts, those that were needed most recently are stored.
    pub(super) fn new(
        state: State,
        lacking: Vec<String>,
        verdicts: BTreeMap<Digest, Kept>,
    ) -> Self {
        let mut verdicts: Vec<(Digest, Kept)> = verdicts.into_iter().collect();
        verdicts.sort_by_key(|(_, kept)| kept.idle);
        verdicts.truncate(params::MAX_STORED);
        Self {
            version: VERSION,
            state,
            lacking,
            verdicts: verdicts.into_iter().collect(),
        }
    }

    /// Parses a stored document. Damaged documents are ignored like those of another version.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        (document.version == VERSION).then_some(document)
    }

    pub(super) fn is_of_another_commit(&self, now: &State) -> bool {
        !self.state.has_head_of(now)
    }
}

/// Verdicts of an earlier run, and what changed since then.
#[derive(Debug)]
pub(super) struct Known {
    verdicts: BTreeMap<Digest, Kept>,
    changed: BTreeSet<RepoPath>,
    /// The lines of verdicts that changed files contain now. `None` if this is unknown, because a
    /// file cannot be read or there is too much to search.
    found: Option<BTreeSet<String>>,
}

impl Known {
    /// Compares the state of `before` with `now`, the state of `snapshot`. Returns `None` if it
    /// cannot tell what changed.
    pub(super) fn of(before: Document, now: &State, snapshot: &Snapshot) -> Option<Self> {
        if !snapshot.history().still_lacks(&before.lacking) {
            return None;
        }
        let changed = before.state.changed(now, snapshot)?;
        let verdicts = before.verdicts;
        let found = look(&verdicts, &changed, snapshot);
        Some(Self {
            verdicts,
            changed,
            found,
        })
    }

    pub(super) fn is_current(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns the verdict stored under `key`, if it is still valid in `snapshot`.
    pub(super) fn get(&self, key: &Digest, snapshot: &Snapshot) -> Option<&Judgement> {
        let kept = self.verdicts.get(key)?;
        let holds = |(path, then): &(RepoPath, Option<Digest>)| {
            held(snapshot, path).is_some_and(|now| now == *then)
        };
        let is_it = self.is_untouched(&kept.grounds)
            && kept.grounds.unnamed.iter().all(holds)
            && stands(&kept.judgement, snapshot);
        is_it.then_some(&kept.judgement)
    }

    /// Returns the verdicts to store for the next run.
    ///
    /// Those that were not `asked` for in this run are included until they have been idle for too
    /// long.
    pub(super) fn still(&self, asked: &BTreeMap<Digest, Judgement>) -> BTreeMap<Digest, Kept> {
        let still = self.verdicts.iter().filter_map(|(key, kept)| {
            let idle = match asked.contains_key(key) {
                true => 0,
                false => kept.idle + 1,
            };
            let is_kept = idle <= params::MAX_IDLE && self.is_untouched(&kept.grounds);
            let kept = || Kept {
                idle,
                ..kept.clone()
            };
            is_kept.then(|| (*key, kept()))
        });
        still.collect()
    }

    fn is_untouched(&self, grounds: &Grounds) -> bool {
        let has_none_sought = || match &self.found {
            Some(found) => found.is_disjoint(&grounds.sought),
            // The changed files couldn't be searched, so they may contain any line.
            None => grounds.sought.is_empty(),
        };
        self.changed.is_empty()
            || (!grounds.everything
                && grounds.files.is_disjoint(&self.changed)
                && has_none_sought())
    }
}

/// Returns true if the lines that `judgement` claims still have their hash. A verdict without a
/// claim is not checked.
fn stands(judgement: &Judgement, snapshot: &Snapshot) -> bool {
    let repair = judgement.repair.as_ref();
    let Some(place) = repair.and_then(|repair| repair.evidence.as_ref()) else {
        return true;
    };
    let source = snapshot.read(&place.file).ok();
    let hash = source.and_then(|source| source.span_hash(place.span));
    hash.is_some() && hash == place.source_hash
}

/// Searches the `changed` files for the lines of all `verdicts`, in one pass per file. Returns
/// `None` if a file cannot be read or the files are too large.
fn look(
    verdicts: &BTreeMap<Digest, Kept>,
    changed: &BTreeSet<RepoPath>,
    snapshot: &Snapshot,
) -> Option<BTreeSet<String>> {
    if changed.is_empty() {
        return Some(BTreeSet::new());
    }
    let sought = verdicts.values().flat_map(|kept| &kept.grounds.sought);
    let sought: BTreeSet<&String> = sought.collect();
    let sought: Vec<&String> = sought.into_iter().collect();
    let automaton = AhoCorasick::new(&sought).ok()?;
    let (mut found, mut bytes) = (BTreeSet::new(), 0);
    for path in changed {
        let source = match snapshot.read(path) {
            Ok(source) => source,
            // A missing file contains no lines, and a secret one was never searched for them.
            Err(Refusal::Missing | Refusal::Directory | Refusal::Secret { .. }) => continue,
            Err(_) => return None,
        };
        bytes += source.bytes().len();
        if bytes > params::MAX_CHANGED_BYTES {
            return None;
        }
        let text = without_blanks(source.bytes());
        let there = automaton.find_overlapping_iter(&text);
        found.extend(there.map(|one| sought[one.pattern().as_usize()].clone()));
    }
    Some(found)
}

/// Replaces each sequence of blanks within a line by one space, as in the lines that are searched
/// for.
fn without_blanks(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        words.join(" ")
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

pub(super) fn store_key(root: &std::path::Path) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("verdicts {VERSION} {version} {}", root.display());
    Digest::of_bytes(name.as_bytes()).hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_lines_are_found_with_any_blanks() {
        let sought = ["QueueEntry", "if (a == b) {"];
        let automaton = AhoCorasick::new(sought).unwrap();
        let found = |text: &str| automaton.is_match(&without_blanks(text.as_bytes()));
        assert!(found("let x = QueueEntry::new();\n"));
        assert!(found("\tif  (a ==\tb) {\r\n"));
        assert!(!found("if (a\n== b) {\n"));
    }
}
