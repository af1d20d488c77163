//! What `zoo drift` counts, word by word: this is the one place that says so to others, from where each is defined.

use super::fates::Fate;
use super::score::{Label, Score};

/// A word that `zoo drift` counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// What it says something of.
    pub of: &'static str,
    /// The word, as it is typed and stands in JSON.
    pub word: &'static str,
    /// What it is called in tables.
    pub title: &'static str,
    /// What it means.
    pub means: &'static str,
    /// Whether places can be named by it (`--show`).
    pub is_shown: bool,
}

/// What "agreed truth" is.
const AGREED: &str = "what became of a span by git's tracking of lines, where two methods agree: `git blame -M -C` back from the new state, and \
                      the differences of all commits, applied forwards. Spans of which they do not agree are counted apart, and scored nowhere; of \
                      scripted edits the truth is known";

/// All words, each with what it means.
#[must_use]
pub fn words() -> Vec<Word> {
    let truth = Word {
        of: "truth",
        word: "agreed truth",
        title: "agreed truth",
        means: AGREED,
        is_shown: false,
    };
    let label = |label: Label| Word {
        of: "what became of a span in truth",
        word: label.word(),
        title: label.word(),
        means: label.means(),
        is_shown: true,
    };
    let score = |score: Score| Word {
        of: "how the verdict on it fares",
        word: score.word(),
        title: score.title(),
        means: score.means(),
        is_shown: true,
    };
    let fate = |fate: Fate| Word {
        of: "how long places live",
        word: fate.word(),
        title: fate.word(),
        means: fate.means(),
        is_shown: false,
    };
    let labels = Label::ALL.map(label).into_iter();
    let scores = Score::ALL.map(score).into_iter();
    let fates = Fate::ALL.map(fate).into_iter();
    std::iter::once(truth)
        .chain(labels)
        .chain(scores)
        .chain(fates)
        .collect()
}

impl std::fmt::Display for Word {
    /// `gaveup` (gave up): what it means.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let title = match self.title == self.word {
            true => String::new(),
            false => format!(" ({})", self.title),
        };
        write!(f, "{}{title}: {}", self.word, self.means)
    }
}
