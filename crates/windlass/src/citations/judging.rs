//! What became of the lines that a document cites.

use std::collections::BTreeMap;

use windlass_base::{Freshness, Judgement, LineSpan, Pointer, Repair, RepairOutcome, RepoPath};
use windlass_cite::{Citation, Setting};
use windlass_evidence::{Captured, capture, capture_at, judge};
use windlass_notebook::{Anchor, Notebook};
use windlass_repo::{Git, Refusal, Snapshot, SourceFile};

use super::resolve::{From, candidates};
use super::writers::{carried, writers};
use super::{CitedLines, Document, Meant};
use crate::Workspace;

/// A citation, judged, with what writing it anew needs.
pub(crate) struct JudgedCitation {
    pub(crate) cited: CitedLines,
    /// Which of the document's citations it is.
    pub(crate) index: usize,
    pub(crate) from: From,
    /// Whether its block of code shows the lines word for word, as they were meant.
    pub(crate) is_verbatim: bool,
}

pub(crate) struct Judge<'a> {
    snapshot: &'a Snapshot,
    git: Option<Git>,
    anchors: Vec<&'a Anchor>,
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
        }
    }

    /// Judges what `document` cites. What names no file that is or was there is no citation, but in a link.
    pub(crate) fn judge(&self, document: &Document) -> Vec<JudgedCitation> {
        let writers = match &self.git {
            Some(git) => writers(git, self.snapshot, document),
            None => BTreeMap::new(),
        };
        let citations = document.citations.iter().enumerate();
        let judged = citations.filter_map(|(index, citation)| {
            let writer = writers.get(&index);
            let (from, file) = self.file(document, citation, writer)?;
            let told = self.told(document, citation, &file, writer)?;
            Some(JudgedCitation {
                cited: CitedLines {
                    document: document.name.clone(),
                    document_line: citation.line,
                    citation: document.text[citation.range.clone()].to_owned(),
                    pointer: told.pointer,
                    judgement: told.judgement,
                    meant: told.meant,
                    rewritten: None,
                },
                index,
                from,
                is_verbatim: told.is_verbatim,
            })
        });
        judged.collect()
    }

    fn file(
        &self,
        document: &Document,
        citation: &Citation,
        writer: Option<&String>,
    ) -> Option<(From, RepoPath)> {
        let all = candidates(&document.name, citation);
        let is_there = |(_, file): &&(From, RepoPath)| is_file(self.snapshot, file);
        let was_there = |(_, file): &&(From, RepoPath)| {
            let was = writer.is_some_and(|commit| self.snapshot.old_blob(commit, file).is_some());
            was || self.anchored(file, citation.lines).is_some()
        };
        let found = all.iter().find(is_there).or(all.iter().find(was_there));
        let missing = (citation.setting == Setting::Link).then(|| all.first());
        found.or(missing.flatten()).cloned()
    }

    fn told(
        &self,
        document: &Document,
        citation: &Citation,
        file: &RepoPath,
        writer: Option<&String>,
    ) -> Option<Told> {
        let shown = document.shown(citation);
        let now = self.snapshot.read(file).ok();
        if let (Some(shown), Some(now)) = (&shown, &now)
            && let Some(span) = shown_at(now, shown, citation.lines).first()
        {
            return Some(Told {
                pointer: pointer(file, *span, Some(now)),
                judgement: Judgement::new(Freshness::Fresh, None),
                meant: Meant::Excerpt,
                is_verbatim: true,
            });
        }
        if let Some(told) = citation.lines.and_then(|lines| self.by_anchor(file, lines)) {
            return Some(told);
        }
        let Some(commit) = writer else {
            let span = citation.lines?;
            return Some(self.without_memory(file, span));
        };
        let old = self.snapshot.old_file(commit, None, file).ok();
        let verbatim = match (&old, &shown) {
            (Some(old), Some(shown)) => shown_at(old, shown, citation.lines),
            _ => Vec::new(),
        };
        let span = match (citation.lines, &verbatim[..]) {
            (Some(span), _) => span,
            // A file that is named alone, whose text was nowhere in it once.
            (None, [only]) => *only,
            (None, _) => return None,
        };
        let Ok(captured) = capture_at(self.snapshot, commit, file, span) else {
            return Some(self.without_memory(file, span));
        };
        Some(Told {
            judgement: judge(self.snapshot, &captured.pointer, Some(&captured.capture)),
            pointer: captured.pointer,
            meant: Meant::Commit(commit.clone()),
            is_verbatim: !verbatim.is_empty(),
        })
    }

    /// What can be said where nothing says which text is meant.
    fn without_memory(&self, file: &RepoPath, span: LineSpan) -> Told {
        let nothing = Pointer {
            file: file.clone(),
            span,
            source_hash: None,
        };
        let mut judgement = judge(self.snapshot, &nothing, None);
        if judgement.status == Freshness::Unknown {
            let why =
                "it is in no commit yet, and no anchor has it: nothing says which text is meant";
            judgement.reason = Some(why.to_owned());
        }
        Told {
            pointer: nothing,
            judgement,
            meant: Meant::Nothing,
            is_verbatim: false,
        }
    }

    /// The anchor that is grounded in these lines, or was before it was given a new place.
    fn anchored(&self, file: &RepoPath, lines: Option<LineSpan>) -> Option<(&'a Anchor, Pointer)> {
        let lines = lines?;
        let is_it = |pointer: &Pointer| pointer.file == *file && pointer.span == lines;
        let here = self.anchors.iter().find_map(|anchor| {
            let pointers = anchor
                .evidence
                .iter()
                .filter_map(windlass_notebook::AnchorEvidence::pointer);
            Some((*anchor, pointers.into_iter().find(is_it)?))
        });
        here.or_else(|| {
            self.anchors.iter().find_map(|anchor| {
                let at = anchor.relocations.iter().position(|one| is_it(&one.from))?;
                let mut now = anchor.relocations[at].repair.evidence.clone()?;
                for later in &anchor.relocations[at + 1..] {
                    if later.from == now {
                        now = later.repair.evidence.clone()?;
                    }
                }
                Some((*anchor, now))
            })
        })
    }

    fn by_anchor(&self, file: &RepoPath, lines: LineSpan) -> Option<Told> {
        let (anchor, place) = self.anchored(file, Some(lines))?;
        let is_it = |pointer: &Pointer| pointer.file == place.file && pointer.span == place.span;
        let evidence = anchor
            .evidence
            .iter()
            .find(|one| one.pointer().as_ref().is_some_and(is_it))?;
        let claim = anchor.claim(evidence)?;
        let judgement = judge(self.snapshot, &claim.pointer, claim.capture.as_ref());
        let meant = Meant::Anchor(anchor.id.clone());
        if place.file == *file && place.span == lines {
            return Some(Told {
                pointer: claim.pointer,
                judgement,
                meant,
                is_verbatim: false,
            });
        }
        // The anchor went on before: the document did not.
        let last = anchor.relocations.last()?.repair.clone();
        let repair = match judgement.is_fresh() {
            true => Repair {
                evidence: Some(claim.pointer.clone()),
                candidates: Vec::new(),
                ..last
            },
            false => judgement.repair.unwrap_or_else(Repair::unproven),
        };
        let mut stale = Judgement::new(
            Freshness::StaleHashMismatch,
            Some(format!("anchor `{}` is grounded elsewhere now", anchor.id)),
        );
        stale.repair = Some(repair);
        Some(Told {
            pointer: Pointer {
                file: file.clone(),
                span: lines,
                source_hash: claim.pointer.source_hash,
            },
            judgement: stale,
            meant,
            is_verbatim: false,
        })
    }
}

