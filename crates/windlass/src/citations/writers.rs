//! Which commit wrote a citation: the one that first put it into the document, not the one that last touched its line.
//!
//! Who mends a word beside a citation, or has another one on the same line written anew, has not looked at what it cites. As
//! long as a citation names the same lines, it means what it meant.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{LineSpan, RepoPath};
use windlass_cite::Citation;
use windlass_repo::{Git, LineWriter, Snapshot};

use super::Document;
use super::copied::{changed_with, line_in, sources};
use super::counterparts::counterparts;
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
}

/// For each of these citations of `document`, by its index, the commit that wrote it. What is in no commit yet has none. The
/// document is as it is in the working tree, or at the commit `at` (a full id).
pub(super) fn writers(
    git: &Git,
    snapshot: &Snapshot,
    document: &Document,
    at: Option<&str>,
    wanted: &[usize],
) -> BTreeMap<usize, Writer> {
    let renumbered = renumbered(git, snapshot, document, at);
    let (mut found, mut past) = (BTreeMap::new(), Past::of(git, snapshot));
    for index in wanted {
        if let Some(Some(writer)) = renumbered.get(index) {
            found.insert(*index, writer.clone());
        }
    }
    let wanted = wanted
        .iter()
        .filter(|index| !renumbered.contains_key(index));
    let line = |index: &usize| Some((*index, document.citations.get(*index)?.line));
    let mut open = BTreeMap::from([(
        (at.map(str::to_owned), document.name.clone()),
        wanted.filter_map(line).collect::<Vec<(usize, u32)>>(),
    )]);
    for _ in 0..MAX_EDITS {
        let mut before: BTreeMap<State, Vec<(usize, u32)>> = BTreeMap::new();
        for ((commit, name), citations) in std::mem::take(&mut open) {
            let lines: BTreeSet<u32> = citations.iter().map(|(_, line)| *line).collect();
            let lines: Vec<u32> = lines.into_iter().collect();
            let written = git.line_writers(commit.as_deref(), &name, &lines);
            let written = written.unwrap_or_default();
            for (index, line) in citations {
                let Some(writer) = written.get(&line) else {
                    continue;
                };
                // Known at least so far back, wherever the way ends.
                if let Some(commit) = &writer.commit {
                    let (commit, is_cut_off) = (commit.clone(), writer.is_cut_off);
                    found.insert(index, Writer { commit, is_cut_off });
                }
                let citation = &document.citations[index];
                if let Some((state, line)) = past.line_before(document, citation, writer) {
                    before.entry(state).or_default().push((index, line));
                }
            }
        }
        open = before;
        if open.is_empty() {
            break;
        }
    }
    found
}

/// What documents were.
struct Past<'a> {
    git: &'a Git,
    snapshot: &'a Snapshot,
    documents: BTreeMap<(String, RepoPath), Option<Document>>,
    /// The documents from which what a commit wrote into one may be copied, with the commit before it.
    sources: BTreeMap<(String, RepoPath), Option<Sources>>,
}

/// A commit, and documents of it.
type Sources = (String, Vec<Document>);

impl<'a> Past<'a> {
    fn of(git: &'a Git, snapshot: &'a Snapshot) -> Self {
        Self {
            git,
            snapshot,
            documents: BTreeMap::new(),
            sources: BTreeMap::new(),
        }
    }

    fn read(&mut self, commit: &str, name: &RepoPath) {
        let key = (commit.to_owned(), name.clone());
        if !self.documents.contains_key(&key) {
            let document = Document::at(self.snapshot, commit, name);
            self.documents.insert(key, document);
        }
    }

    fn get(&self, commit: &str, name: &RepoPath) -> Option<&Document> {
        let key = (commit.to_owned(), name.clone());
        self.documents.get(&key)?.as_ref()
    }

    /// The last state of the document that `writer` made anew, where there was one by that name before: it was put back.
    fn before_it_was_deleted(&self, writer: &LineWriter) -> Option<(String, RepoPath)> {
        let before = format!("{}~1", writer.commit.as_ref()?);
        let paths = std::slice::from_ref(&writer.file);
        let commits = self.git.log(Some(&before), paths, 1).ok()?;
        let parent = commits.first()?.parents.first()?;
        Some((parent.clone(), writer.file.clone()))
    }

    /// Where `citation` of `now` stood in another document, when `writer` made its own.
    fn copied_from(
        &mut self,
        now: &Document,
        citation: &Citation,
        writer: &LineWriter,
    ) -> Option<(State, u32)> {
        let commit = writer.commit.as_ref()?;
        self.read(commit, &writer.file);
        let key = (commit.clone(), writer.file.clone());
        if !self.sources.contains_key(&key) {
            let sources = self.sources_of(commit, writer);
            self.sources.insert(key.clone(), sources);
        }
        let then = self.get(commit, &writer.file)?;
        let mut citations = then.citations.iter();
        let is_it = |one: &&Citation| one.line == writer.line && is_same(now, citation, then, one);
        let citation = citations.find(is_it)?;
        let (parent, sources) = self.sources.get(&key)?.as_ref()?;
        sources.iter().find_map(|source| {
            let line = line_in(source, then, citation)?;
            Some(((Some(parent.clone()), source.name.clone()), line))
        })
    }

    /// Of a document that is new, all that its commit found; else those that the commit changed as well.
    fn sources_of(&self, commit: &str, writer: &LineWriter) -> Option<Sources> {
        let document = self.get(commit, &writer.file)?;
        if let Some((parent, _)) = &writer.before {
            let sources = changed_with(self.git, self.snapshot, (commit, parent), document);
            return Some((parent.clone(), sources));
        }
        let commits = self.git.log(Some(commit), &[], 1).ok()?;
        let parent = commits.first()?.parents.first()?;
        let sources = sources(self.git, self.snapshot, parent, document);
        Some((parent.clone(), sources))
    }

    /// Where `citation` of `now` stood before `writer` wrote its line, if it did.
    fn line_before(
        &mut self,
        now: &Document,
        citation: &Citation,
        writer: &LineWriter,
    ) -> Option<(State, u32)> {
        let before = writer.before.clone();
        let before = before.or_else(|| self.before_it_was_deleted(writer));
        let Some((parent, name)) = &before else {
            return self.copied_from(now, citation, writer);
        };
        self.read(parent, name);
        if let Some(commit) = &writer.commit {
            self.read(commit, &writer.file);
        }
        let then = match &writer.commit {
            Some(commit) => self.get(commit, &writer.file)?,
            None => now,
        };
        let before = self.get(parent, name)?;
        let on_line = |document: &Document, line: u32| -> Vec<usize> {
            let all = document.citations.iter().enumerate();
            let own = all.filter(|(_, one)| one.line == line);
            let same = own.filter(|(_, one)| is_same(now, citation, document, one));
            same.map(|(index, _)| index).collect()
        };
        // Of several on one line that are the same, all have the same story.
        let index = *on_line(then, writer.line).first()?;
        let places = counterparts(before, then);
        let Some(old) = carried(before, then, &places).0.get(&index).copied() else {
            return self.copied_from(now, citation, writer);
        };
        let line = before.citations.get(old)?.line;
        Some(((Some(parent.clone()), name.clone()), line))
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
