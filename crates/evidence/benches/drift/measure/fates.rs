//! Fates of spans: what happened to each span, what the verdict claimed, and how long spans
//! survive.

use super::Say;
use super::edits::{Label, Score};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The span is at its captured location.
    Stands,
    /// The span moved or was edited, and the verdict found it.
    FoundAgain,
    /// The span was deleted, and the verdict says so.
    Gone,
    /// The verdict claims no location.
    GivenUp,
    /// The verdict is wrong.
    False,
}

/// Number of spans with each fate, in the order of [`Fate`].
pub(super) type Counts = [u32; 5];

impl Fate {
    pub(super) fn of(label: Label, score: Score) -> Self {
        match (score, label) {
            (Score::GaveUp, _) => Self::GivenUp,
            (Score::Wrong | Score::FalselyGone, _) => Self::False,
            (_, Label::Unchanged) => Self::Stands,
            (_, Label::Deleted | Label::Replaced) => Self::Gone,
            (_, Label::MovedSameFile | Label::MovedOtherFile | Label::Edited) => Self::FoundAgain,
        }
    }
}

/// Reports the fates of the spans for each distance, given in commits and days.
pub(super) fn tell(mut known: Vec<((u32, i64), Counts)>, say: Say<'_>) {
    known.retain(|(_, fates)| fates.iter().any(|count| *count > 0));
    known.sort_unstable();
    if known.is_empty() {
        return;
    }
    say(&format!(
        "\n{:>8} {:>6} {:>6} {:>8} {:>12} {:>14} {:>9} {:>7}",
        "commits", "days", "places", "stand", "found again", "gone, and said", "given up", "false"
    ));
    for ((commits, days), fates) in known {
        let all: u32 = fates.iter().sum();
        let share = |count| format!("{:.1}%", f64::from(count) * 100.0 / f64::from(all));
        let [stand, found, gone, given_up, wrong] = fates.map(share);
        say(&format!(
            "{commits:>8} {days:>6} {all:>6} {stand:>8} {found:>12} {gone:>14} {given_up:>9} {wrong:>7}"
        ));
    }
    say(
        "Most places are drawn from files that changed: in all files together, more of them stand.",
    );
}
