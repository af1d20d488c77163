use windlass_base::{Pointer, RepairMethod, RepoPath};

use crate::text::{Range, Text};

/// A place where the text may be now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: RepoPath,
    pub(crate) lines: Range,
    /// Share of the text that is there, in percent of its weight.
    pub(crate) kept: u32,
    /// Method that found it.
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
    /// True if less than half of `reach`, in which all of the text is that is known to, is in this: what was torn
    /// apart has no one place.
    pub(crate) fn is_torn_by(&self, reach: Range) -> bool {
        let (start, end) = (
            self.lines.start.max(reach.start),
            self.lines.end.min(reach.end),
        );
        end.saturating_sub(start) * 2 < reach.len()
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
