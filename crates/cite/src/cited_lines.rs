//! Cited lines with their verdict.

use serde::Serialize;
use windlass_base::{Freshness, Ident, Judgement, Pointer, RepairOutcome, RepoPath};

/// Lines that a document cites, with their verdict.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// The document that cites the lines, relative to the root.
    pub document: RepoPath,
    /// Line of the citation in the document, from 1.
    pub document_line: u32,
    /// Citation as written.
    pub citation: String,
    /// Cited lines, with their hash if known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the lines.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Source of the meaning.
    pub meant: Meant,
    /// True if the text was edited but is at the cited lines: the document need not change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// Replacement that was written or, in a preview, would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// Number of rewritten lines of its code block, actual or in a preview.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// Reason why it is not rewritten although its location is known; part of the verdict's reason.
    #[serde(skip)]
    pub by_hand: Option<&'static str>,
    /// True if git cannot name the commit that wrote it, because of an error or a truncated history; part of
    /// the verdict's reason.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// Source of the meaning of a citation: the evidence for the text that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// Anchor that was saved for it.
    Anchor(Ident),
    /// Commit that wrote it into the document, or that wrote the citation it replaced.
    Commit(String),
    /// Text of its code block.
    Excerpt,
    /// None: it is in no commit, and no anchor was saved for it.
    Nothing,
    /// None: the uncommitted citation replaced one of another text, or the file changed and git applies a
    /// filter to it, so that no commit has its current lines.
    Unclear,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
pub(crate) fn is_none(count: &usize) -> bool {
    *count == 0
}

impl CitedLines {
    /// True if it is not rewritten, and no longer refers to its text or cannot be verified. A new citation
    /// without a known meaning is not stale.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.has_unknown_meaning() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// True if the text that it referred to originally cannot be determined.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        self.has_unknown_meaning() && self.is_writer_unknown
    }

    /// True if its meaning is unknown.
    fn has_unknown_meaning(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// True if it refers to wrong or missing lines. False if its text was edited in place.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    /// True if it names a file or lines that did not exist when it was written.
    #[must_use]
    pub fn is_wrong_from_the_start(&self) -> bool {
        let is_nowhere = matches!(
            self.judgement.status,
            Freshness::MissingFile | Freshness::SpanInvalid
        );
        is_nowhere && self.meant == Meant::Nothing && !self.is_writer_unknown
    }

    pub(crate) fn outcome(&self) -> Option<RepairOutcome> {
        self.judgement.outcome()
    }

    /// Marks it as to be rewritten by hand.
    pub(crate) fn mark_by_hand(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}
