//! How long places live: what becomes of those that are put anywhere.
//!
//! Most places are drawn from files that changed, so that many are judged that something happened to. What became of these would say that
//! places live shorter than they do: each file counts as much as any other here, whether it changed or not.

use serde::{Deserialize, Serialize};
use windlass_base::counted;

use super::Say;
use super::score::{Label, Score};

/// What became of a place, and what was said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stands where it stood.
    Stands,
    /// It stands elsewhere or was edited, and was found.
    FoundAgain,
    /// It is gone, and that was said.
    Gone,
    /// Nothing was claimed of it.
    GivenUp,
    /// Something false was said of it.
    False,
}

/// How often each fate was met, in the order of [`Fate`].
pub(super) type Counts = [u32; 5];

impl Fate {
    pub(super) const ALL: [Self; 5] = [
        Self::Stands,
        Self::FoundAgain,
        Self::Gone,
        Self::GivenUp,
        Self::False,
    ];

    pub(super) fn of(label: Label, score: Score) -> Self {
        match (score, label) {
            (Score::GaveUp, _) => Self::GivenUp,
            (Score::Wrong | Score::FalselyGone, _) => Self::False,
            (_, Label::Unchanged) => Self::Stands,
            (_, Label::Deleted | Label::Replaced) => Self::Gone,
            (_, Label::MovedSameFile | Label::MovedOtherFile | Label::Edited) => Self::FoundAgain,
        }
    }

    /// What it says of a place.
    pub(super) fn means(self) -> &'static str {
        match self {
            Self::Stands => "it is unchanged, and that was said",
            Self::FoundAgain => "it moved or was edited, and was found: correct or near",
            Self::Gone => "it was deleted or replaced, and was said to be gone",
            Self::GivenUp => "whatever became of it, nothing was claimed: gave up",
            Self::False => "something was said of it that is not so: wrong place or falsely gone",
        }
    }

    /// What it is called where others read it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Stands => "stand",
            Self::FoundAgain => "found_again",
            Self::Gone => "gone",
            Self::GivenUp => "given_up",
            Self::False => "false",
        }
    }
}

/// Files of which places were drawn, and what became of those.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stratum {
    pub(super) files: u32,
    pub(super) fates: Counts,
}

impl Stratum {
    /// How many places have an agreed truth.
    pub(super) fn places(&self) -> u32 {
        self.fates.iter().sum()
    }
}

/// What became of places of one distance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lives {
    /// Files that differ between the two states.
    pub(super) changed: Stratum,
    /// All others.
    pub(super) others: Stratum,
}

impl Lives {
    pub(super) fn count(&mut self, has_changed: bool, fate: Fate) {
        let stratum = match has_changed {
            true => &mut self.changed,
            false => &mut self.others,
        };
        stratum.fates[fate as usize] += 1;
    }

    pub(super) fn places(&self) -> u32 {
        self.changed.places() + self.others.places()
    }

    fn files(&self) -> u32 {
        self.changed.files + self.others.files
    }

    /// The share of the places that are put anywhere which met `fate`, 0 to 1; nothing where no place says what becomes of a part of the files.
    pub(super) fn share(&self, fate: Fate) -> Option<f64> {
        let parts = [self.changed, self.others];
        let known = parts.iter().filter(|part| part.files > 0).map(|part| {
            let places = part.places();
            let of_it = f64::from(part.fates[fate as usize]) / f64::from(places);
            (places > 0).then(|| of_it * f64::from(part.files) / f64::from(self.files()))
        });
        let shares: Option<Vec<f64>> = known.collect();
        shares
            .filter(|shares| !shares.is_empty())
            .map(|shares| shares.iter().sum())
    }
}

/// Tells what became of the places of each of these distances: so many commits and days.
pub(super) fn tell(mut known: Vec<((u32, i64), Lives)>, say: Say<'_>) {
    known.retain(|(_, lives)| lives.places() > 0);
    known.sort_unstable_by_key(|(apart, _)| *apart);
    if known.is_empty() {
        return;
    }
    say(&format!(
        "\n{:>8} {:>6} {:>6} {:>8} {:>12} {:>14} {:>9} {:>7}",
        "commits", "days", "places", "stand", "found again", "gone, and said", "given up", "false"
    ));
    for ((commits, days), lives) in &known {
        let share = |fate| match lives.share(fate) {
            Some(share) => format!("{:.1}%", share * 100.0),
            None => "–".to_owned(),
        };
        let [stand, found, gone, given_up, wrong] = Fate::ALL.map(share);
        let all = lives.places();
        say(&format!(
            "{commits:>8} {days:>6} {all:>6} {stand:>8} {found:>12} {gone:>14} {given_up:>9} {wrong:>7}"
        ));
    }
    for ((commits, _), Lives { changed, others }) in known {
        say(&format!(
            "{commits:>8}: {} of {} changed, and {} of {} places are drawn from these",
            changed.files,
            counted((changed.files + others.files) as usize, "file"),
            changed.places(),
            changed.places() + others.places(),
        ));
    }
    say(
        "Shares are of places put anywhere: each file counts as much as any other, whether it changed or not. All else is of the places drawn.",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_counts_no_more_than_one_that_did_not() {
        let mut lives = Lives::default();
        (lives.changed.files, lives.others.files) = (1, 99);
        for at in 0..100 {
            let fate = match at % 4 {
                0 => Fate::Stands,
                _ => Fate::Gone,
            };
            lives.count(at < 80, if at < 80 { fate } else { Fate::Stands });
        }
        assert_eq!(lives.places(), 100);
        let share = |fate| lives.share(fate).unwrap();
        assert!((share(Fate::Stands) - 0.9925).abs() < 1e-12);
        assert!((share(Fate::Gone) - 0.0075).abs() < 1e-12);
        let sum: f64 = Fate::ALL.map(share).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_said_of_files_without_a_place() {
        let mut lives = Lives::default();
        assert_eq!(lives.share(Fate::Stands), None);
        (lives.changed.files, lives.others.files) = (1, 1);
        lives.count(true, Fate::Stands);
        assert_eq!(lives.share(Fate::Stands), None, "half of them are unknown");
        lives.others.files = 0;
        assert_eq!(lives.share(Fate::Stands), Some(1.0), "all of them changed");
    }
}
