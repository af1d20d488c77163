//! Names of scores and labels.

use super::edits::{Label, Score};

/// All labels, in the order of tables.
pub(super) const LABELS: [Label; 6] = [
    Label::Unchanged,
    Label::MovedSameFile,
    Label::MovedOtherFile,
    Label::Edited,
    Label::Deleted,
    Label::Replaced,
];

/// All scores, best first.
pub(super) const SCORES: [Score; 5] = [
    Score::Correct,
    Score::Near,
    Score::GaveUp,
    Score::FalselyGone,
    Score::Wrong,
];

/// Returns the name of `score` for `--show`.
pub(super) fn score(score: Score) -> &'static str {
    match score {
        Score::Correct => "correct",
        Score::Near => "near",
        Score::GaveUp => "gaveup",
        Score::FalselyGone => "falselygone",
        Score::Wrong => "wrong",
    }
}

pub(super) fn title(score: Score) -> &'static str {
    match score {
        Score::Correct => "correct",
        Score::Near => "near",
        Score::GaveUp => "gave up",
        Score::FalselyGone => "falsely gone",
        Score::Wrong => "wrong place",
    }
}
