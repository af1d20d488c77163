use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_base::Digest;

use crate::platform::{Folder, Signature};
use crate::repository::Repo;

/// The files searched by one thread, in order.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) files: Vec<(Arc<str>, LookedAt)>,
    /// The record of the walk, shared by all searches of one group.
    pub(super) way: Arc<Way>,
}

/// The folders and ignore files used by a thread to find the files.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The folders, with their signatures before listing them, or `None` if a signature is
    /// unavailable.
    folders: Vec<(Box<Path>, Option<Signature>)>,
    /// The ignore files we looked for, with `None` for one that didn't exist.
    rules: Vec<(PathBuf, Option<Signature>)>,
}

/// A file's state during a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookedAt {
    /// The file's signature, or `None` if the file was already in the snapshot.
    pub(super) signature: Option<Signature>,
    /// Digest of the matching lines, or `None` if there are none.
    pub(super) answer: Option<Digest>,
}

/// Minimum number of files for which starting threads pays off.
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

/// Extent of a check for changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Skips files that last changed before the run started, because that state is the one we
    /// searched.
    Brief,
    /// Checks every file, so that changes during the run are found as well.
    Full,
}

/// Returns the files that may have changed since they were `seen`. Returns `None` if the set of
/// files may have changed, in which case the walk has to be repeated.
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
    // A thread usually has the files of a folder in sequence, so keep the folder open for the next
    // file.
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

/// True if a new walk would find the same names in a folder.
fn same_entries(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let (Some(before), Ok(folder)) = (before, Folder::open(path)) else {
        return false;
    };
    folder.signature().is_ok_and(|now| now == before) && repo.is_settled(&before)
}

/// True if an ignore file is unchanged.
fn same_rules(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let now = path.symlink_metadata().ok();
    let now = now.map(|metadata| Signature::of(&metadata));
    now == before && before.is_none_or(|before| repo.is_settled(&before))
}
