//! Storage of verdicts between runs, with the grounds that keep each of them valid.
//!
//! A verdict from another state of the files remains valid as long as its grounds are unchanged. The grounds are the
//! files that were read for it or contain its lines, and the files through which its lines were followed, which no
//! commit may touch. In addition, no new or changed file may contain the lines that were searched for. The claimed
//! location is always verified.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};
use windlass_base::{Digest, Judgement, RepoPath};
use windlass_repo::{Refusal, Snapshot};

use super::looked::{Grounds, held};
use super::state::State;

/// Version of the document and of the rules for verdicts. Documents with another version are ignored.
const VERSION: u32 = 22;

/// Maximum number of verdicts to store.
const MAX_VERDICTS: usize = 20_000;

/// Maximum total size of the changed files in which the lines of verdicts are searched for, in bytes. If more has
/// changed, as after restoring a cache, verdicts that depend on a search are computed again.
const MAX_CHANGED: usize = 32 << 20;

/// Number of runs after which a verdict that is not used is dropped.
const MAX_IDLE: u32 = 50;

/// Stored verdict, with the grounds that keep it valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) judgement: Judgement,
    pub(super) grounds: Grounds,
    pub(super) idle: u32,
}

/// Stored verdicts for an earlier state of the files, and the changes since then.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) verdicts: BTreeMap<Digest, Kept>,
    changed: BTreeSet<RepoPath>,
    /// Lines that verdicts searched for and that changed files contain now. `None` if a file cannot be read or the
    /// files are too large.
    found: Option<BTreeSet<String>>,
}

/// Stored verdicts, with the state of the files that they belong to.
#[derive(Debug)]
pub(super) struct Before {
    state: State,
    lacking: Vec<String>,
    verdicts: BTreeMap<Digest, Kept>,
}

impl Before {
    /// Parses a stored document. Returns `None` if it is damaged or has another version.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let document: Document = serde_json::from_slice(bytes).ok()?;
        if document.version != VERSION {
            return None;
        }
        let verdicts = document.verdicts.into_iter();
        let verdicts = verdicts.map(|one| one.kept(&document.paths));
        Some(Self {
            state: document.state,
            lacking: document.lacking,
            verdicts: verdicts.collect::<Option<_>>()?,
        })
    }

    /// True if another commit is checked out in `now`.
    pub(super) fn is_of_another_commit(&self, now: &State) -> bool {
        !self.state.has_head_of(now)
    }
}

impl Known {
    /// Compares the state of `before` with `now`, which is the state of `snapshot`. Returns `None` if they cannot be
    /// compared.
    pub(super) fn of(before: Before, now: &State, snapshot: &Snapshot) -> Option<Self> {
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

    /// True if no file has changed since.
    pub(super) fn is_current(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns the verdict stored under `key`. Returns `None` if there is none or it is no longer valid in `snapshot`.
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

    /// Returns the verdicts that may be valid in a later run, including those that were not `asked` for in this one.
    pub(super) fn still(&self, asked: &BTreeMap<Digest, Judgement>) -> BTreeMap<Digest, Kept> {
        let still = self.verdicts.iter().filter_map(|(key, kept)| {
            let idle = match asked.contains_key(key) {
                true => 0,
                false => kept.idle + 1,
            };
            let is_kept = idle <= MAX_IDLE && self.is_untouched(&kept.grounds);
            is_kept.then(|| {
                (
                    *key,
                    Kept {
                        idle,
                        ..kept.clone()
                    },
                )
            })
        });
        still.collect()
    }

    /// True if no changed file affects `grounds`.
    fn is_untouched(&self, grounds: &Grounds) -> bool {
        let has_none_sought = || match &self.found {
            Some(found) => found.is_disjoint(&grounds.sought),
            None => grounds.sought.is_empty(),
        };
        self.changed.is_empty()
            || (!grounds.everything
                && grounds.files.is_disjoint(&self.changed)
                && has_none_sought())
    }
}

/// True if the lines at the current location in `judgement` still have the hash recorded there.
fn stands(judgement: &Judgement, snapshot: &Snapshot) -> bool {
    let repair = judgement.repair.as_ref();
    let Some(place) = repair.and_then(|repair| repair.evidence.as_ref()) else {
        return true;
    };
    let source = snapshot.read(&place.file).ok();
    let hash = source.and_then(|source| source.span_hash(place.span));
    hash.is_some() && hash == place.source_hash
}

/// Returns the lines that `verdicts` searched for and that files in `changed` contain now. Returns `None` if a file
/// cannot be read or the files are too large.
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
    let automaton = automaton(&sought)?;
    let (mut found, mut bytes) = (BTreeSet::new(), 0);
    for path in changed {
        let source = match snapshot.read(path) {
            Ok(source) => source,
            // A missing file contains no lines, and a secret file is never searched.
            Err(Refusal::Missing | Refusal::Directory | Refusal::Secret { .. }) => continue,
            Err(_) => return None,
        };
        bytes += source.bytes().len();
        if bytes > MAX_CHANGED {
            return None;
        }
        let text = without_blanks(source.bytes());
        let there = automaton.find_overlapping_iter(&text);
        found.extend(there.map(|one| sought[one.pattern().as_usize()].clone()));
    }
    Some(found)
}

/// Returns an automaton that finds any of `sought`. It ignores case, because words are searched in that way. Finding
/// more than the search would only causes a verdict to be computed again.
fn automaton(sought: &[&String]) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    let builder = builder.ascii_case_insensitive(true);
    builder.build(sought).ok()
}

