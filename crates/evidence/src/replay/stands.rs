//! The lines of a text that are somewhere after they were followed.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::text::{Part, Range, Text};

/// Minimum number of letters and digits of a line that only a text had for it to count as one.
const MIN_OWN_LINE: u32 = 6;

/// Number of bytes that are put before a line that is commented out, at most.
const MAX_PREFIX: usize = 4;

/// Likeness of a line that stayed the same all the way, in permille.
pub(super) const SAME: u32 = 1000;

/// A line of the text that is somewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    /// Its number in the old text.
    pub(super) old: usize,
    /// The number of the line that it is now.
    pub(super) new: usize,
    /// Likeness of the two, in permille.
    pub(super) alike: u32,
}

/// Location of line `at` of the text, checked against the text as it is now.
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
        // Equal again, or taken for the line because it is like it.
        (true, false) => SAME - 1,
        // It is not where it is said to.
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

/// Share of the text in `stands`: unchanged, and with similar lines.
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

/// First line of the text, if all its lines that say something are unchanged and as far from each other as they were.
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

/// Number of letters and digits of unchanged lines that were unique in their old file; and how many lines
/// these are.
pub(super) fn proof(old: &OldText, all: &[Stands]) -> (u32, usize) {
    let is_unique = |at: usize| old.text.alike(at) == 1;
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && is_unique(one.old));
    let letters = unchanged.map(|one| old.text.letters(one.old));
    let lines = letters.clone().filter(|letters| *letters >= MIN_OWN_LINE);
    (letters.sum(), lines.count())
}

/// Number of letters and digits of lines that were unique in their old file and are neither of `all` nor like one of
/// these.
pub(super) fn lost(old: &OldText, all: &[Stands]) -> u32 {
    let own = (old.lines.start..old.lines.end).filter(|at| old.text.alike(*at) == 1);
    let stands = |at: &usize| all.iter().any(|one| one.old == *at && one.alike > 0);
    own.filter(|at| !stands(at))
        .map(|at| old.text.letters(at))
        .sum()
}

/// True if the lines follow each other as they did, next to each other, each with the same few bytes before it; blanks do not
/// count.
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

/// True if the lines follow each other as they did.
pub(super) fn is_in_order(all: &[Stands]) -> bool {
    let mut news: Vec<(usize, usize)> = all.iter().map(|one| (one.old, one.new)).collect();
    news.sort_unstable();
    news.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// The lines that are together, where the text weighs most; the first of equals.
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