/// What was found out about a citation.
struct Told {
    pointer: Pointer,
    judgement: Judgement,
    meant: Meant,
    is_verbatim: bool,
}

fn is_file(snapshot: &Snapshot, file: &RepoPath) -> bool {
    !matches!(
        snapshot.read(file),
        Err(Refusal::Missing | Refusal::Directory)
    )
}

fn pointer(file: &RepoPath, span: LineSpan, source: Option<&SourceFile>) -> Pointer {
    Pointer {
        file: file.clone(),
        span,
        source_hash: source.and_then(|source| source.span_hash(span)),
    }
}

/// The places in `source` where it has the lines `shown`: `at` alone, where that is given, or all.
fn shown_at(source: &SourceFile, shown: &[&str], at: Option<LineSpan>) -> Vec<LineSpan> {
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    if shown.is_empty() || count > source.line_count() || source.why_no_text().is_some() {
        return Vec::new();
    }
    let is_at = |span: &LineSpan| {
        let mut lines = (span.start()..=span.end()).zip(shown);
        span.count() == count
            && span.end() <= source.line_count()
            && lines.all(|(number, shown)| {
                let line = source.line(number).unwrap_or_default();
                line.strip_suffix(b"\r").unwrap_or(line) == shown.as_bytes()
            })
    };
    match at {
        Some(span) => Some(span).filter(is_at).into_iter().collect(),
        None => (1..=source.line_count() - count + 1)
            .filter_map(|start| LineSpan::new(start, start + count - 1).ok())
            .filter(is_at)
            .collect(),
    }
}

