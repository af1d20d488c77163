//! Cited lines and their verdicts.

use serde::Serialize;
use windlass_base::{Freshness, Ident, Judgement, Pointer, RepairOutcome, RepoPath};

/// Lines that a document cites, with their verdict.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// Document that cites the lines, relative to the root.
    pub document: RepoPath,
    /// Line of the citation in the document, from 1.
    pub document_line: u32,
    /// Citation as written.
    pub citation: String,
    /// Cited lines, with their hash if it is known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the cited lines.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Source from which the meaning is known.
    pub meant: Meant,
    /// True if the text was edited but is still at the cited lines, so that the document need not change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// Replacement that was written, or that a preview would write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// Number of lines that were rewritten in its code block, or that a preview would rewrite.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// Reason why the citation is not rewritten although its new location is known. The verdict's reason includes it.
    #[serde(skip)]
    pub by_hand: Option<&'static str>,
    /// True if git cannot name the commit that wrote the citation, because of an error or a truncated history. The
    /// verdict's reason includes this.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// Source of a citation's meaning, which is the text that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// Anchor that was saved for the citation.
    Anchor(Ident),
    /// Commit that wrote the citation into the document, or that wrote the citation which it replaced.
    Commit(String),
    /// Text of the citation's code block.
    Excerpt,
    /// No source. The citation is in no commit, and no anchor was saved for it.
    Nothing,
    /// No source. Either the uncommitted citation replaced one that means another text, or the file changed and git
    /// applies a filter to it, so that no commit has its current lines.
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
    /// True if the citation is not rewritten, and it no longer refers to its text or cannot be verified. A new citation
    /// whose meaning is unknown is not stale.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.has_unknown_meaning() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// True if the text that the citation originally referred to cannot be determined.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        self.has_unknown_meaning() && self.is_writer_unknown
    }

    /// True if no source shows what the citation means.
    fn has_unknown_meaning(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// True if the citation refers to wrong or missing lines. False if the text was edited in place.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    /// True if the citation names a file or lines that did not exist when it was written.
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

    /// Records that the citation has to be rewritten by hand, and why.
    pub(crate) fn mark_by_hand(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}
