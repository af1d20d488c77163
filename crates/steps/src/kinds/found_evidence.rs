//! What steps give back of files: pointers with hashes.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{Evidence, Judgement, LineSpan, Pointer, Redacted, RepoPath};
use windlass_repo::SourceFile;

/// A thing that was found, with its evidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Found {
    /// The anchor's name, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// What sort of thing it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// What a person calls it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) label: String,
    /// The file of the first piece of evidence.
    pub(crate) file: RepoPath,
    /// How many lines around help to read it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) context: u32,
    /// Where it is grounded.
    pub(crate) evidence: Vec<Evidence>,
    /// The text, secrets replaced, where it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<Redacted>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Lines `span` of `source` as they are now: fresh by definition.
pub(crate) fn seen_now(source: &SourceFile, file: &RepoPath, span: LineSpan) -> Evidence {
    let pointer = Pointer {
        file: file.clone(),
        span,
        source_hash: source.span_hash(span),
    };
    let status = if pointer.source_hash.is_some() {
        windlass_base::Freshness::Fresh
    } else {
        windlass_base::Freshness::SpanInvalid
    };
    Evidence {
        pointer,
        judgement: Judgement::new(status, None),
        capture: None,
        spots: Vec::new(),
    }
}
