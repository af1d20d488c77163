//! What became of the lines that a document cites.
//!
//! Which text is meant is asked of witnesses, in this order, and the first that knows it is believed: what a block of code
//! shows; the commit that wrote the citation; where there is none, an anchor that was saved for it; and the citation that it
//! was written in place of, where that confirms it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Freshness, LineSpan, Pointer, RepairOutcome, RepoPath};
use windlass_cite::{Citation, Setting};
use windlass_evidence::{Captured, capture};
use windlass_notebook::{Anchor, Notebook};
use windlass_repo::{Git, GitError, Refusal, Snapshot, SourceFile};

use super::resolve::{From, candidates};
use super::saved::{SavedFor, pointers};
use super::witnesses::{Asked, Before, Told};
use super::writers::{Writer, Writers, writers};
use super::{CitedLines, Document, Meant};
use crate::Workspace;

/// Why a block of code is not written anew where the lines that it cites were edited.
const OWN_TEXT: &str = "the block shows another text than those lines had, so change it by hand";

/// The same of one of which the lines changed since.
const CUT_OFF_BEFORE: &str =
    "history is cut off before it was written, so look whether it was right before";

/// A citation, judged, with what writing it anew needs.
pub(crate) struct JudgedCitation {
    pub(crate) cited: CitedLines,
    /// Which of the document's citations it is.
    pub(crate) index: usize,
    pub(crate) from: From,
    /// Whether its block of code shows the lines word for word, as they were meant.
    pub(crate) is_verbatim: bool,
    /// The commit that wrote it.
    pub(crate) writer: Option<String>,
}

