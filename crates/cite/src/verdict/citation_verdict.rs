//! What was found out about a citation.

use windlass_base::{Freshness, Judgement, LineSpan, Pointer, RepoPath};
use windlass_repo::SourceFile;

use crate::cited_document::Document;
use crate::cited_lines::Meant;
use crate::history::Writer;
use crate::scanner::Citation;

/// Why it is not known which text is meant where the commit that wrote it is not there.
const CUT_OFF: &str = "history is cut off before it was written: nothing says which text is meant (`git fetch --unshallow` gets more of a shallow clone)";

/// What was found out about a citation.
pub(super) struct CitationVerdict {
    pub(super) pointer: Pointer,
    pub(super) judgement: Judgement,
    pub(super) meant: Meant,
    pub(super) is_verbatim: bool,
}

impl CitationVerdict {
    /// The same, told by `writer`; where history is cut off there, the citation may be older, and have been wrong already.
    pub(super) fn since_history(mut self, writer: &Writer) -> Self {
        if writer.is_cut_off && self.judgement.is_fresh() {
            self.judgement = Judgement::new(Freshness::Unknown, Some(CUT_OFF.to_owned()));
            self.meant = Meant::Nothing;
        }
        self
    }
}

/// A citation, and which file it names.
pub(super) struct AskedCitation<'d> {
    pub(super) document: &'d Document,
    pub(super) citation: &'d Citation,
    pub(super) file: &'d RepoPath,
    pub(super) writer: Option<&'d Writer>,
    /// Why git cannot say who wrote it.
    pub(super) failed: Option<&'d str>,
}

/// A pointer to lines of `file`, with their hash where `source` has them.
pub(super) fn pointer(file: &RepoPath, span: LineSpan, source: Option<&SourceFile>) -> Pointer {
    Pointer {
        file: file.clone(),
        span,
        source_hash: source.and_then(|source| source.span_hash(span)),
    }
}
