//! Facts about cited files: if they exist or existed, and if git applies a filter to them. With a
//! filter, as for Git LFS or git-crypt, commits don't contain the lines of the working tree.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;
use windlass_notebook::{Anchor, Notebook};
use windlass_repo::{Git, GitError, Refusal, Snapshot};

use super::saved_anchors::{SavedFor, pointers};
use crate::cited_document::Document;
use crate::cited_path::{From, candidates};
use crate::history::{Writer, Writers, writers};
use crate::scanner::{Citation, Setting};

/// Cache for facts about cited files.
pub(super) struct KnownFiles<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// Access to git, or `None` in a plain folder.
    pub(super) git: Option<Result<Git, GitError>>,
    pub(super) anchors: Vec<&'a Anchor>,
    /// For each missing file, true if some commit had it, or `None` if git can't answer.
    were_there: RefCell<BTreeMap<RepoPath, Option<bool>>>,
    /// For each file, true if git applies a filter to it.
    pub(super) filtered: RefCell<BTreeMap<RepoPath, bool>>,
    /// Number of texts that name no existing file. Since the history is truncated, the file may
    /// have existed.
    untold: Cell<usize>,
}

impl<'a> KnownFiles<'a> {
    /// Creates the cache for the files of `snapshot`, with the anchors of `notebook`.
    pub(super) fn new(snapshot: &'a Snapshot, notebook: Option<&'a Notebook>) -> Self {
        Self {
            snapshot,
            git: match snapshot.repo().git() {
                Err(GitError::NotARepository) => None,
                git => Some(git),
            },
            anchors: notebook.map_or_else(Vec::new, |notebook| notebook.anchors().collect()),
            were_there: RefCell::default(),
            filtered: RefCell::default(),
            untold: Cell::default(),
        }
    }

    /// Returns the number of skipped texts that may be citations. They name no existing file, and
    /// the history is truncated.
    pub(super) fn untold(&self) -> usize {
        self.untold.get()
    }

    /// Removes texts from `wanted` that name no existing or former file and no existing folder,
    /// such as `localhost:80`. This saves the search for the commits that wrote them.
    pub(super) fn retain_possible_citations(
        &self,
        document: &Document,
        wanted: &mut Vec<(usize, &Citation)>,
    ) {
        let Some(git) = &self.git else { return };
        let files = |citation: &Citation| {
            let all = candidates(&document.name, citation).into_iter();
            all.map(|(_, file)| file)
        };
        let is_anchored = |file: &RepoPath| {
            self.anchors
                .iter()
                .any(|anchor| pointers(anchor).any(|one| one.file == *file))
        };
        let is_open = |citation: &Citation| {
            citation.setting != Setting::Link
                && !files(citation).any(|file| is_file(self.snapshot, &file) || is_anchored(&file))
        };
        let mut were_there = self.were_there.borrow_mut();
        let open = wanted.iter().filter(|(_, citation)| is_open(citation));
        let open: BTreeSet<RepoPath> = open
            .flat_map(|(_, citation)| files(citation))
            .filter(|file| !were_there.contains_key(file))
            .collect();
        let found = git
            .as_ref()
            .ok()
            .map(|git| git.commits().files_that_were(&open));
        let found = found.and_then(Result::ok);
        were_there.extend(open.into_iter().map(|file| {
            let was_there = found.as_ref().map(|found| found.contains(&file));
            (file, was_there)
        }));
        let is_shallow = git.as_ref().is_ok_and(Git::is_shallow);
        wanted.retain(|(_, citation)| {
            let is_path = citation.path.contains(['.', '/']);
            let may_have_been = |file: RepoPath| match were_there.get(&file) {
                Some(Some(was_there)) => *was_there,
                // If git can't answer, keep texts that look like a path.
                Some(None) => is_path,
                None => true,
            };
            let is_kept = !is_open(citation)
                || files(citation).any(may_have_been)
                || in_known_folder(self.snapshot, &document.name, citation).is_some();
            if !is_kept && is_shallow && is_path {
                self.untold.update(|untold| untold + 1);
            }
            is_kept
        });
    }

