//! Joins excerpts from several packs if they come from the same state of a file.

use std::collections::BTreeMap;

use crate::context::SourceSpan;
use crate::context::excerpt_lines::{Part, joined, parts};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines(BTreeMap<u32, (String, u32)>);

impl Lines {
    /// Splits an excerpt into lines. Returns `None` if it doesn't match `spans`.
    pub(crate) fn of(excerpt: &str, spans: &[SourceSpan]) -> Option<Self> {
        let mut lines = BTreeMap::new();
        for part in parts(excerpt, spans) {
            let first = part.first?;
            for (number, line) in (first..).zip(part.lines) {
                lines.insert(number, (line.to_owned(), part.rank));
            }
        }
        Some(Self(lines))
    }

    /// Adds another excerpt of the same state. If the two disagree on a line, at least one of them
    /// was forged, but the result must not depend on their order even then.
    pub(crate) fn join(&mut self, other: Self) {
        for (number, (line, rank)) in other.0 {
            let own = self.0.entry(number).or_insert_with(|| (line.clone(), rank));
            if line < own.0 {
                own.0 = line;
            }
            own.1 = own.1.max(rank);
        }
    }

    /// Puts an excerpt together. A span can only have one rank, so a new one starts wherever the
    /// rank changes.
    pub(crate) fn excerpt(&self) -> (String, Vec<SourceSpan>) {
        let mut runs: Vec<Part<'_>> = Vec::new();
        let mut last = 0;
        for (number, (line, rank)) in &self.0 {
            match runs.last_mut() {
                Some(run) if last + 1 == *number && run.rank == *rank => {
                    run.lines.push(line);
                }
                _ => runs.push(Part {
                    first: Some(*number),
                    lines: vec![line],
                    rank: *rank,
                    goes_on: false,
                }),
            }
            last = *number;
        }
        let (text, spans) = joined(&runs);
        (text.unwrap_or_default(), spans)
    }
}
