//! The verdict on one citation.

use windlass_base::{Freshness, Judgement, LineSpan, Pointer, RepoPath};
use windlass_repo::SourceFile;

use crate::cited_document::Document;
use crate::cited_lines::Meant;
use crate::history::Writer;
use crate::scanner::Citation;

/// Reason for an unknown meaning if the history is truncated.
const CUT_OFF: &str = "the history is truncated before it was written, so its meaning is unknown (`git fetch --unshallow` completes a shallow clone)";

pub(super) struct CitationVerdict {
    pub(super) pointer: Pointer,
    pub(super) judgement: Judgement,
    pub(super) meant: Meant,
    pub(super) is_verbatim: bool,
}

impl CitationVerdict {
    /// Turns a fresh verdict into an unknown one if the history is truncated at `writer`. The
    /// citation may be older, and may already have been wrong then.
    pub(super) fn since_history(mut self, writer: &Writer) -> Self {
        if writer.is_cut_off && self.judgement.is_fresh() {
            self.judgement = Judgement::new(Freshness::Unknown, Some(CUT_OFF.to_owned()));
            self.meant = Meant::Nothing;
        }
        self
    }
}

/// A citation to verify, with the facts known so far.
pub(super) struct AskedCitation<'d> {
    pub(super) document: &'d Document,
    pub(super) citation: &'d Citation,
    pub(super) file: &'d RepoPath,
    pub(super) writer: Option<&'d Writer>,
    /// Git's error message if the writing commit is unknown.
    pub(super) failed: Option<&'d str>,
}

/// Makes a pointer to lines of `file`, with a hash if `source` contains all of them.
pub(super) fn pointer(file: &RepoPath, span: LineSpan, source: Option<&SourceFile>) -> Pointer {
    Pointer {
        file: file.clone(),
        span,
        source_hash: source.and_then(|source| source.span_hash(span)),
    }
}
