//! Measurement between two states of a repository. Spans are captured at the old state and judged at the new one, in a
//! clone.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use windlass_base::{Judgement, RepoPath};
use windlass_evidence::{capture, explain, judge};
use windlass_repo::{Repo, Snapshot};

use super::commit_line::follow;
use super::edits::git::{git, text};
use super::edits::{Draw, Error, sample};
use super::found_places::Told;
use super::git_names::names;
use super::rewrapped::NewWords;
use super::tracking::Tracking;
use super::tracking_cache::{TrackingCache, key};
use super::truth::{States, truth};
use super::{DriftRequest, Files, Item, clone_into, counts, files, own_folder};

/// Verdict on a span, and the steps that led to it if they were requested.
type Verdict = (Judgement, Vec<String>);

/// Captures spans of `repo` at `from` and judges them at `to`, on `threads` threads.
///
/// # Errors
/// Returns the reason if the measurement is not possible.
pub(super) fn between(
    request: &DriftRequest,
    repo: &Path,
    (from, to): (&str, &str),
    threads: NonZeroUsize,
) -> Result<Told, Error> {
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
    let snapshot = Repo::open(&dir)?.snapshot();
    let verdicts = in_parts(&items, threads, |items| {
        judged(&snapshot, items, request.explain)
    });
    let new = |file: &str| after.get(file).map(Vec::as_slice);
    let states = States {
        old: &|file| before.get(file).map(Vec::as_slice),
        new: &new,
        new_words: &NewWords::of(&tracking, &new),
    };
    let mut told = Told {
        apart: apart(&dir, ends),
        ..Told::default()
    };
    for (item, (judgement, steps)) in items.iter().zip(verdicts.concat()) {
        match truth(&tracking, &states, &item.file, item.span) {
            Some(truth) => told.count(request, (item, None), &truth, &judgement, &steps),
            None => told.table.disagreed += 1,
        }
    }
    Ok(told)
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

/// Returns the new location of each line according to git: by `git blame` of each file, and by the differences of all
/// commits.
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

fn judged(snapshot: &Snapshot, items: &[Item], is_explained: bool) -> Vec<Verdict> {
    let items = items.iter();
    items
        .map(|item| verdict(snapshot, item, is_explained))
        .collect()
}

/// Judges `item` in the files of `snapshot`.
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
