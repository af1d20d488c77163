//! Measurement between two states of a repository. Spans are captured at the old state and judged
//! at the new one, in a clone.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use windlass_base::{Judgement, RepoPath};
use windlass_evidence::{capture, explain, judge};
use windlass_repo::{Repo, Snapshot};

use super::commit_line::follow;
use super::edits::git::{git, text};
use super::edits::{Draw, Error, Truth, sample};
use super::found_places::Told;
use super::git_names::names;
use super::rewrapped::NewWords;
use super::tracking::Tracking;
use super::tracking_cache::{TrackingCache, key};
use super::truth::{States, truth};
use super::{DriftRequest, Files, Item, clone_into, counts, files, own_folder};

type Verdict = (Judgement, Vec<String>);

/// Spans that were captured at one state of a repository, in a clone that is at another one.
pub(super) struct Prepared {
    /// Keeps the clone until the spans are judged.
    _folder: tempfile::TempDir,
    dir: PathBuf,
    /// Spans, each with its fate if that is known.
    items: Vec<(Item, Option<Truth>)>,
    apart: Option<(u32, i64)>,
}

/// Captures spans of `repo` at `from` and judges them at `to`, on `threads` threads.
///
/// # Errors
/// Returns the reason if the measurement is not possible.
pub(super) fn between(
    request: &DriftRequest,
    repo: &Path,
    ends: (&str, &str),
    threads: NonZeroUsize,
) -> Result<Told, Error> {
    prepared(request, repo, ends, threads)?.told(request, threads)
}

/// Captures spans of `repo` at `from` in a clone, determines their fates at `to`, and checks `to`
/// out.
///
/// # Errors
/// Returns the reason if the measurement is not possible.
pub(super) fn prepared(
    request: &DriftRequest,
    repo: &Path,
    (from, to): (&str, &str),
    threads: NonZeroUsize,
) -> Result<Prepared, Error> {
    let source = Repo::open(repo)?;
    let its_git = source.git()?;
    let resolved = |revision: &str| {
        let commit = its_git.revisions().commit_id(revision)?;
        let missing = || {
            let why = "check the name, or fetch it (a shallow clone lacks older commits)";
            Error::from(format!("there is no commit `{revision}`: {why}"))
        };
        commit.ok_or_else(missing)
    };
    let (old, new) = (resolved(from)?, resolved(to)?);
    let ends = (old.as_str(), new.as_str());
    let folder = own_folder()?;
    let dir = folder.path().join("clone");
    clone_into(&source, &dir)?;
    git(&dir, &["checkout", "-q", "--force", &old])?;
    follow(&dir, ends)?;
    let before = files(&dir)?;
    let diff = ["diff", "--name-only", "--no-renames", "-z", &old, &new];
    let changed: BTreeSet<String> = names(&dir, &diff)?.collect();
    let items = captured(&dir, &before, &changed, request)?;
    git(&dir, &["checkout", "-q", "--force", &new])?;
    let after = files(&dir)?;
    let tracking = tracked(request, &dir, ends, (&before, &changed), threads)?;
    let new = |file: &str| after.get(file).map(Vec::as_slice);
    let states = States {
        old: &|file| before.get(file).map(Vec::as_slice),
        new: &new,
        new_words: &NewWords::of(&tracking, &new),
    };
    let fate = |item: &Item| truth(&tracking, &states, &item.file, item.span);
    let items = items.into_iter().map(|item| {
        let truth = fate(&item);
        (item, truth)
    });
    Ok(Prepared {
        items: items.collect(),
        apart: apart(&dir, ends),
        _folder: folder,
        dir,
    })
}

impl Prepared {
    pub(super) fn known(&self) -> impl Iterator<Item = (&Item, &Truth)> {
        let items = self.items.iter();
        items.filter_map(|(item, truth)| Some((item, truth.as_ref()?)))
    }

    /// Judges the spans with a known fate in a new snapshot.
    pub(super) fn judged(&self) -> Result<Vec<Judgement>, Error> {
        let snapshot = Repo::open(&self.dir)?.snapshot();
        let judged = |(item, _): (&Item, &Truth)| verdict(&snapshot, item, false).0;
        Ok(self.known().map(judged).collect())
    }

