//! The items that all steps that read files return, with hashed pointers instead of bare text.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{Evidence, Judgement, LineSpan, Redacted, RepoPath};
use windlass_repo::SourceFile;

/// A found item with its evidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Found {
    /// The anchor's name, if the item is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// The kind of item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// Title for readers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) label: String,
    /// File of the first piece of evidence.
    pub(crate) file: RepoPath,
    /// Number of surrounding lines that help to read it.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    pub(crate) context: u32,
    /// Evidence.
    pub(crate) evidence: Vec<Evidence>,
    /// Text, with secrets redacted, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<Redacted>,
}

/// Captures the lines `span` of `source` as they are now. Such evidence is fresh by definition,
/// unless there are no such lines.
pub(crate) fn seen_now(source: &SourceFile, file: &RepoPath, span: LineSpan) -> Evidence {
    let pointer = source.pointer(file, span);
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
