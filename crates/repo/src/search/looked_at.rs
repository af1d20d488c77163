//! Record of the files of a search, for finding out later which of them have changed.
//!
//! Checking a search is much cheaper than repeating it, because `stat` is enough for nearly all
//! files. First, we compare the folders and ignore files: if they're unchanged, a walk would find
//! the same files again. Then we compare the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_base::Digest;

use crate::platform::{Folder, Signature};
use crate::repository::Repo;

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) files: Vec<(Arc<str>, LookedAt)>,
    /// The folders and ignore files of the walk, which all searches of a group share.
    pub(super) way: Arc<Way>,
}

/// The folders and ignore files that a thread has read.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The folders, with their signatures before listing them. If we couldn't get the signature
    /// (`None`), there has to be another walk.
    folders: Vec<(Box<Path>, Option<Signature>)>,
    /// The ignore files, with `None` for those that don't exist. If one is created later, the walk
    /// has to be repeated.
    rules: Vec<(PathBuf, Option<Signature>)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LookedAt {
    /// The file's signature. If the file is already in the snapshot, this is `None`, and the
    /// snapshot checks it.
    pub(super) signature: Option<Signature>,
    /// Digest of the matching lines, if there are any.
    pub(super) answer: Option<Digest>,
}

/// Minimum number of files for which it's worth starting threads.
const WORTH_A_THREAD: usize = 1_000;

impl Way {
    pub(super) fn folder(&mut self, absolute: &Path) {
        let metadata = absolute.symlink_metadata().ok();
        let signature = metadata.map(|metadata| Signature::of(&metadata));
        self.folders.push((absolute.into(), signature));
    }

    pub(super) fn rules(&mut self, absolute: PathBuf, signature: Option<Signature>) {
        self.rules.push((absolute, signature));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Skip files that hadn't changed between the start of the run and their search. Only their
    /// state at the start counts, and that's what we've searched.
    Brief,
    /// Check every file. This also finds changes that a program has made during the run.
    Full,
}

/// Returns the files that may have changed since they were `seen`. If files may have been added or
/// removed, this returns `None`, and the caller has to walk again.
pub(super) fn touched<'a>(
    repo: &Repo,
    seen: &'a [Seen],
    closeness: Closeness,
) -> Option<BTreeMap<&'a str, LookedAt>> {
    let files: usize = seen.iter().map(|seen| seen.files.len()).sum();
    if files < WORTH_A_THREAD {
        return seen
            .iter()
            .map(|seen| touched_in(repo, seen, closeness))
            .collect::<Option<Vec<_>>>()
            .map(join);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = seen
            .iter()
            .map(|seen| scope.spawn(move || touched_in(repo, seen, closeness)))
            .collect();
        let parts = threads.into_iter().map(|thread| match thread.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        parts.collect::<Option<Vec<_>>>().map(join)
    })
}

fn join(parts: Vec<Vec<(&str, LookedAt)>>) -> BTreeMap<&str, LookedAt> {
    parts.into_iter().flatten().collect()
}

fn touched_in<'a>(
    repo: &Repo,
    seen: &'a Seen,
    closeness: Closeness,
) -> Option<Vec<(&'a str, LookedAt)>> {
    let folders = &mut seen.way.folders.iter();
    let rules = &mut seen.way.rules.iter();
    if !folders.all(|(path, before)| same_entries(repo, path, *before))
        || !rules.all(|(path, before)| same_rules(repo, path, *before))
    {
        return None;
    }
    let files = seen.files.iter().map(|(path, at)| (&**path, *at));
    if closeness == Closeness::Brief {
        let settled = |at: &LookedAt| at.signature.is_some_and(|seen| repo.is_settled(&seen));
        return Some(files.filter(|(_, at)| !settled(at)).collect());
    }
    let mut touched = Vec::new();
    // The files of a folder are usually next to each other, so keep the folder open for the next
    // one.
    let mut open: Option<(&str, Folder)> = None;
    for (path, at) in files {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = match &open {
            Some((at, folder)) if *at == parent => folder,
            _ => {
                let folder = Folder::open(&repo.root().join(parent)).ok()?;
                &open.insert((parent, folder)).1
            }
        };
        let same = |before| {
            folder.signature_of(name).is_ok_and(|now| now == before) && repo.is_settled(&before)
        };
        if !at.signature.is_some_and(same) {
            touched.push((path, at));
        }
    }
    Some(touched)
}

fn same_entries(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let (Some(before), Ok(folder)) = (before, Folder::open(path)) else {
        return false;
    };
    // Adding or removing an entry changes the folder itself.
    folder.signature().is_ok_and(|now| now == before) && repo.is_settled(&before)
}

fn same_rules(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let now = path.symlink_metadata().ok();
    let now = now.map(|metadata| Signature::of(&metadata));
    now == before && before.is_none_or(|before| repo.is_settled(&before))
}
