//! Anchors saved for citations.
//!
//! An anchor with the same line numbers proves nothing. It may be about another text that has been
//! moved there, or it may already have been stale when the citation was written.

use windlass_base::{LineSpan, Pointer, Repair, RepoPath};
use windlass_evidence::judge;
use windlass_notebook::{Anchor, AnchorEvidence};
use windlass_repo::Snapshot;

use super::citation_verdict::CitationVerdict;
use super::shown_block::elsewhere;
use crate::cited_lines::Meant;

/// The tag of anchors saved for citations.
pub(crate) const TAG: &str = "citation";

/// Returns the label for the anchors of citations in `document`.
pub(crate) fn label_for(document: &RepoPath) -> String {
    format!("cited in {document}")
}

/// True if `anchor` was saved for a citation in any document.
pub(crate) fn is_of_citation(anchor: &Anchor) -> bool {
    anchor.tags.iter().any(|tag| tag == TAG)
}

/// True if `anchor` was saved for a citation in `document`.
pub(crate) fn is_for(anchor: &Anchor, document: &RepoPath) -> bool {
    is_of_citation(anchor) && anchor.label == label_for(document)
}

/// Returns the pointers in an anchor's evidence.
pub(crate) fn pointers(anchor: &Anchor) -> impl Iterator<Item = Pointer> {
    anchor.evidence.iter().filter_map(AnchorEvidence::pointer)
}

/// An anchor, with the piece of its evidence that's about the cited lines.
pub(super) struct SavedFor<'a> {
    anchor: &'a Anchor,
    /// The current location of the evidence.
    place: Pointer,
}

impl<'a> SavedFor<'a> {
    /// Finds the anchor for these lines, cited in `document`. Its evidence must be there, or have
    /// been there before a relocation.
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
                for later in &anchor.relocations[at + 1..] {
                    if later.from == place {
                        place = later.repair.evidence.clone()?;
                    }
                }
                Some(Self { anchor, place })
            })
        })
    }

    /// Returns the commit that was checked out when the anchor was captured.
    pub(super) fn commit(&self) -> Option<String> {
        self.anchor.claim(self.evidence()?)?.capture?.commit
    }

    fn evidence(&self) -> Option<&'a AnchorEvidence> {
        let is_it =
            |pointer: Pointer| pointer.file == self.place.file && pointer.span == self.place.span;
        let mut all = self.anchor.evidence.iter();
        all.find(|one| one.pointer().is_some_and(is_it))
    }

    /// Returns the anchor's verdict on `lines` of `file`.
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
        // The anchor has been relocated to the new text, but the document hasn't been updated yet.
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
