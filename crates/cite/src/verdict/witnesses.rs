//! Witnesses: the sources that may know what a citation means, and their verdicts.

use windlass_base::{
    Cancel, Freshness, Judgement, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath,
};
use windlass_evidence::{CaptureError, Captured, capture_at, judge};
use windlass_repo::Snapshot;

use super::citation_verdict::{AskedCitation, CitationVerdict, pointer};
use super::known_files::KnownFiles;
use super::predecessors::{Before, Past};
use super::saved_anchors::SavedFor;
use super::shown_block::{elsewhere, shown_at, shown_once, verdict_from_text};
use crate::cited_document::Document;
use crate::cited_lines::Meant;
use crate::history::{Writer, has_same};

/// Reason why we can't compare the meaning with the current text.
const FILTERED: &str = "git applies a filter to the file, so no commit has these lines";

/// Sources that may know what a citation means.
pub(super) struct Witnesses<'k>(pub(super) &'k KnownFiles<'k>);

impl Witnesses<'_> {
    /// Returns the verdict of the first source that knows what the citation means.
    pub(super) fn verdict(
        &self,
        asked: &AskedCitation<'_>,
        index: usize,
        before: &mut Before,
    ) -> Option<CitationVerdict> {
        if let Some(verdict) = self.by_block(asked) {
            return Some(verdict);
        }
        // Without lines, the citation is a code block with a file name, and its text was never in
        // the file. So there's nothing to judge.
        let lines = asked.citation.lines?;
        let found = match asked.writer {
            None if asked.failed.is_some() => self.by_anchor(asked, lines),
            None => {
                let saved = self.by_anchor(asked, lines);
                saved.or_else(|| self.by_predecessor(asked, lines, index, before))
            }
            // The citation may be older than this commit, or the commit lacks the cited file. An
            // anchor is the better source then.
            Some(writer) if writer.is_cut_off || !self.0.had(writer, asked.file) => {
                let saved = self.by_anchor(asked, lines);
                saved.or_else(|| {
                    self.by_commit(asked, lines)
                        .map(|verdict| verdict.since_history(writer))
                })
            }
            Some(_) => self.by_commit(asked, lines),
        };
        Some(found.unwrap_or_else(|| self.without_memory(asked, lines)))
    }

    /// Returns the verdict that follows from the code block's text. We look the text up in the
    /// current file and at the commit that wrote the citation. For an uncommitted citation, that's
    /// the checked-out commit.
    fn by_block(&self, asked: &AskedCitation<'_>) -> Option<CitationVerdict> {
        let shown = asked.document.shown(asked.citation)?;
        let (file, lines) = (asked.file, asked.citation.lines);
        let now = self.0.snapshot.read(file).ok();
        if let Some(now) = &now
            && let Some(span) = shown_at(now, &shown, lines).first()
        {
            return Some(CitationVerdict {
                pointer: pointer(file, *span, Some(now)),
                judgement: Judgement::new(Freshness::Fresh, None),
                meant: Meant::Excerpt,
                is_verbatim: true,
            });
        }
        let commit = match asked.writer {
            Some(writer) => Some(writer.commit.clone()),
            None => self.0.snapshot.head_commit(&Cancel::default()),
        };
        if let Some(commit) = commit
            && let Ok(old) = self.0.snapshot.history().file(&commit, None, file)
        {
            let there = lines.and_then(|_| shown_at(&old, &shown, lines).first().copied());
            if let Some(span) = there.or_else(|| shown_once(&old, &shown, lines)) {
                return self.captured(&commit, file, span, lines);
            }
        }
        let (lines, now) = (lines?, now?);
        verdict_from_text(file, lines, &now, &shown)
    }

    /// Returns the verdict on a code block's text that was at `span` in `commit`. `lines` are the
    /// cited lines.
    fn captured(
        &self,
        commit: &str,
        file: &RepoPath,
        span: LineSpan,
        lines: Option<LineSpan>,
    ) -> Option<CitationVerdict> {
        let Captured { pointer, capture } = capture_at(self.0.snapshot, commit, file, span).ok()?;
        let mut judgement = judge(self.0.snapshot, &pointer, Some(&capture));
        let cited = lines.unwrap_or(span);
        if cited != span && judgement.is_fresh() {
            let repair = Repair {
                outcome: RepairOutcome::Moved,
                evidence: Some(pointer.clone()),
                method: Some(RepairMethod::UniqueInFile),
                confidence: 100,
                ..Repair::unproven()
            };
            judgement = elsewhere("the text of the code block is elsewhere", repair);
        }
        Some(CitationVerdict {
            pointer: Pointer {
                span: cited,
                ..pointer
            },
            judgement,
            meant: Meant::Commit(commit.to_owned()),
            is_verbatim: true,
        })
    }

    fn by_commit(&self, asked: &AskedCitation<'_>, lines: LineSpan) -> Option<CitationVerdict> {
        let writer = asked.writer?;
        if self.0.is_filtered(asked.file) {
            return self.by_unchanged_file(asked, lines);
        }
        let old_name = writer.renamed_from.as_ref();
        let file = old_name.unwrap_or(asked.file);
        let Captured { pointer, capture } =
            capture_at(self.0.snapshot, &writer.commit, file, lines).ok()?;
        let judgement = judge(self.0.snapshot, &pointer, Some(&capture));
        let meant = Meant::Commit(writer.commit.clone());
        let verdict = CitationVerdict {
            pointer,
            judgement,
            meant,
            is_verbatim: false,
        };
        Some(match old_name {
            Some(_) => renamed(self.0.snapshot, verdict, asked.file),
            None => verdict,
        })
    }

    /// Returns a fresh verdict for `lines` if git applies a filter to the file and the file hasn't
    /// changed since.
    fn by_unchanged_file(
        &self,
        asked: &AskedCitation<'_>,
        lines: LineSpan,
    ) -> Option<CitationVerdict> {
        let (writer, file) = (asked.writer?, asked.file);
        let then = self.0.snapshot.history().blob(&writer.commit, file)?;
        let git = self.0.git.as_ref()?.as_ref().ok()?;
        if !git
            .working_tree()
            .is_as_checked_out(file, &then)
            .is_ok_and(|is_so| is_so)
        {
            return None;
        }
        let now = self.0.snapshot.read(file).ok()?;
        let pointer = pointer(file, lines, Some(&now));
        pointer.source_hash?;
        Some(CitationVerdict {
            pointer,
            judgement: Judgement::new(Freshness::Fresh, None),
            meant: Meant::Commit(writer.commit.clone()),
            is_verbatim: false,
        })
    }

    /// Describes why the commit `writer` doesn't show what the citation means.
    fn why_not_by_commit(
        &self,
        asked: &AskedCitation<'_>,
        writer: &Writer,
        lines: LineSpan,
    ) -> String {
        if self.0.is_filtered(asked.file) {
            return FILTERED.to_owned();
        }
        let file = writer.renamed_from.as_ref().unwrap_or(asked.file);
        match capture_at(self.0.snapshot, &writer.commit, file, lines) {
            Err(CaptureError::OutsideFile { .. }) | Ok(_) => {
                "the commit that wrote it does not have these lines".to_owned()
            }
            Err(why) => format!("in the commit that wrote it, {why}"),
        }
    }

    fn by_anchor(&self, asked: &AskedCitation<'_>, lines: LineSpan) -> Option<CitationVerdict> {
        let saved = SavedFor::find(&self.0.anchors, &asked.document.name, asked.file, lines)?;
        // If the document already had this citation when the anchor was saved, the anchor is about
        // that one, which has been removed. This citation is new.
        if asked.writer.is_none()
            && let Some(commit) = saved.commit()
            && Document::at(self.0.snapshot, &commit, &asked.document.name)
                .is_some_and(|then| has_same(&then, asked.document, asked.citation))
        {
            return None;
        }
        saved.verdict(self.0.snapshot, asked.file, lines)
    }

    /// Returns the verdict on an uncommitted citation that follows from the one it replaced. It's
    /// fresh if that citation's text is at these lines now. Otherwise the author may have meant
    /// another text, or the text has moved since.
    fn by_predecessor(
        &self,
        asked: &AskedCitation<'_>,
        lines: LineSpan,
        index: usize,
        before: &mut Before,
    ) -> Option<CitationVerdict> {
        let before = before.of(self.0, asked.document)?;
        let olds = before.replaced.get(&index)?.iter();
        let olds = olds.filter_map(|old| self.text_of_old(before, *old));
        let mut elsewhere = None;
        for (place, meant) in olds {
            if place.file == *asked.file && place.span == lines {
                let now = self.0.snapshot.read(asked.file).ok();
                return Some(CitationVerdict {
                    pointer: pointer(asked.file, lines, now.as_deref()),
                    judgement: Judgement::new(Freshness::Fresh, None),
                    meant,
                    is_verbatim: false,
                });
            }
            // If only one end of the range differs, the author changed it on purpose.
            let has_same_end =
                place.span.start() == lines.start() || place.span.end() == lines.end();
            elsewhere = elsewhere.or(Some(place).filter(|_| !has_same_end));
        }
        let place = elsewhere?;
        let why = format!(
            "the citation was changed, and the text it cited before is at {place} now; check which is meant"
        );
        let nothing = pointer(asked.file, lines, None);
        let judgement = judge(self.0.snapshot, &nothing, None);
        (judgement.status == Freshness::Unknown).then(|| CitationVerdict {
            pointer: nothing,
            judgement: Judgement::new(Freshness::Unknown, Some(why)),
            meant: Meant::Unclear,
            is_verbatim: false,
        })
    }

    /// Returns the current location of the text meant by the citation `old` of `before`, and the
    /// source of that meaning. Returns `None` if we don't know the text.
    fn text_of_old(&self, before: &Past, old: usize) -> Option<(Pointer, Meant)> {
        let (document, citation) = (&before.document, before.document.citations.get(old)?);
        let writer = before.writers.known.get(&old);
        let (_, file) = self.0.file(document, citation, writer)?;
        let asked = AskedCitation {
            document,
            citation,
            file: &file,
            writer,
            failed: None,
        };
        let verdict = self.by_commit(&asked, citation.lines?)?;
        let place = match (
            verdict.judgement.repair,
            verdict.judgement.status == Freshness::Fresh,
        ) {
            (_, true) => Some(verdict.pointer),
            (Some(repair), false) => repair.evidence,
            (None, false) => None,
        };
        Some((place?, verdict.meant))
    }

    /// Returns the verdict on a citation whose meaning is unknown.
    fn without_memory(&self, asked: &AskedCitation<'_>, span: LineSpan) -> CitationVerdict {
        let nothing = pointer(asked.file, span, None);
        let mut judgement = judge(self.0.snapshot, &nothing, None);
        if judgement.status == Freshness::Unknown {
            let is_link = self.0.snapshot.repo().is_link(&asked.document.name);
            let why = match asked.writer {
                None if is_link => "the document is a link; scan its target".into(),
                None if let Some(why) = asked.failed => {
                    format!("git cannot name the commit that wrote it: {why}")
                }
                None => "it is in no commit yet, and no anchor was saved for it".into(),
                Some(writer) => self.why_not_by_commit(asked, writer, span),
            };
            judgement.reason = Some(format!("{why}: its meaning is unknown"));
        } else if let (Some(why), Some(reason)) = (asked.failed, &mut judgement.reason) {
            reason.push_str("; git cannot trace it: ");
            reason.push_str(why);
        }
        let is_filtered = asked.writer.is_some() && self.0.is_filtered(asked.file);
        CitationVerdict {
            pointer: nothing,
            judgement,
            meant: if is_filtered {
                Meant::Unclear
            } else {
                Meant::Nothing
            },
            is_verbatim: false,
        }
    }
}

