//! What is said of a text that was looked for.

use std::sync::Arc;

use windlass_base::{Capture, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, SourceHash};
use windlass_repo::SourceFile;

use crate::place::Place;
use crate::shift::places_now;
use crate::text::Text;

/// The most candidates that are named.
pub(super) const MAX_CANDIDATES: usize = 3;

/// What became of a text, and why nothing more is said.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) repair: Repair,
    pub(crate) why: Option<String>,
}

impl From<Repair> for Found {
    fn from(repair: Repair) -> Self {
        Self { repair, why: None }
    }
}

/// Why nothing is claimed of a text that stands in its file as it was: it has copies, or had.
pub(super) fn copies(source: &SourceFile, hash: SourceHash, capture: &Capture) -> Option<String> {
    /// How many places are named.
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

pub(super) fn ambiguous<'a>(places: impl Iterator<Item = (&'a Place, &'a Arc<Text>)>) -> Found {
    let pointers = places.filter_map(|(place, text)| place.pointer(text));
    Repair {
        outcome: RepairOutcome::Ambiguous,
        candidates: pointers.take(MAX_CANDIDATES).collect(),
        ..Repair::unproven()
    }
    .into()
}

/// The text stands at `place` now, as it was or edited.
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

/// The text of `pointer` stands at `span` of its file now.
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
