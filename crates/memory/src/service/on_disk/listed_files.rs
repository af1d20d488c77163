//! Lists the files of the memory on disk and in git. In contrast to the snapshot, these lists also
//! have private files that are tracked, and shared files that are ignored.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ChangeStatus, GitAnswer, GitQuery, Snapshot};
use windlass_store::{ListedFile, RootedPath};

use super::memory_folder::MemoryFolder;
use crate::state::walk::{path_in, walk};
use crate::{JOURNAL, Memory, is_leftover, is_private};

/// Maximum number of files in a list. The user would not look at more findings than that anyway.
const MAX_FILES: usize = 500;
const A_FOLDER: &str = "a folder";

impl MemoryFolder {
    /// Private files that are committed or staged. If git fails, the list is empty.
    pub(crate) fn tracked_private(&self, snapshot: &Snapshot) -> Vec<RepoPath> {
        let cancel = Cancel::default();
        // Before the first commit, there's no `HEAD`, and git reports all staged files as added.
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
        // The files that haven't changed since `HEAD` aren't in the answer. Look for those that are
        // on disk.
        let private = head.map(|head| (head, self.files_on_disk(is_private)));
        added.extend(private.into_iter().flat_map(|(head, private)| {
            let is_there = |path: &RepoPath| snapshot.history().blob(&head, path).is_some();
            let kept = private.into_iter().filter(|path| !taken_out.contains(path));
            kept.filter(is_there).collect::<Vec<_>>()
        }));
        added.into_iter().collect()
    }

    /// Files in the folder that `memory` does not have, because an ignore file excludes them.
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

    /// Links and pipes in the folder, and folders with the name of a file. (Folders that cannot be
    /// read are reported separately.)
    pub(crate) fn odd_files(&self) -> BTreeMap<RepoPath, &'static str> {
        let is_text = |name: &str| [".md", ".jsonl"].iter().any(|end| name.ends_with(end));
        let mut found = BTreeMap::new();
        let root = RootedPath::new(self.site.repo().root());
        walk(&root, &|_| true, &mut |folder, listed| {
            let others = listed.into_iter().flat_map(|listed| &listed.others);
            let others = others.map(|(path, kind)| (path, kind.as_str()));
            let folders = listed.into_iter().flat_map(|listed| &listed.folders);
            let folders = folders.map(|path| (path, A_FOLDER));
            for (path, what) in others.chain(folders) {
                let name = path_in(folder, path);
                let is_odd = what != A_FOLDER || is_text(&name);
                if is_odd
                    && !is_private(&name)
                    && found.len() < MAX_FILES
                    && let Ok(path) = RepoPath::parse(&name)
                {
                    found.insert(path, what);
                }
            }
        });
        found
    }

    /// Files in the folder, including ignored ones.
    fn files_on_disk(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<RepoPath> {
        let mut found = Vec::new();
        let root = RootedPath::new(self.site.repo().root());
        walk(&root, &|_| true, &mut |folder, listed| {
            let files = listed.into_iter().flat_map(|listed| &listed.files);
            let files = files.filter_map(ListedFile::look);
            let paths = files.map(|file| format!("{folder}/{}", file.name));
            let paths = paths.filter(|path| is_wanted(path));
            let room = MAX_FILES.saturating_sub(found.len());
            found.extend(paths.flat_map(|path| RepoPath::parse(&path)).take(room));
        });
        found
    }
}
