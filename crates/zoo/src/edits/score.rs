//! Scores judgements by comparing them with the truth.

use windlass_base::{Freshness, Judgement, LineSpan, RepairOutcome};

/// Fate of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    Unchanged,
    MovedSameFile,
    MovedOtherFile,
    Edited,
    /// Commits have removed the lines, with nothing in their place.
    Deleted,
    /// Commits have replaced the lines. However we compare them, none of the new lines matches a
    /// line of the span.
    #[allow(
        clippy::allow_attributes,
        dead_code,
        reason = "the drift benchmark of evidence scores it"
    )]
    Replaced,
}

impl Label {
    /// True if there is nothing left.
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

/// Fate of a span, and its location after the edit.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub(crate) label: Label,
    pub(crate) file: String,
    /// The lines of the span that are left.
    pub(crate) inner: (u32, u32),
    /// The most that a judgement may claim, up to the former neighbors of the span.
    pub(crate) outer: (u32, u32),
}

impl Truth {
    /// Describes the truth in words. The outer bounds are mentioned if they differ from the inner
    /// ones.
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

/// Formats lines as `14-33`. If we do not know the last line, it is the end of the file.
fn lines((first, last): (u32, u32)) -> String {
    match last {
        u32::MAX => format!("{} to the end", first.max(1)),
        last => LineSpan::new(first.max(1), last.max(1))
            .map_or_else(|_| format!("{first}-{last}"), |span| span.to_string()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Score {
    Correct,
    Near,
    GaveUp,
    FalselyGone,
    Wrong,
}

/// Scores a judgement about the span that was captured at `captured`.
pub(crate) fn score(truth: &Truth, judgement: &Judgement, captured: (&str, LineSpan)) -> Score {
    // `Fresh` doesn't just claim a location, but also that nothing has changed.
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