    fn told(&self, request: &DriftRequest, threads: NonZeroUsize) -> Result<Told, Error> {
        let snapshot = Repo::open(&self.dir)?.snapshot();
        let verdicts = in_parts(&self.items, threads, |items| {
            let items = items.iter();
            let judged = |(item, _): &(Item, _)| verdict(&snapshot, item, request.explain);
            items.map(judged).collect::<Vec<Verdict>>()
        });
        let mut told = Told {
            apart: self.apart,
            ..Told::default()
        };
        for ((item, truth), (judgement, steps)) in self.items.iter().zip(verdicts.concat()) {
            match truth {
                Some(truth) => told.count(request, (item, None), truth, &judgement, &steps),
                None => told.table.disagreed += 1,
            }
        }
        Ok(told)
    }
}

/// Runs `find` on parts of `items`, one per thread. Returns the results in order.
fn in_parts<T: Sync, R: Send>(
    items: &[T],
    threads: NonZeroUsize,
    find: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let parts = items.chunks(items.len().div_ceil(threads.get()).max(1));
    let find = &find;
    std::thread::scope(|scope| {
        let started: Vec<_> = parts.map(|part| scope.spawn(move || find(part))).collect();
        let ended = started.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Returns the new location of each line according to git: by `git blame` of each file, and by the
/// differences of all commits.
fn tracked(
    request: &DriftRequest,
    dir: &Path,
    ends: (&str, &str),
    (before, changed): (&Files, &BTreeSet<String>),
    threads: NonZeroUsize,
) -> Result<Tracking, Error> {
    let cache = TrackingCache::within(request.cache.as_deref());
    let key = key(ends);
    if let Some(known) = cache.get(&key) {
        return Ok(known);
    }
    let listed = ["ls-tree", "-r", "--name-only", "-z", ends.1];
    let there: BTreeSet<String> = names(dir, &listed)?.collect();
    let blamed: Vec<&String> = changed.intersection(&there).collect();
    let mut parts = in_parts(&blamed, threads, |files| Tracking::blamed(dir, ends, files));
    parts.push(Tracking::replayed(dir, ends, &counts(before), changed)?);
    let tracking = Tracking::of_parts(parts);
    cache.put(&key, &tracking);
    Ok(tracking)
}

pub(super) fn verdict(snapshot: &Snapshot, item: &Item, is_explained: bool) -> Verdict {
    let (pointer, capture) = (&item.captured.pointer, Some(&item.captured.capture));
    let (judgement, steps) = match is_explained {
        true => explain(snapshot, pointer, capture),
        false => (judge(snapshot, pointer, capture), Vec::new()),
    };
    let steps = steps
        .iter()
        .map(|step| format!("{}: {}", step.stage, step.found));
    (judgement, steps.collect())
}

/// Returns the number of commits and days between two states. Returns `None` if git does not know.
fn apart(dir: &Path, (old, new): (&str, &str)) -> Option<(u32, i64)> {
    const DAY: i64 = 86_400;
    let range = format!("{old}..{new}");
    let commits = text(dir, &["rev-list", "--count", "--first-parent", &range]).ok()?;
    let written = |commit| -> Option<i64> {
        let time = text(dir, &["show", "-s", "--format=%ct", commit]).ok()?;
        time.parse().ok()
    };
    let days = (written(new)? - written(old)?) / DAY;
    Some((commits.parse().ok()?, days))
}

fn captured(
    dir: &Path,
    files: &Files,
    changed: &BTreeSet<String>,
    request: &DriftRequest,
) -> Result<Vec<Item>, Error> {
    let snapshot = Repo::open(dir)?.snapshot();
    let mut draw = Draw::new(request.seed);
    let has_changed = |file: &str| changed.contains(file);
    let mut items = Vec::new();
    for (file, span) in sample::spans(files, has_changed, request.spans, &mut draw) {
        if let Ok(captured) = capture(&snapshot, &RepoPath::parse(&file)?, span) {
            items.push(Item {
                file,
                span,
                captured,
            });
        }
    }
    Ok(items)
}
