//! Finds the commit that wrote a citation, i.e. first put the citation into the document. Later
//! changes of its line do not count.
//!
//! Someone who edits the text next to a citation, or another citation on the same line, has not
//! necessarily checked this citation too. So the citation keeps its meaning while it names the same
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

/// State of a document: the commit, or `None` for the working tree, and the path there.
type State = (Option<String>, RepoPath);

/// A citation to trace back, in one state of its document.
struct Sought {
    document: Rc<Document>,
    citation: usize,
    line: u32,
    /// True if a later state names another path, because the file was renamed in between.
    is_renamed: bool,
}

impl Sought {
    fn citation(&self) -> &Citation {
        &self.document.citations[self.citation]
    }

    /// Names `commit` as the writer. Returns `None` if the cited file was renamed later and
    /// `commit` lacks it under its former name.
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

/// Finds the commits that wrote the `wanted` citations of `document`, given by index. `at` is the
/// commit of this state (a full id), or `None` for the working tree.
pub(crate) fn writers(
    git: &Git,
    snapshot: &Snapshot,
    document: &Document,
    at: Option<&str>,
    wanted: &[usize],
) -> Writers {
    if wanted.is_empty() {
        return Writers::default();
    }
    let renumbered = renumbered(git, snapshot, document, at);
    let (mut found, mut failed) = (BTreeMap::new(), BTreeMap::new());
    let mut past = Past::of(git, snapshot);
    for index in wanted {
        if let Some(Some(writer)) = renumbered.get(index) {
            found.insert(*index, writer.clone());
        }
    }
    // We know the commits of the renumbered citations, for which blame would be wrong. For the
    // others, go from each commit that changed the line to the one before, as long as that has the
    // citation too.
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
    // Citations in the same state of a document are traced together, because a single call of blame
    // can tell about all of their lines.
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
                            // An earlier round found a commit with the citation. This is still
                            // true, but an older one may exist.
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
                // This commit contains the citation. Record it now, since the search for an older
                // one may fail.
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

/// Past states of documents, read on demand.
struct Past<'a> {
    git: &'a Git,
    snapshot: &'a Snapshot,
    documents: BTreeMap<(String, RepoPath), Option<Rc<Document>>>,
    /// For each commit and document, the commit before, and the possible origins of copied text.
    sources: BTreeMap<(String, RepoPath), Option<Rc<Sources>>>,
    /// For each commit that restored a deleted document, the last commit with this document.
    deleted: BTreeMap<(String, RepoPath), Option<String>>,
    /// First parents of commits. `Err` if git cannot read further back.
    parents: BTreeMap<String, Result<Option<String>, Torn>>,
}

/// The parent of a commit is missing or damaged.
#[derive(Debug, Clone, Copy)]
struct Torn;

/// A commit, and documents in their state there.
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

    /// Returns true if `writer` only looks like the first commit because git cannot read its
    /// parent.
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

    /// Finds the last state before the deletion if `writer` restored a deleted document.
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

    /// Finds the citation `sought` in the state before `writer`, in this document or in the
    /// original of a copy. Returns `None` if neither contains it.
    fn before(&mut self, sought: &Sought, writer: &LineWriter) -> Option<(State, Sought)> {
        let then = match &writer.commit {
            Some(commit) => self.get(commit, &writer.file)?,
            None => Rc::clone(&sought.document),
        };
        let citation = sought.citation();
        let is_it = |one: &Citation| {
            one.line == writer.line && is_same(&sought.document, citation, &then, one)
        };
        // Equal citations on one line share their history, so any of them will do.
        let index = then.citations.iter().position(is_it)?;
        // If the document was deleted and restored, we continue before its deletion.
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

    /// Finds the citation of `before` that became the one at `index` in `then`. The flag is true if
    /// its path was updated for a renamed file.
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
        // If the new path is longer or shorter, the author may have wrapped the text again. No line
        // is equal then, but the sentence is.
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

    /// Finds the original of a citation that `writer` copied or moved here.
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

    /// Lists the possible origins of copied text in `writer`: the other documents it changed, and
    /// those that already contained one of its new citations.
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