/// What `document` cites of files that are wanted, stood in the commit `base` and does not stand now. What was written in
/// the document since counts only where it leads nowhere. Each with its index in the document.
pub(crate) fn stale_since(
    document: &Document,
    snapshot: &Snapshot,
    base: &str,
    is_wanted: &dyn Fn(&RepoPath) -> bool,
) -> Vec<(usize, CitedLines)> {
    let before = Document::at(snapshot, base, &document.name);
    let stood = before.map_or_else(BTreeMap::new, |before| carried(&before, document));
    let citations = document.citations.iter().enumerate();
    let stale = citations.filter_map(|(index, citation)| {
        let span = citation.lines?;
        let all = candidates(&document.name, citation);
        let was = |file: &RepoPath| snapshot.old_blob(base, file).is_some();
        let known = |(_, file): &&(From, RepoPath)| is_file(snapshot, file) || was(file);
        let (_, file) = all.iter().find(known)?;
        if !is_wanted(file) {
            return None;
        }
        let now = snapshot.read(file).ok();
        let shown = document.shown(citation);
        if let (Some(shown), Some(now)) = (&shown, &now)
            && !shown_at(now, shown, Some(span)).is_empty()
        {
            return None;
        }
        let is_old = stood.contains_key(&index);
        let captured = is_old
            .then(|| capture_at(snapshot, base, file, span).ok())
            .flatten();
        let (pointer, judgement, meant) = match captured {
            Some(Captured { pointer, capture }) => {
                let judgement = judge(snapshot, &pointer, Some(&capture));
                (pointer, judgement, Meant::Commit(base.to_owned()))
            }
            // It was wrong before.
            None if is_old => return None,
            None => {
                let nothing = pointer(file, span, None);
                let judgement = judge(snapshot, &nothing, None);
                (nothing, judgement, Meant::Nothing)
            }
        };
        let cited = CitedLines {
            document: document.name.clone(),
            document_line: citation.line,
            citation: document.text[citation.range.clone()].to_owned(),
            pointer,
            judgement,
            meant,
            rewritten: None,
        };
        cited.is_stale().then_some((index, cited))
    });
    stale.collect()
}

/// The capture of the lines that `cited` means now, where they stand.
pub(super) fn captured_now(cited: &CitedLines, snapshot: &Snapshot) -> Option<Captured> {
    let place = match (&cited.judgement.repair, cited.judgement.status) {
        (_, Freshness::Fresh | Freshness::Unknown) => &cited.pointer,
        (Some(repair), _) if repair.outcome == RepairOutcome::Moved => repair.evidence.as_ref()?,
        _ => return None,
    };
    capture(snapshot, &place.file, place.span).ok()
}
