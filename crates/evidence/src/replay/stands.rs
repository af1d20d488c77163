//! Followed lines whose location was verified, and measures of how much they prove.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::params;
use crate::text::{Part, Text};

/// Similarity of a line that no commit edited, in permille.
pub(super) const SAME: u32 = 1000;

/// A followed line of the text, compared with the line at its location.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    pub(super) old: usize,
    pub(super) new: usize,
    /// Similarity of the two lines, in permille.
    pub(super) alike: u32,
}

/// Compares line `at` of the old text with line `now` of the current `text`, to which it was
/// followed.
///
/// `same` is true if no commit edited the line. The two lines have to be equal then, and this
/// returns `None` if they are not.
pub(super) fn stands(
    old: &OldText,
    at: usize,
    text: &Text,
    now: usize,
    same: bool,
) -> Option<Stands> {
    let is_same = text.keys().get(now)? == &old.text.keys()[at];
    let alike = match (is_same, same) {
        (true, true) => SAME,
        // The line is equal again after edits, or another equal line was taken for it; we can't
        // tell.
        (true, false) => SAME - 1,
        // Nothing edited the line, and yet it differs, so the track is wrong.
        (false, true) => return None,
        (false, false) => {
            let pairs =
                Alignment::of(Part::line(&old.text, at), Part::line(text, now), |_| true).pairs;
            pairs.first().map_or(0, |(.., alike)| *alike)
        }
    };
    Some(Stands {
        old: at,
        new: now,
        alike,
    })
}

/// Returns two sums over `stands`: the weight of the unchanged lines, and that of all lines times
/// their similarity.
pub(super) fn weight(old: &OldText, stands: &[Stands]) -> (u32, u32) {
    let (mut same, mut alike) = (0, 0);
    for line in stands {
        let weight = old.text.weight(line.old);
        alike += weight * line.alike / 1000;
        if line.alike == SAME {
            same += weight;
        }
    }
    (same, alike)
}

/// Returns the first line of the whole text if all its non-trivial lines are unchanged and as far
/// apart as before.
pub(super) fn whole_at(old: &OldText, all: &[Stands]) -> Option<usize> {
    let telling = |at: &usize| !old.text.is_trivial(*at);
    let wanted = old.lines.iter().filter(telling);
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && telling(&one.old));
    let starts = unchanged
        .clone()
        .map(|one| (one.new + old.lines.start).checked_sub(one.old));
    let first = starts.clone().next()??;
    let is_whole = unchanged.count() == wanted.count() && starts.flatten().all(|at| at == first);
    is_whole.then_some(first)
}

/// Returns the number of letters and digits in the unchanged lines that were unique in the old
/// file, and the number of those lines that have at least [`params::MIN_LINE_INFORMATION`] of them.
pub(super) fn proof(old: &OldText, all: &[Stands]) -> (u32, usize) {
    let is_unique = |at: usize| old.text.alike(at) == 1;
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && is_unique(one.old));
    let letters = unchanged.map(|one| old.text.letters(one.old));
    let lines = letters
        .clone()
        .filter(|letters| *letters >= params::MIN_LINE_INFORMATION);
    (letters.sum(), lines.count())
}

/// Returns the number of letters and digits in the lines that were unique in the old file and are
/// missing in `all`, even in edited form.
pub(super) fn lost(old: &OldText, all: &[Stands]) -> u32 {
    let own = old.lines.iter().filter(|at| old.text.alike(*at) == 1);
    let stands = |at: &usize| all.iter().any(|one| one.old == *at && one.alike > 0);
    own.filter(|at| !stands(at))
        .map(|at| old.text.letters(at))
        .sum()
}

pub(super) fn is_in_order(all: &[Stands]) -> bool {
    let mut news: Vec<(usize, usize)> = all.iter().map(|one| (one.old, one.new)).collect();
    news.sort_unstable();
    news.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// Returns the heaviest group of lines that are near each other, or the first of several equal
/// ones.
pub(super) fn heaviest_cluster(old: &OldText, all: &[Stands]) -> Vec<Stands> {
    let gap = old.lines.len().max(8);
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|stands| stands.new);
    let mut clusters: Vec<Vec<Stands>> = Vec::new();
    for stands in sorted {
        match clusters.last_mut() {
            Some(last) if last.last().is_some_and(|last| stands.new - last.new <= gap) => {
                last.push(stands);
            }
            _ => clusters.push(vec![stands]),
        }
    }
    // Of several maxima, `max_by_key` returns the last, so go backwards to get the first.
    let heaviest = clusters.into_iter().rev();
    heaviest
        .max_by_key(|cluster| weight(old, cluster))
        .unwrap_or_default()
}
