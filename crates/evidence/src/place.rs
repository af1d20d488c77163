use windlass_base::{Pointer, RepairMethod, RepoPath};

use crate::text::{Range, Text};

/// A location in the current files that may be that of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: RepoPath,
    pub(crate) lines: Range,
    /// Share of the text at this location, in percent of its weight.
    pub(crate) kept: u32,
    pub(crate) method: RepairMethod,
}

impl Place {
    /// Returns a pointer to the location with the current hash of its lines. `text` is the contents
    /// of its file.
    pub(crate) fn pointer(&self, text: &Text) -> Option<Pointer> {
        Some(text.source().pointer(&self.file, self.lines.span()?))
    }
}

impl Place {
    /// Returns true if the location contains less than half of `reach`, the range of all known
    /// lines of the text. Such a text was split up and has no single location.
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
