//! Finds the commit that wrote a citation. This is the commit that first put it into the document
//! rather than the last one to change its line.
//!
//! Suppose someone edits the text next to a citation, or another citation on its line. That doesn't
//! show that they checked this citation too. So it keeps its meaning as long as it names the same
//! lines.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use windlass_base::RepoPath;
use windlass_repo::{Git, LineWriter, Snapshot};

use super::carried::carried;
use super::copied_documents::{changed_with, index_in, sources};
use super::counterparts::counterparts;
use super::renamed_files::{file_at, follows_its_file};
use super::renumbered::renumbered;
use super::same_citations::is_same;
use super::sentences::sentence;
use super::writer::{Writer, Writers};
use crate::cited_document::Document;
use crate::params::MAX_EDITS;
use crate::scanner::Citation;

/// A document's state: the commit, or `None` for the working tree, and its path there.
type State = (Option<String>, RepoPath);

/// A citation we're tracing back, in one state of its document.
struct Sought {
    document: Rc<Document>,
    citation: usize,
    line: u32,
    /// True if its path was updated later because the file was renamed.
    is_renamed: bool,
}

impl Sought {
    fn citation(&self) -> &Citation {
        &self.document.citations[self.citation]
    }

    /// Returns `commit` as the writer, or `None` if the commit doesn't have the cited file.
    fn written_by(&self, snapshot: &Snapshot, commit: &str, is_cut_off: bool) -> Option<Writer> {
        let renamed_from = match self.is_renamed {
            true => Some(file_at(
                snapshot,
                Some(commit),
                &self.document,
                self.citation(),
            )?),
            false => None,
        };
        let commit = commit.to_owned();
        Some(Writer {
            commit,
            is_cut_off,
            renamed_from,
        })
    }
}

/// Finds the commits that wrote the `wanted` citations of `document`, by index. The document is in
/// the state of the working tree, or of the commit `at` (a full id).
pub(crate) fn writers(
    git: &Git,
    snapshot: &Snapshot,
    document: &Document,
    at: Option<&str>,
    wanted: &[usize],
) -> Writers {
    let renumbered = renumbered(git, snapshot, document, at);
    let (mut found, mut failed) = (BTreeMap::new(), BTreeMap::new());
    let mut past = Past::of(git, snapshot);
    for index in wanted {
        if let Some(Some(writer)) = renumbered.get(index) {
            found.insert(*index, writer.clone());
        }
    }
    let wanted = wanted
        .iter()
        .filter(|index| !renumbered.contains_key(index));
    let now = Rc::new(document.clone());
    let sought = |index: &usize| {
        let citation = now.citations.get(*index)?;
        let sought = Sought {
            document: Rc::clone(&now),
            citation: *index,
            line: citation.line,
            is_renamed: false,
        };
        Some((*index, sought))
    };
    let start = (at.map(str::to_owned), document.name.clone());
    let mut open = BTreeMap::from([(start, wanted.filter_map(sought).collect::<Vec<_>>())]);
    for _ in 0..MAX_EDITS {
        let mut before: BTreeMap<State, Vec<(usize, Sought)>> = BTreeMap::new();
        for ((commit, name), citations) in std::mem::take(&mut open) {
            let lines: BTreeSet<u32> = citations.iter().map(|(_, sought)| sought.line).collect();
            let lines: Vec<u32> = lines.into_iter().collect();
            let written = match git.blame().line_writers(commit.as_deref(), &name, &lines) {
                Ok(written) => written,
                Err(error) => {
                    for (index, _) in citations {
                        match found.get_mut(&index) {
                            // We know that the citation is at least as old as this commit, so the
                            // failure only cuts off its history.
                            Some(writer) => writer.is_cut_off = true,
                            None => drop(failed.insert(index, error.to_string())),
                        }
                    }
                    continue;
                }
            };
            for (index, sought) in citations {
                let Some(writer) = written.get(&sought.line) else {
                    continue;
                };
                // We know that the citation is at least as old as this commit, but the search may
                // have stopped at an older one.
                if let Some(commit) = &writer.commit
                    && let is_cut_off = (writer.is_cut_off || past.is_torn_before(writer))
                    && let Some(writer) = sought.written_by(snapshot, commit, is_cut_off)
                {
                    found.insert(index, writer);
                }
                if let Some((state, sought)) = past.before(&sought, writer) {
                    before.entry(state).or_default().push((index, sought));
                }
            }
        }
        open = before;
        if open.is_empty() {
            break;
        }
    }
    Writers {
        known: found,
        failed,
    }
}