pub(crate) struct Judge<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// Git; `None` in a plain folder.
    pub(super) git: Option<Result<Git, GitError>>,
    pub(super) anchors: Vec<&'a Anchor>,
    /// Presence of missing files in any commit, as far as asked; `None` if git cannot say.
    were_there: RefCell<BTreeMap<RepoPath, Option<bool>>>,
    /// Whether git passes files through a filter, as far as that was asked.
    pub(super) filtered: RefCell<BTreeMap<RepoPath, bool>>,
    /// How many places name no file that is there, and of which nobody can say whether it was: history is cut off.
    untold: Cell<usize>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        workspace: &Workspace,
        snapshot: &'a Snapshot,
        notebook: Option<&'a Notebook>,
    ) -> Self {
        Self {
            snapshot,
            git: match workspace.repo().git() {
                Err(GitError::NotARepository) => None,
                git => Some(git),
            },
            anchors: notebook.map_or_else(Vec::new, |notebook| notebook.anchors().collect()),
            were_there: RefCell::default(),
            filtered: RefCell::default(),
            untold: Cell::default(),
        }
    }

    /// How many of the places that were left out so far may be citations: what they name is not there, and history is cut off.
    pub(crate) fn untold(&self) -> usize {
        self.untold.get()
    }

    /// Judges what `document` cites of files that are wanted. What names no file that is or was there is no citation, but
    /// in a link.
    pub(crate) fn judge(
        &self,
        document: &Document,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Vec<JudgedCitation> {
        let may_be = |(_, citation): &(usize, &Citation)| {
            let all = candidates(&document.name, citation);
            all.iter().any(|(_, file)| is_wanted(file))
        };
        let citations = document.citations.iter().enumerate();
        let mut wanted: Vec<(usize, &Citation)> = citations.filter(may_be).collect();
        self.leave_out_what_names_no_file(document, &mut wanted);
        self.ask_filters(document, &wanted);
        let indices: Vec<usize> = wanted.iter().map(|(index, _)| *index).collect();
        let writers = self.writers(document, None, &indices);
        let mut before = Before::default();
        let judged = wanted.into_iter().filter_map(|(index, citation)| {
            let writer = writers.known.get(&index);
            let (from, file) = self.file(document, citation, writer)?;
            if !is_wanted(&file) {
                return None;
            }
            let asked = Asked {
                document,
                citation,
                file: &file,
                writer,
                failed: writers.failed.get(&index).map(String::as_str),
            };
            let told = self.told(&asked, index, &mut before)?;
            let is_in_place = is_edited_in_place(&told);
            let shows_other = !told.is_verbatim && document.shown(citation).is_some();
            let mut cited = CitedLines {
                document: document.name.clone(),
                document_line: citation.line,
                citation: citation.as_written(&document.text),
                pointer: told.pointer,
                judgement: told.judgement,
                meant: told.meant,
                edited_in_place: is_in_place && !told.is_verbatim && !shows_other,
                rewritten: None,
                rewritten_lines: 0,
                by_hand: None,
                is_writer_unknown: writers.failed.contains_key(&index)
                    || writer.is_some_and(|writer| writer.is_cut_off),
            };
            if is_in_place && shows_other {
                cited.leave_to_a_person(OWN_TEXT);
            }
            let is_cut_off = writer.is_some_and(|writer| writer.is_cut_off);
            if is_cut_off && matches!(cited.meant, Meant::Commit(_)) && !told.is_verbatim {
                cited.leave_to_a_person(CUT_OFF_BEFORE);
            }
            Some(JudgedCitation {
                cited,
                index,
                from,
                is_verbatim: told.is_verbatim,
                writer: writer.map(|writer| writer.commit.clone()),
            })
        });
        judged.collect()
    }

    /// Leaves out of `wanted` what names no file that is or was there, such as `localhost:80`: who wrote it is not worth to be found out.
    fn leave_out_what_names_no_file(
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
        let found = git.as_ref().ok().map(|git| git.files_that_were(&open));
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
                // Git cannot say: no answer is no proof that the file never was.
                Some(None) => is_path,
                None => true,
            };
            let is_kept = !is_open(citation) || files(citation).any(may_have_been);
            if !is_kept && is_shallow && is_path {
                self.untold.update(|untold| untold + 1);
            }
            is_kept
        });
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
        let missing = (citation.setting == Setting::Link).then(|| all.first());
        found.or(missing.flatten()).cloned()
    }

    fn told(&self, asked: &Asked<'_>, index: usize, before: &mut Before) -> Option<Told> {
        if let Some(told) = self.by_block(asked) {
            return Some(told);
        }
        // A file that is named alone, whose text is nowhere in it and never was.
        let lines = asked.citation.lines?;
        let found = match asked.writer {
            None if asked.failed.is_some() => self.by_anchor(asked, lines),
            None => {
                let saved = self.by_anchor(asked, lines);
                saved.or_else(|| self.by_predecessor(asked, lines, index, before))
            }
            // It may be older, or git does not know what it cites.
            Some(writer) if writer.is_cut_off || !self.had(writer, asked.file) => {
                let saved = self.by_anchor(asked, lines);
                saved.or_else(|| {
                    self.by_commit(asked, lines)
                        .map(|told| told.since_history(writer))
                })
            }
            Some(_) => self.by_commit(asked, lines),
        };
        Some(found.unwrap_or_else(|| self.without_memory(asked, lines)))
    }

    pub(super) fn had(&self, writer: &Writer, file: &RepoPath) -> bool {
        let file = writer.renamed_from.as_ref().unwrap_or(file);
        self.snapshot.old_blob(&writer.commit, file).is_some()
    }
}

fn is_file(snapshot: &Snapshot, file: &RepoPath) -> bool {
    !matches!(
        snapshot.read(file),
        Err(Refusal::Missing | Refusal::Directory)
    )
}

pub(super) fn pointer(file: &RepoPath, span: LineSpan, source: Option<&SourceFile>) -> Pointer {
    Pointer {
        file: file.clone(),
        span,
        source_hash: source.and_then(|source| source.span_hash(span)),
    }
}

/// Whether the text was edited, and stands where it stood.
fn is_edited_in_place(told: &Told) -> bool {
    let repair = told.judgement.repair.as_ref();
    let repair = repair.filter(|repair| repair.outcome == RepairOutcome::Edited);
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    place.is_some_and(|place| place.file == told.pointer.file && place.span == told.pointer.span)
}

/// The capture of the lines that `cited` means now, where they stand.
pub(super) fn captured_now(cited: &CitedLines, snapshot: &Snapshot) -> Option<Captured> {
    let place = match (&cited.judgement.repair, cited.judgement.status) {
        (_, Freshness::Unknown) if cited.is_writer_unknown => return None,
        (_, Freshness::Fresh | Freshness::Unknown) => &cited.pointer,
        (Some(repair), _) if repair.outcome == RepairOutcome::Moved || cited.edited_in_place => {
            repair.evidence.as_ref()?
        }
        _ => return None,
    };
    capture(snapshot, &place.file, place.span).ok()
}