/// Returns the lines of a text with each sequence of blanks replaced by one space.
fn without_blanks(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        words.join(" ")
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

/// Stored form of the verdicts. Files are represented by numbers.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    version: u32,
    state: State,
    /// Blob ids that git could not read when the verdicts were computed. If it can now, the verdicts are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lacking: Vec<String>,
    paths: Vec<RepoPath>,
    verdicts: Vec<Stored>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    key: Digest,
    judgement: Judgement,
    files: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unnamed: Vec<(RepoPath, Option<Digest>)>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    sought: BTreeSet<String>,
    everything: bool,
    idle: u32,
}

impl Stored {
    fn kept(self, paths: &[RepoPath]) -> Option<(Digest, Kept)> {
        let files = self.files.iter().map(|nr| paths.get(*nr as usize).cloned());
        let grounds = Grounds {
            files: files.collect::<Option<_>>()?,
            unnamed: self.unnamed,
            sought: self.sought,
            everything: self.everything,
        };
        let kept = Kept {
            judgement: self.judgement,
            grounds,
            idle: self.idle,
        };
        Some((self.key, kept))
    }
}

/// Encodes the `verdicts` for `state`. `lacking` are the blob ids that git could not read. If there are too many
/// verdicts, those used most recently are stored.
pub(super) fn document(
    state: State,
    lacking: Vec<String>,
    mut verdicts: BTreeMap<Digest, Kept>,
) -> Option<Vec<u8>> {
    if verdicts.len() > MAX_VERDICTS {
        let mut idle: Vec<u32> = verdicts.values().map(|kept| kept.idle).collect();
        idle.sort_unstable();
        let most = idle[MAX_VERDICTS];
        let mut room = MAX_VERDICTS - idle.iter().filter(|idle| **idle < most).count();
        verdicts.retain(|_, kept| {
            let is_last = kept.idle == most && room > 0;
            room -= usize::from(is_last);
            kept.idle < most || is_last
        });
    }
    let named = verdicts.values().flat_map(|kept| &kept.grounds.files);
    let named: BTreeSet<RepoPath> = named.cloned().collect();
    let paths: Vec<RepoPath> = named.into_iter().collect();
    let nr_of = |path: &RepoPath| u32::try_from(paths.binary_search(path).ok()?).ok();
    let stored = verdicts.into_iter().map(|(key, kept)| Stored {
        key,
        judgement: kept.judgement,
        files: kept.grounds.files.iter().filter_map(nr_of).collect(),
        unnamed: kept.grounds.unnamed,
        sought: kept.grounds.sought,
        everything: kept.grounds.everything,
        idle: kept.idle,
    });
    let verdicts = stored.collect();
    let document = Document {
        version: VERSION,
        state,
        lacking,
        paths,
        verdicts,
    };
    serde_json::to_vec(&document).ok()
}

/// Returns the key under which the verdicts for the working tree at `root` are stored.
pub(super) fn store_key(root: &std::path::Path) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("verdicts {VERSION} {version} {}", root.display());
    Digest::of_bytes(name.as_bytes()).hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sought_is_found_whatever_its_case_and_blanks() {
        let sought = ["queueentry".to_owned(), "if (a == b) {".to_owned()];
        let automaton = automaton(&sought.iter().collect::<Vec<_>>()).unwrap();
        let found = |text: &str| automaton.is_match(&without_blanks(text.as_bytes()));
        assert!(found("let x = QueueEntry::new();\n"));
        assert!(found("\tif  (a ==\tb) {\r\n"));
        assert!(!found("if (a\n== b) {\n"));
    }
}
