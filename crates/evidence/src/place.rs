use windlass_base::{Pointer, RepairMethod, RepoPath};

use crate::old_text::OldText;
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
    /// The place of all of the text, `length` lines, around this one that has most of it; `None` where it is not that
    /// long.
    pub(crate) fn as_long_as(&self, length: usize, old: &OldText, text: &Text) -> Option<Self> {
        let telling = |at: &usize| !old.text.is_trivial(*at);
        let lead = (old.lines.start..old.lines.end).position(|at| telling(&at))?;
        let start = self.lines.start.checked_sub(lead)?;
        let lines = Range {
            start,
            end: start + length,
        };
        (lines.end <= text.len()).then(|| Self {
            lines,
            ..self.clone()
        })
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
