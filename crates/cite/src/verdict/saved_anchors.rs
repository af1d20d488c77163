//! Anchors saved for citations.
//!
//! Only an anchor saved for a citation in this document counts. Any other anchor with the same
//! lines may be about text moved there since, or may already have been stale when the citation was
//! written.

use windlass_base::{LineSpan, Pointer, Repair, RepoPath};
use windlass_evidence::judge;
use windlass_notebook::{Anchor, AnchorEvidence};
use windlass_repo::Snapshot;

use super::citation_verdict::CitationVerdict;
use super::shown_block::elsewhere;
use crate::cited_lines::Meant;

pub(crate) const TAG: &str = "citation";

pub(crate) fn label_for(document: &RepoPath) -> String {
    format!("cited in {document}")
}

/// Returns true if `anchor` was saved for a citation, in any document.
pub(crate) fn is_of_citation(anchor: &Anchor) -> bool {
    anchor.tags.iter().any(|tag| tag == TAG)
}

/// Returns true if `anchor` was saved for a citation in this document.
pub(crate) fn is_for(anchor: &Anchor, document: &RepoPath) -> bool {
    is_of_citation(anchor) && anchor.label == label_for(document)
}

pub(crate) fn pointers(anchor: &Anchor) -> impl Iterator<Item = Pointer> {
    anchor.evidence.iter().filter_map(AnchorEvidence::pointer)
}

/// An anchor for a citation, and the part of its evidence about the cited lines.
pub(super) struct SavedFor<'a> {
    anchor: &'a Anchor,
    /// Location of that evidence after all relocations.
    place: Pointer,
}

impl<'a> SavedFor<'a> {
    /// Finds the anchor saved for these lines, as cited in `document`. Its evidence is at these
    /// lines, or was before a relocation.
    pub(super) fn find(
        anchors: &[&'a Anchor],
        document: &RepoPath,
        file: &RepoPath,
        lines: LineSpan,
    ) -> Option<Self> {
        let is_it = |pointer: &Pointer| pointer.file == *file && pointer.span == lines;
        let own = || anchors.iter().filter(|anchor| is_for(anchor, document));
        let here = own().find_map(|anchor| {
            let place = pointers(anchor).find(is_it)?;
            Some(Self { anchor, place })
        });
        here.or_else(|| {
            own().find_map(|anchor| {
                let at = anchor.relocations.iter().position(|one| is_it(&one.from))?;
                let mut place = anchor.relocations[at].repair.evidence.clone()?;
                // The anchor may have moved several times.
                for later in &anchor.relocations[at + 1..] {
                    if later.from == place {
                        place = later.repair.evidence.clone()?;
                    }
                }
                Some(Self { anchor, place })
            })
        })
    }

    /// The checked-out commit at the capture of the anchor.
    pub(super) fn commit(&self) -> Option<String> {
        self.anchor.claim(self.evidence()?)?.capture?.commit
    }

    fn evidence(&self) -> Option<&'a AnchorEvidence> {
        let is_it =
            |pointer: Pointer| pointer.file == self.place.file && pointer.span == self.place.span;
        let mut all = self.anchor.evidence.iter();
        all.find(|one| one.pointer().is_some_and(is_it))
    }

    /// Judges the anchor's evidence, as a verdict on `lines` of `file`.
    pub(super) fn verdict(
        &self,
        snapshot: &Snapshot,
        file: &RepoPath,
        lines: LineSpan,
    ) -> Option<CitationVerdict> {
        let anchor = self.anchor;
        let claim = anchor.claim(self.evidence()?)?;
        let judgement = judge(snapshot, &claim.pointer, claim.capture.as_ref());
        let verdict = |pointer, judgement| CitationVerdict {
            pointer,
            judgement,
            meant: Meant::Anchor(anchor.id.clone()),
            is_verbatim: false,
        };
        if self.place.file == *file && self.place.span == lines {
            return Some(verdict(claim.pointer, judgement));
        }
        // The anchor was moved to the new location, but the document still names the old one.
        let last = anchor.relocations.last()?.repair.clone();
        let repair = match judgement.is_fresh() {
            true => Repair {
                evidence: Some(claim.pointer.clone()),
                candidates: Vec::new(),
                ..last
            },
            false => judgement.repair.unwrap_or_else(Repair::unproven),
        };
        let cited = Pointer {
            file: file.clone(),
            span: lines,
            source_hash: claim.pointer.source_hash,
        };
        let why = format!("anchor `{}` has moved since", anchor.id);
        Some(verdict(cited, elsewhere(why, repair)))
    }
}
