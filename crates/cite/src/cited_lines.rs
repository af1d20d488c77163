//! Cited lines and their verdicts.

use serde::Serialize;
use windlass_base::{Freshness, Ident, Judgement, Pointer, RepairOutcome, RepoPath};

/// Lines cited in a document, with their verdict.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// The citing document, relative to the root.
    pub document: RepoPath,
    /// The document line with the citation, from 1.
    pub document_line: u32,
    /// The citation as written.
    pub citation: String,
    /// The cited lines, with their hash if known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict on the cited lines.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The source that shows what the citation means.
    pub meant: Meant,
    /// True if the text has been edited but is still at the cited lines, so that the document
    /// needn't change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// The replacement, as written or as shown in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// The number of lines rewritten in its code block, or to be rewritten if this is a preview.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// The reason why the citation isn't rewritten although we know its new location. The verdict's
    /// reason includes it.
    #[serde(skip)]
    pub by_hand: Option<&'static str>,
    /// True if git can't name the commit that wrote the citation, because of an error or a
    /// truncated history. The verdict's reason includes this.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// Sources that show what text a citation means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// An anchor saved for the citation.
    Anchor(Ident),
    /// The commit that wrote the citation into the document, or the one that wrote the citation it
    /// replaced.
    Commit(String),
    /// The text in the citation's code block.
    Excerpt,
    /// No source. The citation isn't in any commit, and there's no anchor for it.
    Nothing,
    /// No source we can rely on. The uncommitted citation may have replaced one that means another
    /// text. Or the file has changed and git applies a filter to it, so that no commit has its
    /// current lines.
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
    /// True if the citation isn't rewritten, and no longer refers to its text or can't be verified.
    /// A new citation with an unknown meaning isn't stale.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.has_unknown_meaning() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// True if we can't determine the text that the citation originally referred to.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        self.has_unknown_meaning() && self.is_writer_unknown
    }

    /// True if there's no source that shows what the citation means.
    fn has_unknown_meaning(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// True if the citation refers to wrong or missing lines. False if the text has been edited in
    /// place.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    /// True if the citation names a file or lines that didn't exist when it was written.
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

    /// Records that the citation must be rewritten by hand, and why.
    pub(crate) fn mark_by_hand(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}
