use windlass_base::{Pointer, RepairMethod, RepoPath};

use crate::text::{Range, Text};

/// A place where the text may stand now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: RepoPath,
    pub(crate) lines: Range,
    /// How much of the text stands there, in percent of its weight.
    pub(crate) kept: u32,
    /// How it was found.
    pub(crate) method: RepairMethod,
}

impl Place {
    /// The place with the hash it has now, in `text` of its file.
    pub(crate) fn pointer(&self, text: &Text) -> Option<Pointer> {
        let span = self.lines.span()?;
        Some(Pointer {
            file: self.file.clone(),
            span,
            source_hash: text.source().span_hash(span),
        })
    }
}

impl Place {
    /// Whether this is less than half of `reach`, in which all of the text stands that is known to: what was torn
    /// apart has no one place.
    pub(crate) fn is_torn_by(&self, reach: Range) -> bool {
        let all = reach
            .with(self.lines.start)
            .with(self.lines.end.saturating_sub(1));
        all.len() > self.lines.len() * 2
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, last) = (self.lines.start + 1, self.lines.end);
        if first == last {
            write!(f, "{}:{first}", self.file)
        } else {
            write!(f, "{}:{first}-{last}", self.file)
        }
    }
}
