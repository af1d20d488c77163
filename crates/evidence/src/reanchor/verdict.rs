//! Verdicts of the search, and the functions that create them.

use windlass_base::{Capture, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, SourceHash};
use windlass_repo::SourceFile;

use super::Search;
use crate::capture::shift::places_now;
use crate::params;
use crate::place::Place;
use crate::text::{Range, Text};

/// A verdict, and the reason why nothing more can be proven.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) repair: Repair,
    pub(crate) why: Option<String>,
}

impl Found {
    pub(super) fn place(&self) -> Option<Place> {
        let claimed = self.repair.evidence.as_ref()?;
        Some(Place {
            file: claimed.file.clone(),
            lines: Range::of(claimed.span),
            kept: u32::from(self.repair.confidence),
            method: self.repair.method.unwrap_or(RepairMethod::History),
        })
    }
}

impl From<Repair> for Found {
    fn from(repair: Repair) -> Self {
        Self { repair, why: None }
    }
}

/// Explains why an unchanged text is not claimed: it has copies, or had some at capture.
pub(super) fn copies(source: &SourceFile, hash: SourceHash, capture: &Capture) -> Option<String> {
    /// At most this many locations are listed.
    const NAMED: usize = 3;
    let places = places_now(source, hash, capture, NAMED + 1);
    let named: Vec<String> = places.iter().take(NAMED).map(LineSpan::to_string).collect();
    let more = if places.len() > NAMED {
        " and more"
    } else {
        ""
    };
    let then = match capture.copies_in_file {
        0 | 1 => "once",
        2 => "twice",
        _ => "several times",
    };
    let lines = match &places[..] {
        [] => return None,
        [only] if only.count() == 1 => "line",
        _ => "lines",
    };
    Some(format!(
        "the same text stands at {lines} {}{more}, and stood {then} in the file when it was captured, so no place is proven",
        named.join(", ")
    ))
}

pub(super) fn ambiguous(candidates: Vec<Pointer>) -> Repair {
    Repair {
        outcome: RepairOutcome::Ambiguous,
        candidates,
        ..Repair::unproven()
    }
}

impl Search<'_> {
    /// Claims `place` for the text, which may be edited.
    ///
    /// The ends of `place` may be wrong, because lines that many texts contain are not followed. If
    /// the unchanged text overlaps `place` exactly once, that is claimed instead.
    pub(super) fn claim(&self, place: &Place, text: &Text, hash: SourceHash) -> Repair {
        let claimed = claim(place, text, hash);
        if claimed.outcome == RepairOutcome::Moved {
            return claimed;
        }
        match self.whole_about(place, text, hash) {
            Some(lines) => {
                let whole = Place {
                    lines,
                    ..place.clone()
                };
                claim(&whole, text, hash)
            }
            None => claimed,
        }
    }

    /// Returns the lines that overlap `place` and equal the text, if there is exactly one such
    /// range.
    fn whole_about(&self, place: &Place, text: &Text, hash: SourceHash) -> Option<Range> {
        let count = self.pointer.span.count() as usize;
        let first = (place.lines.start + 1).saturating_sub(count);
        let last = place.lines.end.min((text.len() + 1).checked_sub(count)?);
        let starts = first..last;
        // A long text may begin at many lines, and hashing all of these ranges takes too long.
        if starts.len() * count > params::MAX_HASHED_AROUND {
            return None;
        }
        let lines = |start: usize| Range::new(start, start + count);
        let has_it = |range: &Range| {
            let span = range.span();
            span.is_some_and(|span| text.source().has_span_hash(span, hash))
        };
        let mut found = starts.map(lines).filter(has_it);
        let (only, second) = (found.next()?, found.next());
        second.is_none().then_some(only)
    }
}

/// Claims exactly `place` for the text, which may be edited.
pub(super) fn claim(place: &Place, text: &Text, hash: SourceHash) -> Repair {
    let Some(pointer) = place.pointer(text) else {
        return Repair::unproven();
    };
    let is_same = text.source().has_span_hash(pointer.span, hash);
    Repair {
        outcome: if is_same {
            RepairOutcome::Moved
        } else {
            RepairOutcome::Edited
        },
        evidence: Some(pointer),
        method: Some(place.method),
        confidence: if is_same {
            100
        } else {
            place.kept.min(99) as u8
        },
        commit: None,
        candidates: Vec::new(),
    }
}

/// Claims `span` in the text's own file for the unchanged text.
pub(super) fn moved(pointer: &Pointer, span: LineSpan) -> Repair {
    Repair {
        outcome: RepairOutcome::Moved,
        evidence: Some(Pointer {
            span,
            ..pointer.clone()
        }),
        method: Some(RepairMethod::UniqueInFile),
        confidence: 100,
        commit: None,
        candidates: Vec::new(),
    }
}
