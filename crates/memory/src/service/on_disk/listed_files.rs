//! The memory's files as listed by the disk and by git. They include private files tracked by git
//! and shared files that are ignored, neither of which the snapshot shows.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ChangeStatus, GitAnswer, GitQuery, Snapshot};
use windlass_store::{RootedPath, files_in, folders_in, list_folder};

use super::memory_folder::MemoryFolder;
use crate::{FOLDER, JOURNAL, Memory, is_leftover, is_private};

/// Maximum depth of folders to visit.
const MAX_DEPTH: usize = 16;
/// Number of files at which we stop listing. More findings wouldn't help the user.
const MAX_FILES: usize = 500;
/// Description of a folder whose name looks like a file's.
const A_FOLDER: &str = "a folder";

impl MemoryFolder {
    /// Returns private files that are committed or staged, or none if git can't answer.
    pub(crate) fn tracked_private(&self, snapshot: &Snapshot) -> Vec<RepoPath> {
        let cancel = Cancel::default();
        // Before the first commit there's no `HEAD`, and all staged files count as added.
        let head = snapshot.head_commit(&cancel);
        let since = GitQuery::Changes {
            since: "HEAD".to_owned(),
        };
        let (mut added, mut taken_out) = (BTreeSet::new(), BTreeSet::new());
        if let Ok(answer) = snapshot.ask_git(&since, &cancel)
            && let GitAnswer::Changes(changes) = &*answer
        {
            for change in &changes.files {
                match change.status {
                    _ if !is_private(change.path.as_str()) => {}
                    ChangeStatus::Untracked => {}
                    ChangeStatus::Deleted => drop(taken_out.insert(change.path.clone())),
                    _ => drop(added.insert(change.path.clone())),
                }
            }
        }
        let private = head.map(|head| (head, self.files_on_disk(is_private)));
        added.extend(private.into_iter().flat_map(|(head, private)| {
            let is_there = |path: &RepoPath| snapshot.history().blob(&head, path).is_some();
            let kept = private.into_iter().filter(|path| !taken_out.contains(path));
            kept.filter(is_there).collect::<Vec<_>>()
        }));
        added.into_iter().collect()
    }

    /// Returns files in the folder that are missing from `memory` because an ignore file excludes
    /// them.
    pub(crate) fn ignored_files(&self, memory: &Memory) -> Vec<RepoPath> {
        let is_left_out = |path: &str| {
            let is_aside = is_private(path) || is_leftover(path) || path == JOURNAL;
            let is_read = RepoPath::parse(path).is_ok_and(|path| memory.files.has(&path));
            let is_named = memory.files.unnamed.iter().any(|one| one.as_str() == path);
            !is_aside && !is_read && !is_named
        };
        let mut found = self.files_on_disk(is_left_out);
        found.sort();
        found
    }

    /// Returns the folder's links and pipes, and folders named like a file.
    pub(crate) fn odd_files(&self) -> BTreeMap<RepoPath, &'static str> {
        let is_text = |name: &str| [".md", ".jsonl"].iter().any(|end| name.ends_with(end));
        let mut found = BTreeMap::new();
        let mut open = vec![(self.path(), FOLDER.to_owned(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            // Another rule reports a folder that can't be listed.
            let Ok(listed) = list_folder(&folder) else {
                continue;
            };
            let others = listed.others.iter();
            let others = others.map(|(path, kind)| (path, kind.as_str()));
            let folders = listed.folders.iter().map(|path| (path, A_FOLDER));
            for (path, what) in others.chain(folders) {
                let own = path.file_name().map(|own| own.to_string_lossy());
                let name = format!("{name}/{}", own.unwrap_or_default());
                let is_odd = what != A_FOLDER || is_text(&name);
                if is_odd
                    && !is_private(&name)
                    && found.len() < MAX_FILES
                    && let Ok(path) = RepoPath::parse(&name)
                {
                    found.insert(path, what);
                }
            }
            if depth < MAX_DEPTH {
                open.extend(listed.folders.into_iter().map(|inner| {
                    let own = inner.file_name().map(|own| own.to_string_lossy());
                    let name = format!("{name}/{}", own.unwrap_or_default());
                    (inner, name, depth + 1)
                }));
            }
        }
        found
    }

    /// Returns the folder's files whose paths satisfy `is_wanted`, including ignored ones.
    fn files_on_disk(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<RepoPath> {
        let mut found = Vec::new();
        let mut open: Vec<(RootedPath, String, usize)> = vec![(self.path(), FOLDER.to_owned(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            let files = files_in(&folder, |_| true).unwrap_or_default();
            let paths = files.iter().filter_map(|file| {
                let path = RepoPath::parse(&format!("{name}/{}", file.name)).ok()?;
                is_wanted(path.as_str()).then_some(path)
            });
            found.extend(paths);
            if depth >= MAX_DEPTH || found.len() >= MAX_FILES {
                continue;
            }
            for inner in folders_in(&folder).unwrap_or_default() {
                let own = inner
                    .file_name()
                    .map(|own| own.to_string_lossy().into_owned());
                let name = format!("{name}/{}", own.unwrap_or_default());
                open.push((inner, name, depth + 1));
            }
        }
        found
    }
}
