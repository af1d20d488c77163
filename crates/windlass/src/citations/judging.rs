//! What became of the lines that a document cites.
//!
//! Which text is meant is asked of witnesses, in this order, and the first that knows it is believed: what a block of code
//! shows; the commit that wrote the citation; where there is none, an anchor that was saved for it; and the citation that it
//! was written in place of, where that confirms it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{
    Cancel, Freshness, Judgement, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath,
};
use windlass_cite::{Citation, Setting};
use windlass_evidence::{CaptureError, Captured, capture, capture_at, judge};
use windlass_notebook::{Anchor, Notebook};
use windlass_repo::{Git, Refusal, Snapshot, SourceFile};

use super::resolve::{From, candidates};
use super::saved::{SavedFor, pointers};
use super::shown::{elsewhere, shown_at, shown_once, told_by_itself};
use super::writers::{Writer, Writers, has_same, rewritten, writers};
use super::{CitedLines, Document, Meant};
use crate::Workspace;

/// Why a block of code is not written anew where the lines that it cites were edited.
const OWN_TEXT: &str = "the block shows another text than those lines had, so change it by hand";

/// Why it is not known which text is meant where the commit that wrote it is not there.
const CUT_OFF: &str = "history is cut off before it was written: nothing says which text is meant (`git fetch --unshallow` gets more of a shallow clone)";

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
    snapshot: &'a Snapshot,
    git: Option<Git>,
    anchors: Vec<&'a Anchor>,
    /// Whether files that are not there were there once, as far as that was asked.
    were_there: RefCell<BTreeMap<RepoPath, bool>>,
    /// How many places name no file that is there, and of which nobody can say whether it was: history is cut off.
    untold: Cell<usize>,
}

/// What was found out about a citation.
pub(super) struct Told {
    pub(super) pointer: Pointer,
    pub(super) judgement: Judgement,
    pub(super) meant: Meant,
    pub(super) is_verbatim: bool,
}

impl Told {
    /// The same, told by `writer`; where history is cut off there, the citation may be older, and have been wrong already.
    fn since_history(mut self, writer: &Writer) -> Self {
        if writer.is_cut_off && self.judgement.is_fresh() {
            self.judgement = Judgement::new(Freshness::Unknown, Some(CUT_OFF.to_owned()));
            self.meant = Meant::Nothing;
        }
        self
    }
}

