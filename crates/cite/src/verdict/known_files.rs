//! Facts about cited files that only git knows: whether the file has ever existed, and whether git
//! applies a filter such as Git LFS or git-crypt to it. Commits do not contain the actual lines of
//! a filtered file.

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

pub(super) struct KnownFiles<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// `None` in a folder without a repository, and an error if git cannot be used.
    pub(super) git: Option<Result<Git, GitError>>,
    pub(super) anchors: Vec<&'a Anchor>,
    /// True for files in some commit. `None` if git could not answer.
    were_there: RefCell<BTreeMap<RepoPath, Option<bool>>>,
    /// True for files with a git filter.
    pub(super) filtered: RefCell<BTreeMap<RepoPath, bool>>,
    /// Number of strings skipped because they name no existing file. With a truncated history, some
    /// of them may be citations.
    untold: Cell<usize>,
}

impl<'a> KnownFiles<'a> {
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

    pub(super) fn untold(&self) -> usize {
        self.untold.get()
    }

    /// Removes strings such as `localhost:80`, which name neither a file (present or past) nor a
    /// folder. This spares git the search for the commits that wrote them.
    pub(super) fn retain_possible_citations(
        &self,
        document: &Document,
        wanted: &mut Vec<(usize, &Citation)>,
    ) {
        let Some(git) = &self.git else { return };
        let citations = wanted.iter().map(|(_, citation)| *citation);
        self.learn_former_files(citations.map(|citation| (document, citation)));
        let were_there = self.were_there.borrow();
        let is_shallow = git.as_ref().is_ok_and(Git::is_shallow);
        wanted.retain(|(_, citation)| {
            let is_path = citation.path.contains(['.', '/']);
            let may_have_been = |file: RepoPath| match were_there.get(&file) {
                Some(Some(was_there)) => *was_there,
                // Git can't answer, so any plausible path may be a citation.
                Some(None) => is_path,
                None => true,
            };
            let is_kept = !self.is_open(document, citation)
                || files(document, citation).any(may_have_been)
                || in_known_folder(self.snapshot, &document.name, citation).is_some();
            if !is_kept && is_shallow && is_path {
                self.untold.update(|untold| untold + 1);
            }
            is_kept
        });
    }

    /// Determines the former files among `citations`, in one pass over the history for all of them.
    pub(super) fn learn_former_files<'c>(
        &self,
        citations: impl Iterator<Item = (&'c Document, &'c Citation)>,
    ) {
        let Some(git) = &self.git else { return };
        let mut were_there = self.were_there.borrow_mut();
        let open = citations.filter(|(document, citation)| self.is_open(document, citation));
        let open: BTreeSet<RepoPath> = open
            .flat_map(|(document, citation)| files(document, citation))
            .filter(|file| !were_there.contains_key(file))
            .collect();
        let git = git.as_ref().ok();
        let found = git.and_then(|git| git.commits().files_that_were(&open).ok());
        were_there.extend(open.into_iter().map(|file| {
            let was_there = found.as_ref().map(|found| found.contains(&file));
            (file, was_there)
        }));
    }

    /// Returns true if only the history can decide if a text is a citation.
    fn is_open(&self, document: &Document, citation: &Citation) -> bool {
        let is_anchored = |file: &RepoPath| {
            self.anchors
                .iter()
                .any(|anchor| pointers(anchor).any(|one| one.file == *file))
        };
        citation.setting != Setting::Link
            && !files(document, citation)
                .any(|file| is_file(self.snapshot, &file) || is_anchored(&file))
    }

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
        // If git fails here, later queries fail too and report the error.
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

fn files(document: &Document, citation: &Citation) -> impl Iterator<Item = RepoPath> {
    let all = candidates(&document.name, citation).into_iter();
    all.map(|(_, file)| file)
}

/// Finds the missing file behind `citation`, provided its folder exists.
///
/// In code, a path into an existing folder is most likely a citation of a deleted file. In plain
/// text it is not, since the text may quote the output of another project.
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