    /// Finds out which of the files that `cited` may refer to have a git filter.
    pub(super) fn ask_filters(&self, document: &Document, cited: &[(usize, &Citation)]) {
        let Some(Ok(git)) = &self.git else { return };
        let mut known = self.filtered.borrow_mut();
        let all = cited
            .iter()
            .flat_map(|(_, citation)| candidates(&document.name, citation));
        let new: BTreeSet<RepoPath> = all
            .map(|(_, file)| file)
            .filter(|file| !known.contains_key(file))
            .collect();
        // If git fails here, later queries fail as well and report it.
        let filtered = git.working_tree().filtered(&new).unwrap_or_default();
        known.extend(new.into_iter().map(|file| {
            let is_filtered = filtered.contains(&file);
            (file, is_filtered)
        }));
    }

    pub(super) fn is_filtered(&self, file: &RepoPath) -> bool {
        self.filtered.borrow().get(file) == Some(&true)
    }

    pub(super) fn writers(
        &self,
        document: &Document,
        at: Option<&str>,
        wanted: &[usize],
    ) -> Writers {
        match &self.git {
            Some(Ok(git)) => writers(git, self.snapshot, document, at, wanted),
            Some(Err(error)) => Writers::failed(wanted, error),
            None => Writers::default(),
        }
    }

    pub(super) fn file(
        &self,
        document: &Document,
        citation: &Citation,
        writer: Option<&Writer>,
    ) -> Option<(From, RepoPath)> {
        let all = candidates(&document.name, citation);
        let is_there = |(_, file): &&(From, RepoPath)| is_file(self.snapshot, file);
        let was_there = |(_, file): &&(From, RepoPath)| {
            let lines = citation.lines;
            let saved = |lines| SavedFor::find(&self.anchors, &document.name, file, lines);
            writer.is_some_and(|writer| self.had(writer, file)) || lines.and_then(saved).is_some()
        };
        let were_there = self.were_there.borrow();
        let may_have_been =
            |(_, file): &&(From, RepoPath)| matches!(were_there.get(file), Some(Some(true) | None));
        let found = all.iter().find(is_there).or(all.iter().find(was_there));
        let found = found.or(all.iter().find(may_have_been));
        let found = found.cloned();
        let found = found.or_else(|| in_known_folder(self.snapshot, &document.name, citation));
        let missing = (citation.setting == Setting::Link).then(|| all.first());
        found.or(missing.flatten().cloned())
    }

    pub(super) fn had(&self, writer: &Writer, file: &RepoPath) -> bool {
        let file = writer.renamed_from.as_ref().unwrap_or(file);
        self.snapshot.history().blob(&writer.commit, file).is_some()
    }
}

/// Returns the file that `citation` refers to, judging by its folder, which exists. Code with a
/// path into a folder of the repository is a citation even if there's no such file. Plain text
/// isn't, because it may quote the output of another project.
fn in_known_folder(
    snapshot: &Snapshot,
    document: &RepoPath,
    citation: &Citation,
) -> Option<(From, RepoPath)> {
    if citation.setting == Setting::Text || !citation.path.contains('/') {
        return None;
    }
    let is_in_folder = |(_, file): &(From, RepoPath)| {
        let (folder, name) = file.as_str().rsplit_once('/')?;
        let folder = RepoPath::parse(folder).ok()?;
        let is_folder = matches!(snapshot.read(&folder), Err(Refusal::Directory));
        (is_folder && name.contains('.')).then_some(())
    };
    let all = candidates(document, citation);
    all.into_iter().find(|one| is_in_folder(one).is_some())
}

fn is_file(snapshot: &Snapshot, file: &RepoPath) -> bool {
    !matches!(
        snapshot.read(file),
        Err(Refusal::Missing | Refusal::Directory)
    )
}