/// A citation, and which file it names.
struct Asked<'d> {
    document: &'d Document,
    citation: &'d Citation,
    file: &'d RepoPath,
    writer: Option<&'d Writer>,
    /// Why git cannot say who wrote it.
    failed: Option<&'d str>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        workspace: &Workspace,
        snapshot: &'a Snapshot,
        notebook: Option<&'a Notebook>,
    ) -> Self {
        Self {
            snapshot,
            git: workspace.repo().git().ok(),
            anchors: notebook.map_or_else(Vec::new, |notebook| notebook.anchors().collect()),
            were_there: RefCell::default(),
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
        let Some(git) = &self.git else {
            return;
        };
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
        // What cannot be asked may have been.
        let found = git.files_that_were(&open).unwrap_or_else(|_| open.clone());
        were_there.extend(open.into_iter().map(|file| {
            let was_there = found.contains(&file);
            (file, was_there)
        }));
        let is_shallow = git.is_shallow();
        wanted.retain(|(_, citation)| {
            let is_kept = !is_open(citation)
                || files(citation).any(|file| were_there.get(&file) != Some(&false));
            if !is_kept && is_shallow && citation.path.contains(['.', '/']) {
                self.untold.update(|untold| untold + 1);
            }
            is_kept
        });
    }

    fn writers(&self, document: &Document, at: Option<&str>, wanted: &[usize]) -> Writers {
        match &self.git {
            Some(git) => writers(git, self.snapshot, document, at, wanted),
            None => Writers::default(),
        }
    }

    fn file(
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
        let found = all.iter().find(is_there).or(all.iter().find(was_there));
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

    fn had(&self, writer: &Writer, file: &RepoPath) -> bool {
        let file = writer.renamed_from.as_ref().unwrap_or(file);
        self.snapshot.old_blob(&writer.commit, file).is_some()
    }

    /// What a block of code says by what it shows: now, or in the commit that wrote it; of what is in no commit yet, in the
    /// one that is checked out.
    fn by_block(&self, asked: &Asked<'_>) -> Option<Told> {
        let shown = asked.document.shown(asked.citation)?;
        let (file, lines) = (asked.file, asked.citation.lines);
        let now = self.snapshot.read(file).ok();
        if let Some(now) = &now
            && let Some(span) = shown_at(now, &shown, lines).first()
        {
            return Some(Told {
                pointer: pointer(file, *span, Some(now)),
                judgement: Judgement::new(Freshness::Fresh, None),
                meant: Meant::Excerpt,
                is_verbatim: true,
            });
        }
        let commit = match asked.writer {
            Some(writer) => Some(writer.commit.clone()),
            None => self.snapshot.head_commit(&Cancel::default()),
        };
        if let Some(commit) = commit
            && let Ok(old) = self.snapshot.old_file(&commit, None, file)
        {
            let there = lines.and_then(|_| shown_at(&old, &shown, lines).first().copied());
            if let Some(span) = there.or_else(|| shown_once(&old, &shown, lines)) {
                return self.captured(&commit, file, span, lines);
            }
        }
        let (lines, now) = (lines?, now?);
        told_by_itself(file, lines, &now, &shown)
    }

    /// What became of a text that a block of code shows, which stood at `span` in `commit`; of a block that cites `lines`.
    fn captured(
        &self,
        commit: &str,
        file: &RepoPath,
        span: LineSpan,
        lines: Option<LineSpan>,
    ) -> Option<Told> {
        let Captured { pointer, capture } = capture_at(self.snapshot, commit, file, span).ok()?;
        let mut judgement = judge(self.snapshot, &pointer, Some(&capture));
        let cited = lines.unwrap_or(span);
        if cited != span && judgement.is_fresh() {
            let repair = Repair {
                outcome: RepairOutcome::Moved,
                evidence: Some(pointer.clone()),
                method: Some(RepairMethod::UniqueInFile),
                confidence: 100,
                ..Repair::unproven()
            };
            judgement = elsewhere("what the block shows stands elsewhere", repair);
        }
        Some(Told {
            pointer: Pointer {
                span: cited,
                ..pointer
            },
            judgement,
            meant: Meant::Commit(commit.to_owned()),
            is_verbatim: true,
        })
    }

    fn by_commit(&self, asked: &Asked<'_>, lines: LineSpan) -> Option<Told> {
        let writer = asked.writer?;
        let old_name = writer.renamed_from.as_ref();
        let file = old_name.unwrap_or(asked.file);
        let Captured { pointer, capture } =
            capture_at(self.snapshot, &writer.commit, file, lines).ok()?;
        let judgement = judge(self.snapshot, &pointer, Some(&capture));
        let meant = Meant::Commit(writer.commit.clone());
        let told = Told {
            pointer,
            judgement,
            meant,
            is_verbatim: false,
        };
        Some(match old_name {
            Some(_) => renamed(self.snapshot, told, asked.file),
            None => told,
        })
    }

    /// Why what `writer` meant cannot be told, in words.
    fn why_not_by_commit(&self, asked: &Asked<'_>, writer: &Writer, lines: LineSpan) -> String {
        let file = writer.renamed_from.as_ref().unwrap_or(asked.file);
        match capture_at(self.snapshot, &writer.commit, file, lines) {
            Err(CaptureError::OutsideFile { .. }) | Ok(_) => {
                "the commit that wrote it does not have these lines".to_owned()
            }
            Err(why) => format!("in the commit that wrote it, {why}"),
        }
    }

    fn by_anchor(&self, asked: &Asked<'_>, lines: LineSpan) -> Option<Told> {
        let saved = SavedFor::find(&self.anchors, &asked.document.name, asked.file, lines)?;
        // It was saved for one that has been taken out since: this one is new.
        if asked.writer.is_none()
            && let Some(commit) = saved.commit()
            && Document::at(self.snapshot, &commit, &asked.document.name)
                .is_some_and(|then| has_same(&then, asked.document, asked.citation))
        {
            return None;
        }
        saved.told(self.snapshot, asked.file, lines)
    }

    /// What is said of a citation that was written anew, in no commit yet: it is right where the text of the one that it was
    /// written in place of stands there now. Where it does not, somebody may have meant something else, or the text has moved on since.
    fn by_predecessor(
        &self,
        asked: &Asked<'_>,
        lines: LineSpan,
        index: usize,
        before: &mut Before,
    ) -> Option<Told> {
        let before = before.of(self, asked.document)?;
        let olds = before.replaced.get(&index)?.iter();
        let olds = olds.filter_map(|old| self.text_of_old(before, *old));
        let mut elsewhere = None;
        for (place, meant) in olds {
            if place.file == *asked.file && place.span == lines {
                let now = self.snapshot.read(asked.file).ok();
                return Some(Told {
                    pointer: pointer(asked.file, lines, now.as_deref()),
                    judgement: Judgement::new(Freshness::Fresh, None),
                    meant,
                    is_verbatim: false,
                });
            }
            // Who has it begin or end elsewhere has looked at it.
            let has_same_end =
                place.span.start() == lines.start() || place.span.end() == lines.end();
            elsewhere = elsewhere.or(Some(place).filter(|_| !has_same_end));
        }
        let place = elsewhere?;
        let why = format!(
            "it was written anew, and what was cited in its place stands at {place} now: look which is meant"
        );
        let nothing = pointer(asked.file, lines, None);
        let judgement = judge(self.snapshot, &nothing, None);
        (judgement.status == Freshness::Unknown).then(|| Told {
            pointer: nothing,
            judgement: Judgement::new(Freshness::Unknown, Some(why)),
            meant: Meant::Unclear,
            is_verbatim: false,
        })
    }

    /// Where the text stands now that the citation `old` of `before` means, if that is known, and what says so.
    fn text_of_old(&self, before: &Past, old: usize) -> Option<(Pointer, Meant)> {
        let (document, citation) = (&before.document, before.document.citations.get(old)?);
        let writer = before.writers.known.get(&old);
        let (_, file) = self.file(document, citation, writer)?;
        let asked = Asked {
            document,
            citation,
            file: &file,
            writer,
            failed: None,
        };
        let told = self.by_commit(&asked, citation.lines?)?;
        let place = match (
            told.judgement.repair,
            told.judgement.status == Freshness::Fresh,
        ) {
            (_, true) => Some(told.pointer),
            (Some(repair), false) => repair.evidence,
            (None, false) => None,
        };
        Some((place?, told.meant))
    }

    /// What can be said where nothing says which text is meant.
    fn without_memory(&self, asked: &Asked<'_>, span: LineSpan) -> Told {
        let nothing = pointer(asked.file, span, None);
        let mut judgement = judge(self.snapshot, &nothing, None);
        if judgement.status == Freshness::Unknown {
            let is_link = self.snapshot.repo().is_link(&asked.document.name);
            let why = match asked.writer {
                None if is_link => {
                    "the document is a link, so scan the file that it leads to".into()
                }
                None if let Some(why) = asked.failed => {
                    format!("git cannot say which commit wrote it: {why}")
                }
                None => "it is in no commit yet, and no anchor was saved for it".into(),
                Some(writer) => self.why_not_by_commit(asked, writer, span),
            };
            judgement.reason = Some(format!("{why}: nothing says which text is meant"));
        }
        Told {
            pointer: nothing,
            judgement,
            meant: Meant::Nothing,
            is_verbatim: false,
        }
    }
}

/// What is told of lines by another name that their file had, as it is of `file`, which is cited now.
fn renamed(snapshot: &Snapshot, mut told: Told, file: &RepoPath) -> Told {
    let meant = std::mem::replace(&mut told.pointer.file, file.clone());
    let repair = told.judgement.repair.as_ref();
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    let is_moved = repair.is_some_and(|repair| repair.outcome == RepairOutcome::Moved);
    if is_moved && place.is_some_and(|place| place.file == *file && place.span == told.pointer.span)
    {
        told.judgement = Judgement::new(Freshness::Fresh, None);
    } else if told.judgement.is_fresh() {
        let repair = Repair {
            outcome: RepairOutcome::Moved,
            evidence: Some(Pointer {
                file: meant,
                ..told.pointer.clone()
            }),
            method: Some(RepairMethod::UniqueInFile),
            confidence: 100,
            ..Repair::unproven()
        };
        told.judgement = elsewhere("what was cited stands where it stood", repair);
    } else if told.judgement.status == Freshness::MissingFile {
        // That is said of the old name.
        let here = judge(snapshot, &pointer(file, told.pointer.span, None), None);
        (told.judgement.status, told.judgement.reason) = match here.status {
            Freshness::Unknown => (Freshness::StaleHashMismatch, None),
            status => (status, here.reason),
        };
    }
    told
}

/// A document as the commit has it that is checked out, read where it is asked for.
#[derive(Default)]
struct Before(Option<Option<Past>>);

struct Past {
    document: Document,
    /// By the index of a citation as it is now: those that it may have been written in place of.
    replaced: BTreeMap<usize, Vec<usize>>,
    writers: Writers,
}

impl Before {
    fn of(&mut self, judge: &Judge<'_>, now: &Document) -> Option<&Past> {
        let read = || {
            let head = judge.snapshot.head_commit(&Cancel::default())?;
            let document = Document::at(judge.snapshot, &head, &now.name)?;
            let replaced = rewritten(&document, now);
            let old: Vec<usize> = replaced.values().flatten().copied().collect();
            let writers = judge.writers(&document, Some(&head), &old);
            Some(Past {
                document,
                replaced,
                writers,
            })
        };
        self.0.get_or_insert_with(read).as_ref()
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