/// Converts a verdict on a file under its former name to one on its current name `file`.
fn renamed(snapshot: &Snapshot, mut verdict: CitationVerdict, file: &RepoPath) -> CitationVerdict {
    let meant = std::mem::replace(&mut verdict.pointer.file, file.clone());
    let repair = verdict.judgement.repair.as_ref();
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    let is_moved = repair.is_some_and(|repair| repair.outcome == RepairOutcome::Moved);
    if is_moved
        && place.is_some_and(|place| place.file == *file && place.span == verdict.pointer.span)
    {
        verdict.judgement = Judgement::new(Freshness::Fresh, None);
    } else if verdict.judgement.is_fresh() {
        let repair = Repair {
            outcome: RepairOutcome::Moved,
            evidence: Some(Pointer {
                file: meant,
                ..verdict.pointer.clone()
            }),
            method: Some(RepairMethod::UniqueInFile),
            confidence: 100,
            ..Repair::unproven()
        };
        verdict.judgement = elsewhere("the cited text is where it was", repair);
    } else if verdict.judgement.status == Freshness::MissingFile {
        // The reason mentions the former name, so replace it.
        let here = judge(snapshot, &pointer(file, verdict.pointer.span, None), None);
        (verdict.judgement.status, verdict.judgement.reason) = match here.status {
            Freshness::Unknown => (Freshness::StaleHashMismatch, None),
            status => (status, here.reason),
        };
    }
    verdict
}
