//! Lines that a document cites, and what became of them.

use serde::Serialize;
use windlass_base::{Freshness, Ident, Judgement, Pointer, RepairOutcome, RepoPath};

/// Lines that a document cites, and what became of them.
#[derive(Debug, Clone, Serialize)]
pub struct CitedLines {
    /// The document.
    pub document: RepoPath,
    /// The line it stands on there, from 1.
    pub document_line: u32,
    /// The citation as it is written.
    pub citation: String,
    /// The lines that are meant, with their hash where that is known.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What became of them.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What says which text was meant.
    pub meant: Meant,
    /// Whether the text was edited and still stands at the very lines that are named: nothing of the document has to change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited_in_place: bool,
    /// What was written in its place, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// How many lines of its block of code were written anew with it, or would be.
    #[serde(skip_serializing_if = "is_none")]
    pub rewritten_lines: usize,
    /// Why it is not written anew though its place is known; part of the reason.
    #[serde(skip)]
    pub by_hand: Option<&'static str>,
    /// Whether git cannot say which commit wrote it, since it failed or history is cut off before; part of the reason.
    #[serde(skip)]
    pub(crate) is_writer_unknown: bool,
}

/// What says which text a citation means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meant {
    /// An anchor that was saved for it.
    Anchor(Ident),
    /// The commit that wrote it into the document, or the one that it was written in place of.
    Commit(String),
    /// The block of code itself.
    Excerpt,
    /// Nothing: it is in no commit, and no anchor was saved for it.
    Nothing,
    /// Nothing, and the one that it was written in place of, in no commit yet, means another text than stands there; or the file
    /// changed, and git passes it through a filter, so that no commit has its lines as they stand in it.
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
    /// Whether it no longer cites what it did, or nobody can look whether it does, and it was not written anew. Of one that is new,
    /// nothing is known yet.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_new = self.is_untold() && !self.is_writer_unknown;
        !self.judgement.is_fresh() && !is_new && self.rewritten.is_none()
    }

    /// Whether nobody can look what it cited when it was written.
    #[must_use]
    pub fn is_unverified(&self) -> bool {
        self.is_untold() && self.is_writer_unknown
    }

    /// Whether nothing says which text it means.
    fn is_untold(&self) -> bool {
        self.judgement.status == Freshness::Unknown
            && matches!(self.meant, Meant::Nothing | Meant::Unclear)
    }

    /// Whether it leads to the wrong lines, or to none. One whose text was edited in place still leads to it.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_stale() && !self.edited_in_place
    }

    pub(crate) fn outcome(&self) -> Option<RepairOutcome> {
        self.judgement.outcome()
    }

    /// Notes that only a person can write it anew.
    pub(crate) fn leave_to_a_person(&mut self, why: &'static str) {
        if self.by_hand.replace(why).is_none() {
            let reason = self.judgement.reason.get_or_insert_default();
            let sign = if reason.is_empty() { "" } else { "; " };
            reason.push_str(sign);
            reason.push_str(why);
        }
    }
}
