//! Which commit wrote a citation: the one that first put it into the document, not the one that last touched its line.
//!
//! Who mends a word beside a citation, or has another one on the same line written anew, has not looked at what it cites. As
//! long as a citation names the same lines, it means what it meant.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use windlass_base::{LineSpan, RepoPath};
use windlass_cite::Citation;
use windlass_repo::{Git, GitError, LineWriter, Snapshot};

use super::Document;
use super::around::sentence;
use super::copied::{changed_with, index_in, sources};
use super::counterparts::counterparts;
use super::renamed::{file_at, follows_its_file};
use super::renumbered::renumbered;
use super::resolve::candidates;
use super::reworded::{reordered, reworded};

/// How many commits that edited the line of a citation are gone back through.
const MAX_EDITS: usize = 200;

/// A document at a commit; in the working tree where there is none.
type State = (Option<String>, RepoPath);

/// The commit that wrote a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Its full id.
    pub(crate) commit: String,
    /// Whether history is cut off there: the citation may be older.
    pub(crate) is_cut_off: bool,
    /// The file that it named there, where that has another name since.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// A citation that is gone after, as a state of its document has it.
struct Sought {
    document: Rc<Document>,
    citation: usize,
    line: u32,
    /// Whether its path was mended since, as the file got another name.
    is_renamed: bool,
}

impl Sought {
    fn citation(&self) -> &Citation {
        &self.document.citations[self.citation]
    }

    /// What `commit` says of it, which wrote it or the line of it; nothing where it does not have the file.
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

/// Who wrote the citations of a document, by their indices.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// The commits that did. What is in no commit yet has none.
    pub(super) known: BTreeMap<usize, Writer>,
    /// Those of which git cannot say it, with the reason.
    pub(super) failed: BTreeMap<usize, String>,
}

impl Writers {
    /// No writers of the citations `wanted`, since git cannot be asked.
    pub(super) fn failed(wanted: &[usize], error: &GitError) -> Self {
        let failed = wanted.iter().map(|index| (*index, error.to_string()));
        Self {
            known: BTreeMap::new(),
            failed: failed.collect(),
        }
    }
}