/// The cached history of documents.
struct Past<'a> {
    git: &'a Git,
    snapshot: &'a Snapshot,
    documents: BTreeMap<(String, RepoPath), Option<Rc<Document>>>,
    /// The commit before a commit, and the documents that text may have been copied from, by commit
    /// and document.
    sources: BTreeMap<(String, RepoPath), Option<Rc<Sources>>>,
    /// The commit before a document's deletion, for a commit that created it again.
    deleted: BTreeMap<(String, RepoPath), Option<String>>,
    /// First parents of commits, or `Err` if git can't read further back.
    parents: BTreeMap<String, Result<Option<String>, Torn>>,
}

/// The history can't be read further back, because a commit is missing or damaged.
#[derive(Debug, Clone, Copy)]
struct Torn;

/// A commit, and the documents read from it.
type Sources = (String, Vec<Rc<Document>>);

impl<'a> Past<'a> {
    fn of(git: &'a Git, snapshot: &'a Snapshot) -> Self {
        Self {
            git,
            snapshot,
            documents: BTreeMap::new(),
            sources: BTreeMap::new(),
            deleted: BTreeMap::new(),
            parents: BTreeMap::new(),
        }
    }

    fn parent_of(&mut self, commit: &str) -> Result<Option<String>, Torn> {
        if let Some(known) = self.parents.get(commit) {
            return known.clone();
        }
        let commits = self
            .git
            .commits()
            .log(Some(commit), &[], 1)
            .map_err(|_| Torn);
        let parent = commits.and_then(|commits| {
            let commit = commits.first().ok_or(Torn)?;
            Ok(commit.parents.first().cloned())
        });
        self.parents.insert(commit.to_owned(), parent.clone());
        parent
    }

    /// True if `writer` is only the first commit because git can't read older ones.
    fn is_torn_before(&mut self, writer: &LineWriter) -> bool {
        let commit = writer.commit.as_ref();
        let first = commit.filter(|_| writer.before.is_none());
        first.is_some_and(|commit| self.parent_of(commit).is_err())
    }

    fn get(&mut self, commit: &str, name: &RepoPath) -> Option<Rc<Document>> {
        let key = (commit.to_owned(), name.clone());
        let read = || Document::at(self.snapshot, commit, name).map(Rc::new);
        self.documents.entry(key).or_insert_with(read).clone()
    }

    /// Returns a document's last state before its deletion, if `writer` created it again.
    fn before_it_was_deleted(&mut self, writer: &LineWriter) -> Option<(String, RepoPath)> {
        let commit = writer.commit.as_ref()?;
        let key = (commit.clone(), writer.file.clone());
        if !self.deleted.contains_key(&key) {
            let paths = std::slice::from_ref(&writer.file);
            let parent = self.parent_of(commit).ok().flatten();
            let commits =
                parent.and_then(|parent| self.git.commits().log(Some(&parent), paths, 1).ok());
            let last = commits.and_then(|commits| commits.into_iter().next());
            let parent = last.and_then(|last| last.parents.into_iter().next());
            self.deleted.insert(key.clone(), parent);
        }
        let parent = self.deleted.get(&key)?.clone()?;
        Some((parent, writer.file.clone()))
    }

