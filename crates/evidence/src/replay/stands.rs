//! Lines of a text whose location was verified after following them.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::text::{Part, Range, Text};

/// Minimum number of letters and digits in a line unique to the text for the line to count.
const MIN_OWN_LINE: u32 = 6;

/// Maximum number of bytes that were inserted before a line to comment it out.
const MAX_PREFIX: usize = 4;

/// Similarity of a line that no commit changed, in permille.
pub(super) const SAME: u32 = 1000;

/// Line of the text whose location was verified.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    /// Number of the line in the old text.
    pub(super) old: usize,
    /// Number of the line in the current text.
    pub(super) new: usize,
    /// Similarity of the two lines, in permille.
    pub(super) alike: u32,
}

/// Verifies that line `at` of the old text is line `now` of the current `text`. `same` is true if no commit edited it.
/// Returns `None` if it is not.
pub(super) fn stands(
    old: &OldText,
    at: usize,
    text: &Text,
    now: usize,
    same: bool,
) -> Option<Stands> {
    let is_same = text.keys().get(now)? == &old.text.keys()[at];
    let one = |text, at| Part {
        text,
        lines: Range {
            start: at,
            end: at + 1,
        },
    };
    let alike = match (is_same, same) {
        (true, true) => SAME,
        // The line is equal again after edits, or another equal line was taken for it.
        (true, false) => SAME - 1,
        // The line is not at its tracked location, so the track is wrong.
        (false, true) => return None,
        (false, false) => {
            let pairs = Alignment::of(one(&old.text, at), one(text, now), |_| true).pairs;
            pairs.first().map_or(0, |(.., alike)| *alike)
        }
    };
    Some(Stands {
        old: at,
        new: now,
        alike,
    })
}

/// Returns the weight of the unchanged lines in `stands`, and that of all lines multiplied by their similarity.
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

/// Returns the first line of the text, if all its non-trivial lines are unchanged and at their former distances.
pub(super) fn whole_at(old: &OldText, all: &[Stands]) -> Option<usize> {
    let telling = |at: &usize| !old.text.is_trivial(*at);
    let wanted = (old.lines.start..old.lines.end).filter(telling);
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

/// Returns the number of letters and digits in the unchanged lines that were unique in the old file, and the number of
/// these lines.
pub(super) fn proof(old: &OldText, all: &[Stands]) -> (u32, usize) {
    let is_unique = |at: usize| old.text.alike(at) == 1;
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && is_unique(one.old));
    let letters = unchanged.map(|one| old.text.letters(one.old));
    let lines = letters.clone().filter(|letters| *letters >= MIN_OWN_LINE);
    (letters.sum(), lines.count())
}

/// Returns the number of letters and digits in the lines that were unique in the old file and are not in `all`, even in
/// edited form.
pub(super) fn lost(old: &OldText, all: &[Stands]) -> u32 {
    let own = (old.lines.start..old.lines.end).filter(|at| old.text.alike(*at) == 1);
    let stands = |at: &usize| all.iter().any(|one| one.old == *at && one.alike > 0);
    own.filter(|at| !stands(at))
        .map(|at| old.text.letters(at))
        .sum()
}

/// True if the lines are adjacent and in their former order, each with the same short prefix. Blanks are ignored.
pub(super) fn is_commented_out(old: &OldText, text: &Text, all: &[Stands]) -> bool {
    let squeezed = |text: &Text, at: usize| {
        let mut bytes = text.bytes(at);
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        bytes
    };
    let mut prefix: Option<Vec<u8>> = None;
    let telling = all.iter().filter(|one| !old.text.is_trivial(one.old));
    let is_same = telling.clone().all(|one| {
        let (before, now) = (squeezed(&old.text, one.old), squeezed(text, one.new));
        let Some(put) = now.strip_suffix(&before[..]) else {
            return false;
        };
        (1..=MAX_PREFIX).contains(&put.len()) && *prefix.get_or_insert_with(|| put.to_vec()) == put
    });
    let mut ends = telling;
    let (first, last) = (ends.clone().next(), ends.next_back());
    let is_close = first.zip(last).is_some_and(|(first, last)| {
        last.old > first.old && last.new.checked_sub(first.new) == Some(last.old - first.old)
    });
    is_same && is_close && is_in_order(all)
}

/// True if the lines are in their former order.
pub(super) fn is_in_order(all: &[Stands]) -> bool {
    let mut news: Vec<(usize, usize)> = all.iter().map(|one| (one.old, one.new)).collect();
    news.sort_unstable();
    news.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// Returns the cluster of lines near each other that has the largest weight. If several have it, returns the first.
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
    let heaviest = clusters.into_iter().rev();
    heaviest
        .max_by_key(|cluster| weight(old, cluster))
        .unwrap_or_default()
}
