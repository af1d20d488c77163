//! Asks the possible sources of a citation's meaning, in the order listed in [`crate::verdict`].

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

/// Reason for an unknown meaning if no commit contains the lines of the working tree.
const FILTERED: &str = "git applies a filter to the file, so no commit has these lines";

/// Each `by_…` method asks one source. It returns `None` if this source doesn't know the meaning.
pub(super) struct Witnesses<'k>(pub(super) &'k KnownFiles<'k>);

impl Witnesses<'_> {
    /// Asks the sources in turn. Returns `None` if this is no citation after all.
    pub(super) fn verdict(
        &self,
        asked: &AskedCitation<'_>,
        index: usize,
        before: &mut Before,
    ) -> Option<CitationVerdict> {
        if let Some(verdict) = self.by_block(asked) {
            return Some(verdict);
        }
        // This code block only names a file, but its text was never there. So it isn't a citation.
        let lines = asked.citation.lines?;
        let found = match asked.writer {
            None if asked.failed.is_some() => self.by_anchor(asked, lines),
            None => {
                let saved = self.by_anchor(asked, lines);
                saved.or_else(|| self.by_predecessor(asked, lines, index, before))
            }
            // If this commit lacks the file, or isn't the first with the citation, an anchor tells
            // more.
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

    /// Looks up the text of the code block: first in the current file, then at the commit that
    /// wrote the citation, or at the checked-out commit for an uncommitted one.
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

    /// Judges text that was at `span` in `commit`, where a code block shows it. `lines` are the
    /// cited lines, which may differ from `span`.
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
        // The text hasn't moved since, but the citation names other lines.
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

    /// Judges a citation of a filtered file, where git only reveals whether the file has changed
    /// since. The citation is fresh if it has not.
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

    /// Explains why the commit `writer` doesn't show the citation's meaning.
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
        // The document contained this citation when the anchor was saved. It isn't in any commit
        // now, so it was removed and written again, possibly for other text.
        if asked.writer.is_none()
            && let Some(commit) = saved.commit()
            && Document::at(self.0.snapshot, &commit, &asked.document.name)
                .is_some_and(|then| has_same(&then, asked.document, asked.citation))
        {
            return None;
        }
        saved.verdict(self.0.snapshot, asked.file, lines)
    }

    /// Judges an uncommitted citation by the one it replaced.
    ///
    /// It's fresh if that one's text is now at the new lines. If the text is elsewhere, the meaning
    /// is unclear: either the author meant other lines, or the text has moved again.
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
            // An author who only moved one end of a range did so on purpose.
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

    /// Finds the current location of the text of the citation `old` of `before`, and its source.
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

    /// Judges a citation unknown to all sources. Missing lines still make it wrong.
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

/// Converts a verdict on a file's former name to one on its present name, `file`.
fn renamed(snapshot: &Snapshot, mut verdict: CitationVerdict, file: &RepoPath) -> CitationVerdict {
    let meant = std::mem::replace(&mut verdict.pointer.file, file.clone());
    let repair = verdict.judgement.repair.as_ref();
    let place = repair.and_then(|repair| repair.evidence.as_ref());
    let is_moved = repair.is_some_and(|repair| repair.outcome == RepairOutcome::Moved);
    // Only the name of the file has changed, and the citation has the new name already.
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
        // The reason names the former file, so judge the new one instead.
        let here = judge(snapshot, &pointer(file, verdict.pointer.span, None), None);
        (verdict.judgement.status, verdict.judgement.reason) = match here.status {
            Freshness::Unknown => (Freshness::StaleHashMismatch, None),
            status => (status, here.reason),
        };
    }
    verdict
}
