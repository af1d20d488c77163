use std::ops::Range;

use saphyr_parser::{ScanError, Tag};

use super::{MAX_DEPTH, MAX_NODES};
use crate::quote::cut;

/// A reason to reject a YAML text.
///
/// The positions are in characters rather than bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) rule: &'static str,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) span: Range<usize>,
    /// The place of the first key, if two keys are equal.
    pub(super) first: Option<Range<usize>>,
}

impl Refusal {
    pub(super) fn new(rule: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
            help: String::new(),
            span,
            first: None,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) fn syntax(error: &ScanError) -> Self {
        let (info, at) = (error.info(), error.marker().index());
        if info.contains("recursion limit") {
            return Self::too_deep(at..at);
        }
        let refusal = Self::new("yaml-syntax", at..at, format!("this is not YAML: {info}"));
        if info.contains("tab") {
            return refusal.help("indent with spaces: YAML does not allow tabs there");
        }
        refusal.help("check this line and the one before: indentation, quotes, brackets and colons")
    }

    /// Rejects a tag, since it could change the type of a value.
    pub(super) fn tag(tag: &Tag, at: Range<usize>) -> Self {
        let full = format!("{}{}", tag.handle, tag.suffix);
        let shown = match full.strip_prefix("tag:yaml.org,2002:") {
            Some(name) => format!("!!{name}"),
            None => full,
        };
        let message = format!("the tag `{}` is not supported", cut(&shown));
        Self::new("yaml-tag", at, message)
            .help("remove the tag; to keep a value a string, put it in quotes")
    }

    pub(super) fn too_deep(span: Range<usize>) -> Self {
        let message = format!("lists and mappings are nested more than {MAX_DEPTH} deep");
        Self::new("yaml-depth", span, message).help("flatten the document")
    }

    pub(super) fn too_many(span: Range<usize>) -> Self {
        let message = format!("the document holds more than {MAX_NODES} values");
        Self::new("document-size", span, message)
            .help("split it, or keep data in files that steps read")
    }

    pub(super) fn too_repetitive(span: Range<usize>) -> Self {
        Self::new("yaml-alias", span, "the aliases repeat too much")
            .help("write the values out, or repeat less")
    }

    pub(super) fn empty() -> Self {
        Self::new("yaml-empty", 0..0, "the document is empty")
            .help("start it with `schema_version: 1`")
    }
}
