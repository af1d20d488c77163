use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_base::Digest;

use crate::platform::{Folder, Signature};
use crate::repository::Repo;

/// What one thread saw for a search, in the order in which it did.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) files: Vec<(Arc<str>, LookedAt)>,
    /// The same for all searches that were made at once.
    pub(super) way: Arc<Way>,
}

/// What a thread saw on its way to the files.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// With the signature from before the entries were read; `None` when it could not be had.
    folders: Vec<(Box<Path>, Option<Signature>)>,
    /// Ignore files that decided what was left out; without a signature those that were not there.
    rules: Vec<(PathBuf, Option<Signature>)>,
}

/// What a search saw in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookedAt {
    /// `None` when the file had been read by somebody else.
    pub(super) signature: Option<Signature>,
    /// Digest of the matching lines; `None` when there is none.
    pub(super) answer: Option<Digest>,
}

/// With fewer files, starting a thread takes longer than looking.
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

/// How closely files are looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Files that were last changed before the run began count as the same: they were searched as they stood
    /// at that moment, all of them.
    Brief,
    /// Every file is looked at, so that what changed since then shows as well.
    Full,
}

/// The files that may have changed since they were `seen`; `None` when there may be others now, so that
/// the walk has to be made again.
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
    // One thread sees most files of a folder one after the other.
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

/// Whether a walk finds the same names in a folder as before.
fn same_entries(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let (Some(before), Ok(folder)) = (before, Folder::open(path)) else {
        return false;
    };
    folder.signature().is_ok_and(|now| now == before) && repo.is_settled(&before)
}

/// Whether an ignore file says the same as before.
fn same_rules(repo: &Repo, path: &Path, before: Option<Signature>) -> bool {
    let now = path.symlink_metadata().ok();
    let now = now.map(|metadata| Signature::of(&metadata));
    now == before && before.is_none_or(|before| repo.is_settled(&before))
}
