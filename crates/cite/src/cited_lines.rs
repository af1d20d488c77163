//! The result of verifying a citation.

use serde::Serialize;
use windlass_base::{Freshness, Ident, Judgement, Pointer, RepairOutcome, RepoPath};

/// Lines cited by a document, and the verdict on whether they are still the intended ones.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// The citing document, relative to the root.
    pub document: RepoPath,
    /// Line of the citation in the document, from 1.
    pub document_line: u32,
    /// The citation as written, e.g. `src/a.rs:10-20`.
    pub citation: String,
    /// The cited lines, with a hash if their text is known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict on whether the text is still at these lines.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The source of the intended text.
    pub meant: Meant,
    /// True if the text was edited but is still at the cited lines, so the document need not
    /// change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// Replacement for the citation. If this is a preview, the document does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// Number of lines replaced (or to be replaced, in a preview) in the citation's code block.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// Reason for not rewriting the citation although its new location is known. It is also part of
    /// the verdict's reason.
    #[serde(skip)]
    pub by_hand: Option<&'static str>,
    /// True if git cannot name the writing commit, because it failed or the history is truncated.
    /// The verdict's reason says so too.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// Sources of a citation's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// An anchor saved for the citation.
    Anchor(Ident),
    /// The commit that first wrote the citation, or the one it replaced, into the document. For an
    /// uncommitted citation with a code block, the checked-out commit, if it contains the text.
    Commit(String),
    /// The text in the code block below the citation.
    Excerpt,
    /// No source: the citation is not in any commit, and has no anchor.
    Nothing,
    /// No reliable source.
    ///
    /// Either the citation is uncommitted and has replaced one with another text, or git applies a
    /// filter to a file that has changed, so that no commit contains its current lines.
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
    /// Returns true if the citation needs attention, because it no longer refers to its text or
    /// could not be verified.
    ///
    /// A citation that was just rewritten is fine, and so is a new one whose meaning is not known
    /// yet.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.has_unknown_meaning() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// Returns true if the citation's meaning is unknown because git failed or the history is
    /// truncated.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        self.has_unknown_meaning() && self.is_writer_unknown
    }

    fn has_unknown_meaning(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// Returns true if the citation refers to wrong or missing lines. Unlike for
    /// [`is_stale`](Self::is_stale), text edited in place is fine.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    /// Returns true if the cited file or lines did not exist when the citation was written.
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

    /// Records a reason for rewriting the citation by hand. Only the first such reason becomes part
    /// of the verdict.
    pub(crate) fn mark_by_hand(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}