    /// Returns the state of `sought` before `writer`, or `None` if it didn't exist.
    fn before(&mut self, sought: &Sought, writer: &LineWriter) -> Option<(State, Sought)> {
        let then = match &writer.commit {
            Some(commit) => self.get(commit, &writer.file)?,
            None => Rc::clone(&sought.document),
        };
        let citation = sought.citation();
        let is_it = |one: &Citation| {
            one.line == writer.line && is_same(&sought.document, citation, &then, one)
        };
        // Equal citations on one line share their history, so use the first one.
        let index = then.citations.iter().position(is_it)?;
        let place = writer.before.clone();
        let place = place.or_else(|| self.before_it_was_deleted(writer));
        let here = place.and_then(|(parent, name)| {
            let before = self.get(&parent, &name)?;
            let (old, is_renamed) = self.same_before(&before, &then, index, writer)?;
            Some((parent, before, old, is_renamed))
        });
        let elsewhere = || {
            let (parent, before, old) = self.copied_from(&then, index, writer)?;
            Some((parent, before, old, false))
        };
        let (parent, document, citation, is_renamed) = here.or_else(elsewhere)?;
        let state = (Some(parent), document.name.clone());
        let sought = Sought {
            line: document.citations.get(citation)?.line,
            document,
            citation,
            is_renamed: is_renamed || sought.is_renamed,
        };
        Some((state, sought))
    }

    /// Returns the citation of `before` that equals the one at `index` in `then`, and true if its
    /// path differed.
    fn same_before(
        &self,
        before: &Document,
        then: &Document,
        index: usize,
        writer: &LineWriter,
    ) -> Option<(usize, bool)> {
        let places = counterparts(before, then);
        if let Some(old) = carried(before, then, &places).0.get(&index) {
            return Some((*old, false));
        }
        let new = &then.citations[index];
        let follows = |old: &usize| {
            let old = (before, &before.citations[*old]);
            follows_its_file(self.snapshot, writer.commit.as_deref(), old, (then, new))
        };
        let in_its_place = places.get(&index).copied();
        // A longer path can change the line breaks in its sentence, so the line itself needn't
        // match.
        let in_its_sentence = || {
            let own = Some(sentence(then, new)).filter(|(words, _)| !words.is_empty())?;
            let old = before.citations.iter();
            let has_it = |old: &Citation| old.lines == new.lines && sentence(before, old) == own;
            old.enumerate()
                .find(|(_, old)| has_it(old))
                .map(|(index, _)| index)
        };
        let old = in_its_place.or_else(in_its_sentence).filter(follows)?;
        Some((old, true))
    }

    /// Returns the citation in another document that was copied by `writer`.
    fn copied_from(
        &mut self,
        then: &Document,
        index: usize,
        writer: &LineWriter,
    ) -> Option<(String, Rc<Document>, usize)> {
        let key = (writer.commit.clone()?, writer.file.clone());
        if !self.sources.contains_key(&key) {
            let sources = self.sources_of(then, writer).map(Rc::new);
            self.sources.insert(key.clone(), sources);
        }
        let (parent, sources) = &**self.sources.get(&key)?.as_ref()?;
        let citation = &then.citations[index];
        sources.iter().find_map(|source| {
            let old = index_in(source, then, citation)?;
            Some((parent.clone(), Rc::clone(source), old))
        })
    }

    /// Returns the other documents changed by the commit, and those containing its new citations.
    fn sources_of(&mut self, then: &Document, writer: &LineWriter) -> Option<Sources> {
        let commit = writer.commit.as_ref()?;
        let (parent, before, mut found) = match &writer.before {
            Some((parent, name)) => {
                let found = changed_with(self.git, self.snapshot, (commit, parent), then);
                (parent.clone(), self.get(parent, name), found)
            }
            None => (self.parent_of(commit).ok()??, None, Vec::new()),
        };
        let others = sources(self.git, self.snapshot, &parent, then, before.as_deref());
        found.extend(others);
        Some((parent, found.into_iter().map(Rc::new).collect()))
    }
}
