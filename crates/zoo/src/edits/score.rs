//! Scores of verdicts: what became of a span in truth, and whether a verdict says so.

use windlass_base::{Freshness, Judgement, LineSpan, RepairOutcome};

/// Fate of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    Unchanged,
    MovedSameFile,
    MovedOtherFile,
    Edited,
    /// Taken out by commits that put nothing in its place.
    Deleted,
    /// Taken out by commits that put other lines in its place, none of which is a line of it by either method.
    #[allow(
        clippy::allow_attributes,
        dead_code,
        reason = "the drift benchmark of evidence scores it"
    )]
    Replaced,
}

impl Label {
    /// True if nothing is left of the span.
    pub(crate) fn is_gone(self) -> bool {
        matches!(self, Self::Deleted | Self::Replaced)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::MovedSameFile => "moved, same file",
            Self::MovedOtherFile => "moved, other file",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Replaced => "replaced",
        }
    }
}

/// True location of a span.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub(crate) label: Label,
    pub(crate) file: String,
    /// The lines that are left of it.
    pub(crate) inner: (u32, u32),
    /// The most that can be meant: up to the lines that were around it.
    pub(crate) outer: (u32, u32),
}

impl Truth {
    /// Describes the fate and the location of the span, with the outer bounds if they differ.
    pub(crate) fn told(&self) -> String {
        let (label, file) = (self.label.word(), &self.file);
        if self.label.is_gone() {
            return label.to_owned();
        }
        let within = match self.outer == self.inner {
            true => String::new(),
            false => format!(" (within {})", lines(self.outer)),
        };
        format!("{label}, at {file}:{}{within}", lines(self.inner))
    }
}

/// Lines as places have them: `14-33`; to the end of the file where nobody says which is the last.
fn lines((first, last): (u32, u32)) -> String {
    match last {
        u32::MAX => format!("{} to the end", first.max(1)),
        last => LineSpan::new(first.max(1), last.max(1))
            .map_or_else(|_| format!("{first}-{last}"), |span| span.to_string()),
    }
}

/// Score of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Score {
    Correct,
    Near,
    GaveUp,
    FalselyGone,
    Wrong,
}

/// True if `judgement` says what became of the span.
pub(crate) fn score(truth: &Truth, judgement: &Judgement, captured: (&str, LineSpan)) -> Score {
    // `Fresh` claims that nothing changed, not only a location.
    if judgement.status == Freshness::Fresh && truth.label != Label::Unchanged {
        return Score::Wrong;
    }
    let claimed = if judgement.status == Freshness::Fresh {
        Some((captured.0.to_owned(), captured.1))
    } else {
        let repair = judgement.repair.as_ref();
        let new = repair.and_then(|repair| repair.evidence.as_ref());
        new.map(|new| (new.file.to_string(), new.span))
    };
    let Some((file, span)) = claimed else {
        return match (judgement.outcome(), truth.label) {
            (Some(RepairOutcome::Gone), label) if label.is_gone() => Score::Correct,
            (Some(RepairOutcome::Gone), _) => Score::FalselyGone,
            _ => Score::GaveUp,
        };
    };
    if truth.label.is_gone() || file != truth.file {
        return Score::Wrong;
    }
    let (first, last) = (span.start(), span.end());
    if (first, last) == truth.inner {
        return Score::Correct;
    }
    let shared = (last.min(truth.inner.1) + 1).saturating_sub(first.max(truth.inner.0));
    let inner = truth.inner.1 - truth.inner.0 + 1;
    let all = last.max(truth.inner.1) - first.min(truth.inner.0) + 1;
    let within = first + 2 >= truth.outer.0 && last <= truth.outer.1.saturating_add(2);
    match () {
        () if shared * 2 >= inner && within => Score::Near,
        () if shared * 2 >= all => Score::Near,
        () => Score::Wrong,
    }
}