/// Who wrote these citations of `document`, by their indices. The document is as it is in the working tree, or at the commit `at` (a
/// full id).
pub(super) fn writers(
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
            let written = match git.line_writers(commit.as_deref(), &name, &lines) {
                Ok(written) => written,
                Err(error) => {
                    for (index, _) in citations {
                        match found.get_mut(&index) {
                            // Known at least so far back.
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
                // Known at least so far back, wherever the way ends.
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

/// What documents were.
struct Past<'a> {
    git: &'a Git,
    snapshot: &'a Snapshot,
    documents: BTreeMap<(String, RepoPath), Option<Rc<Document>>>,
    /// The documents from which what a commit wrote into one may be copied, with the commit before it.
    sources: BTreeMap<(String, RepoPath), Option<Rc<Sources>>>,
    /// Of documents that commits made anew: the commit before the one that deleted them.
    deleted: BTreeMap<(String, RepoPath), Option<String>>,
    /// The first parents of commits; `Err` where git cannot read on.
    parents: BTreeMap<String, Result<Option<String>, Torn>>,
}

/// History cannot be read on: a commit is missing, or broken.
#[derive(Debug, Clone, Copy)]
struct Torn;

/// A commit, and documents of it.
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
        let commits = self.git.log(Some(commit), &[], 1).map_err(|_| Torn);
        let parent = commits.and_then(|commits| {
            let commit = commits.first().ok_or(Torn)?;
            Ok(commit.parents.first().cloned())
        });
        self.parents.insert(commit.to_owned(), parent.clone());
        parent
    }

    /// Whether `writer` is only the first that git can tell of, as it cannot read what was before.
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

    /// The last state of the document that `writer` made anew, where there was one by that name before: it was put back.
    fn before_it_was_deleted(&mut self, writer: &LineWriter) -> Option<(String, RepoPath)> {
        let commit = writer.commit.as_ref()?;
        let key = (commit.clone(), writer.file.clone());
        if !self.deleted.contains_key(&key) {
            let paths = std::slice::from_ref(&writer.file);
            let parent = self.parent_of(commit).ok().flatten();
            let commits = parent.and_then(|parent| self.git.log(Some(&parent), paths, 1).ok());
            let last = commits.and_then(|commits| commits.into_iter().next());
            let parent = last.and_then(|last| last.parents.into_iter().next());
            self.deleted.insert(key.clone(), parent);
        }
        let parent = self.deleted.get(&key)?.clone()?;
        Some((parent, writer.file.clone()))
    }

    /// Where `sought` stood before `writer` wrote its line, if it did.
    fn before(&mut self, sought: &Sought, writer: &LineWriter) -> Option<(State, Sought)> {
        let then = match &writer.commit {
            Some(commit) => self.get(commit, &writer.file)?,
            None => Rc::clone(&sought.document),
        };
        let citation = sought.citation();
        let is_it = |one: &Citation| {
            one.line == writer.line && is_same(&sought.document, citation, &then, one)
        };
        // Of several on one line that are the same, all have the same story.
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

    /// The citation of `before` that the one at `index` of `then` was already, and whether its path was another.
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
        // A path that is longer has the lines of its sentence broken elsewhere.
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

    /// Where the citation at `index` of `then` stood in another document, when `writer` made its own.
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

    /// The documents that its commit changed as well, and those that cite what it has new.
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

/// Which citations of `now` were citations of `before` already, by their indices: those that say the same as what stood in their
/// place, those that were put in another order, and those that came from elsewhere in the document, where nothing else took their place. And which were written anew with
/// the words around them, in place of which others.
fn carried(
    before: &Document,
    now: &Document,
    places: &BTreeMap<usize, usize>,
) -> (BTreeMap<usize, usize>, BTreeMap<usize, usize>) {
    let stays = |(new, old): &(&usize, &usize)| {
        is_same(before, &before.citations[**old], now, &now.citations[**new])
    };
    let stayed = places.iter().filter(stays);
    let mut carried: BTreeMap<usize, usize> = stayed.map(|(new, old)| (*new, *old)).collect();
    carried.extend(reordered(before, now));
    let taken: BTreeSet<usize> = places.values().chain(carried.values()).copied().collect();
    let mut free: BTreeMap<Option<LineSpan>, Vec<usize>> = BTreeMap::new();
    for (index, citation) in before.citations.iter().enumerate() {
        if !taken.contains(&index) {
            free.entry(citation.lines).or_default().push(index);
        }
    }
    let mut anew = BTreeMap::new();
    for may_be_edited in [false, true] {
        if may_be_edited {
            let mut old: Vec<usize> = free.values().flatten().copied().collect();
            old.sort_unstable();
            let is_open =
                |index: &usize| !places.contains_key(index) && !carried.contains_key(index);
            let new: Vec<usize> = (0..now.citations.len()).filter(is_open).collect();
            anew = reworded(before, now, &old, &new);
        }
        for (index, citation) in now.citations.iter().enumerate() {
            let is_known = places.contains_key(&index) || carried.contains_key(&index);
            if is_known || anew.contains_key(&index) {
                continue;
            }
            let Some(free) = free.get_mut(&citation.lines) else {
                continue;
            };
            let fits = |old: &usize| {
                let old = &before.citations[*old];
                match may_be_edited {
                    false => before.line_of(old) == now.line_of(citation),
                    true => is_same(before, old, now, citation),
                }
            };
            if let Some(at) = free.iter().position(fits) {
                carried.insert(index, free.remove(at));
            }
        }
    }
    (carried, anew)
}

/// The citations of `before` that those of `now` may have been written in place of, by the indices of the latter: which stood
/// where they stand, or are not there any more, on lines that differ by what they cite alone; or had their place in the order of what
/// was written in other words.
pub(super) fn rewritten(before: &Document, now: &Document) -> BTreeMap<usize, Vec<usize>> {
    let places = counterparts(before, now);
    let (carried, anew) = carried(before, now, &places);
    let kept: BTreeSet<usize> = carried.values().chain(places.values()).copied().collect();
    let mut lost: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, citation) in before.citations.iter().enumerate() {
        if !kept.contains(&index) {
            let line = before.line_without_citations(citation);
            lost.entry(line).or_default().push(index);
        }
    }
    let citations = now.citations.iter().enumerate();
    let new = citations.filter(|(index, _)| !carried.contains_key(index));
    new.filter_map(|(index, citation)| match places.get(&index) {
        Some(place) => Some((index, vec![*place])),
        None => {
            let lost = lost.get(&now.line_without_citations(citation)).cloned();
            let own = anew.get(&index).map(|old| vec![*old]);
            Some((index, own.or(lost)?))
        }
    })
    .collect()
}

/// Whether `document` has a citation of the same lines as `citation` of `other`.
pub(super) fn has_same(document: &Document, other: &Document, citation: &Citation) -> bool {
    let mut citations = document.citations.iter();
    citations.any(|one| names_same(document, one, other, citation))
}

/// Whether two citations say the same: of the same lines, and with the same text in their blocks of code.
pub(super) fn is_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    names_same(one, cited, other, also) && one.shown(cited) == other.shown(also)
}

/// Whether two citations name the same lines, and write the same path or mean the same file.
fn names_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    cited.lines == also.lines
        && (cited.path == also.path || is_of_same_file(one, cited, other, also))
}

/// Whether two citations name the same lines of the same file, however they write its path.
pub(super) fn is_of_same_file(
    one: &Document,
    cited: &Citation,
    other: &Document,
    also: &Citation,
) -> bool {
    let file = |document: &Document, citation| {
        let files = candidates(&document.name, citation).into_iter();
        files.map(|(_, file)| file).next()
    };
    cited.lines == also.lines && file(one, cited).is_some_and(|one| file(other, also) == Some(one))
}
