//! Which line of an old text became which line of a new one: two ways of comparing that must agree.
//!
//! Each pairs lines one to one and in order, so that a copy that stood beside a text then is never taken for it
//! now. Where one of them would take too long it pairs nothing.

mod other_records;

use std::convert::Infallible;

use similar::algorithms::{DiffHook, myers};

use crate::text::Text;

/// Lines that stand more often than this in the old text begin no pair of their own.
const MAX_ALIKE: usize = 64;

/// Steps that the first way may take, for each line of both texts.
const STEPS_A_LINE: usize = 200;

/// Stretches of more lines are not given to the second way, whose time grows with their square.
const MAX_STRETCH: usize = 4_000;

/// What the squares of all stretches may add up to.
const MAX_SQUARES: usize = 400_000_000;

const NONE: u32 = u32::MAX;

/// For each line of the old text the line of the new one, where both ways agree.
#[derive(Debug)]
pub(crate) struct LineMap {
    to: Vec<u32>,
    /// Of the new text, whether a line is one of the old.
    carried: Vec<bool>,
    /// Lines of the old text of which a copy was written beside them, in order.
    copied: Vec<usize>,
}

impl LineMap {
    pub(crate) fn between(old: &Text, new: &Text) -> Self {
        let first = Histogram::pairs(old, new);
        let second = Stretches::pairs(old, new);
        let mut carried = vec![false; new.len()];
        let mut agreed = |(one, other): (u32, u32)| {
            if one != other || one == NONE {
                return NONE;
            }
            carried[one as usize] = true;
            one
        };
        let to = first.into_iter().zip(second).map(&mut agreed).collect();
        let mut map = Self {
            to,
            carried,
            copied: Vec::new(),
        };
        map.leave_copies_open(old, new);
        map.settle_slides(old, new);
        map.leave_other_records(old, new);
        map
    }

    /// Takes back what is said of lines of which a copy was written right beside them: which of the two is the copy, no
    /// comparison of the two states can say, and both of ours begin at the same ends.
    fn leave_copies_open(&mut self, old: &Text, new: &Text) {
        let pairs = (0..self.to.len()).filter_map(|at| Some((at, self.to(at)?)));
        let is_copied = |(at, now): &(usize, usize)| {
            !old.is_trivial(*at)
                && old.alike(*at) == 1
                && (2..=MAX_ALIKE).contains(&new.alike(*now))
        };
        let copied: Vec<(usize, usize)> = pairs.filter(is_copied).collect();
        let mut beside = Vec::new();
        let mut known = Runs::default();
        for (at, now) in copied {
            let own = known.around(old, new, at, now);
            let others = new.lines_like(old.keys()[at]).iter();
            let others = others.map(|other| *other as usize);
            let mut others = others.filter(|other| *other != now && !self.is_carried(*other));
            let is_beside = others.any(|other| {
                let around = known.around(old, new, at, other);
                around.reaches_beyond(own, old)
            });
            if is_beside {
                beside.push((at, now));
            }
        }
        for (at, now) in beside {
            self.to[at] = NONE;
            self.carried[now] = false;
            self.copied.push(at);
        }
    }

    /// Lets blocks that were taken out or put in begin where blocks do, where they may as well have begun a few lines earlier or
    /// later, as twins stand side by side: both our ways begin at the same ends. Where two places are as good, the lines between
    /// them are open.
    fn settle_slides(&mut self, old: &Text, new: &Text) {
        for (start, end) in gaps(old.len(), |at| self.to(at).is_some()) {
            let before = start
                .checked_sub(1)
                .map_or(Some(0), |at| Some(self.to(at)? + 1));
            let after = match end == old.len() {
                true => Some(new.len()),
                false => self.to(end),
            };
            if before.is_some() && before == after {
                self.settle_taken_out(old, start, end);
            }
        }
        let mut from: Vec<u32> = vec![NONE; new.len()];
        for at in 0..old.len() {
            if let Some(now) = self.to(at) {
                from[now] = at as u32;
            }
        }
        for (start, end) in gaps(new.len(), |at| from[at] != NONE) {
            let before = start.checked_sub(1).map_or(0, |at| from[at] as usize + 1);
            let after = from.get(end).map_or(old.len(), |at| *at as usize);
            if before == after {
                self.settle_put_in(new, &mut from, start, end);
            }
        }
        self.copied.sort_unstable();
        self.copied.dedup();
    }

    /// The same of lines `start` to `end` of the old text, in whose place nothing came.
    fn settle_taken_out(&mut self, old: &Text, start: usize, end: usize) {
        let Some(slide) = Slide::of(old, start, end) else {
            return;
        };
        let length = end - start;
        for (kept, gone) in slide.moved(length) {
            if slide.is_settled {
                self.to[gone] = std::mem::replace(&mut self.to[kept], NONE);
                continue;
            }
            for line in [kept, gone] {
                if let Some(now) = self.to(line) {
                    self.carried[now] = false;
                    self.to[line] = NONE;
                }
                self.copied.push(line);
            }
        }
    }

    /// The same of lines `start` to `end` of the new text, which came between lines that stood next to each other; `from` says for
    /// each of its lines which it was.
    fn settle_put_in(&mut self, new: &Text, from: &mut [u32], start: usize, end: usize) {
        let Some(slide) = Slide::of(new, start, end) else {
            return;
        };
        let length = end - start;
        for (kept, came) in slide.moved(length) {
            if slide.is_settled {
                let was = std::mem::replace(&mut from[kept], NONE);
                (self.carried[kept], self.carried[came]) = (false, was != NONE);
                from[came] = was;
                if was != NONE {
                    self.to[was as usize] = came as u32;
                }
                continue;
            }
            for line in [kept, came] {
                let was = std::mem::replace(&mut from[line], NONE);
                self.carried[line] = false;
                if was != NONE {
                    self.to[was as usize] = NONE;
                    self.copied.push(was as usize);
                }
            }
        }
    }

    /// The line that `old` became.
    pub(crate) fn to(&self, old: usize) -> Option<usize> {
        match self.to.get(old) {
            None | Some(&NONE) => None,
            Some(new) => Some(*new as usize),
        }
    }

    /// Whether a copy of the line `old` was written beside it, so that either may be it.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.copied.binary_search(&old).is_ok()
    }

    /// Whether the line `new` was there before.
    pub(crate) fn is_carried(&self, new: usize) -> bool {
        self.carried.get(new).copied().unwrap_or(false)
    }
}

/// The fewest letters and digits of lines between two places that are as good for these to be open: many blocks end alike.
const MIN_SLIDE: u32 = 24;

/// The most places that a block may have begun at.
const MAX_PLACES: usize = 400;

/// Where a block of lines begins rather than where a comparison lets it, of all places where it may as well.
#[derive(Debug, Clone, Copy)]
struct Slide {
    start: usize,
    to: usize,
    /// Whether no other place is as good.
    is_settled: bool,
}

impl Slide {
    /// That of the lines from `start` to `end`; nothing where they begin there.
    fn of(text: &Text, start: usize, end: usize) -> Option<Self> {
        let (keys, length) = (text.keys(), end - start);
        let earlier = (0..start).rev().take(MAX_PLACES);
        let earlier = earlier.take_while(|at| keys[*at] == keys[*at + length]);
        let later = (end..text.len()).take(MAX_PLACES);
        let later = later.take_while(|at| keys[*at] == keys[*at - length]);
        let (earlier, later) = (earlier.count(), later.count());
        let beside = (start - earlier..start).chain(end..end + later);
        let letters: u32 = beside.map(|at| text.letters(at)).sum();
        let places = start - earlier..=start + later;
        // Nothing stands before the first line, which is as good as a blank one, and says nothing of the others.
        let is_at_the_top = *places.start() == 0;
        let beginning = |at: usize| Beginning {
            follows_text: !is_at_the_top && Beginning::of(text, at).follows_text,
            ..Beginning::of(text, at)
        };
        let best = places.clone().map(beginning).min()?;
        let mut best = places.filter(|at| beginning(*at) == best);
        let (first, last) = (best.next()?, best.next_back());
        match last {
            None if first == start => None,
            None => Some(Self {
                start,
                to: first,
                is_settled: true,
            }),
            Some(_) if letters < MIN_SLIDE => None,
            // From the one to the other, and to where it was let begin.
            Some(last) => Some(Self {
                start: first.min(start),
                to: last.max(start),
                is_settled: false,
            }),
        }
    }

    /// The lines that are of the block then and were not, each with the one that is not any more.
    fn moved(self, length: usize) -> impl Iterator<Item = (usize, usize)> {
        let (start, to) = (self.start, self.to);
        let earlier = (to..start).rev().map(move |at| (at, at + length));
        let later = (start..to).map(move |at| (at + length, at));
        earlier.chain(later)
    }
}

/// How well a block begins with a line: one that says something and does not end another block, the less it is indented, and rather after
/// a blank one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Beginning {
    is_blank: bool,
    closes: bool,
    indent: usize,
    follows_text: bool,
}

impl Beginning {
    fn of(text: &Text, at: usize) -> Self {
        let blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
        let line = match at < text.len() {
            true => text.bytes(at),
            false => Vec::new(),
        };
        let width = |byte: &u8| if *byte == b'\t' { 8 } else { 1 };
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace());
        Self {
            is_blank: blank(&line),
            closes: matches!(line.trim_ascii_start(), [b'}' | b')' | b']', ..]),
            indent: indent.map(width).sum(),
            follows_text: at.checked_sub(1).is_some_and(|at| !blank(&text.bytes(at))),
        }
    }
}

/// The stretches of lines that are not `paired`: where each begins, and the line after it.
fn gaps(lines: usize, paired: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    for at in (0..lines).filter(|at| !paired(*at)) {
        match gaps.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => gaps.push((at, at + 1)),
        }
    }
    gaps
}

/// The equal lines around a pair of lines: those of the old text.
#[derive(Debug, Clone, Copy)]
struct Around {
    start: usize,
    end: usize,
    /// The line of the new text that `start` is paired with.
    new: usize,
}

impl Around {
    fn of(old: &Text, new: &Text, at: usize, now: usize) -> Self {
        let (a, b) = (old.keys(), new.keys());
        let pairs_before = a[..at].iter().rev().zip(b[..now].iter().rev());
        let before = pairs_before.take_while(|(a, b)| a == b).count();
        let after = a[at..].iter().zip(&b[now..]).take_while(|(a, b)| a == b);
        Self {
            start: at - before,
            end: at + after.count(),
            new: now - before,
        }
    }

    fn has(self, at: usize, now: usize) -> bool {
        self.start <= at && at < self.end && now + self.start == at + self.new
    }

    /// Whether lines that say something are in this and not in `other`.
    fn reaches_beyond(self, other: Self, old: &Text) -> bool {
        let tells = |mut lines: std::ops::Range<usize>| lines.any(|at| !old.is_trivial(at));
        tells(self.start..other.start.min(self.end)) || tells(other.end.max(self.start)..self.end)
    }
}

/// Those that were looked at: lines beside each other have the same around them.
#[derive(Debug, Default)]
struct Runs(Vec<Around>);

impl Runs {
    /// Lines have to be asked for in their order.
    fn around(&mut self, old: &Text, new: &Text, at: usize, now: usize) -> Around {
        self.0.retain(|run| at < run.end);
        if let Some(known) = self.0.iter().find(|run| run.has(at, now)) {
            return *known;
        }
        let around = Around::of(old, new, at, now);
        self.0.push(around);
        around
    }
}

/// A part of both texts that is still to be compared.
#[derive(Debug, Clone, Copy)]
struct Part {
    old: (usize, usize),
    new: (usize, usize),
}

impl Part {
    fn whole(old: &Text, new: &Text) -> Self {
        Self {
            old: (0, old.len()),
            new: (0, new.len()),
        }
    }

    /// Pairs what is the same at both ends, and gives what is left between.
    fn trimmed(self, old: &[u64], new: &[u64], to: &mut [u32]) -> Self {
        let Self {
            old: (mut a, mut a_end),
            new: (mut b, mut b_end),
        } = self;
        while a < a_end && b < b_end && old[a] == new[b] {
            to[a] = b as u32;
            (a, b) = (a + 1, b + 1);
        }
        while a < a_end && b < b_end && old[a_end - 1] == new[b_end - 1] {
            (a_end, b_end) = (a_end - 1, b_end - 1);
            to[a_end] = b_end as u32;
        }
        Self {
            old: (a, a_end),
            new: (b, b_end),
        }
    }

    fn is_empty(self) -> bool {
        self.old.0 >= self.old.1 || self.new.0 >= self.new.1
    }
}

/// Pairs the longest run of lines that holds the rarest one, then what stands before and after it.
struct Histogram<'a> {
    old: &'a Text,
    new: &'a Text,
    steps: usize,
}

/// A run of equal lines.
#[derive(Debug, Clone, Copy)]
struct Run {
    old: usize,
    new: usize,
    lines: usize,
    /// How often the rarest of its lines stands in the old part.
    rarest: usize,
}

impl Histogram<'_> {
    fn pairs(old: &Text, new: &Text) -> Vec<u32> {
        let steps = (old.len() + new.len()) * STEPS_A_LINE + 10_000;
        let mut this = Histogram { old, new, steps };
        let mut to = vec![NONE; old.len()];
        let mut open = vec![Part::whole(old, new)];
        while let Some(part) = open.pop() {
            let part = part.trimmed(old.keys(), new.keys(), &mut to);
            if part.is_empty() {
                continue;
            }
            let Some(run) = this.best(part) else { continue };
            for at in 0..run.lines {
                to[run.old + at] = (run.new + at) as u32;
            }
            open.push(Part {
                old: (part.old.0, run.old),
                new: (part.new.0, run.new),
            });
            open.push(Part {
                old: (run.old + run.lines, part.old.1),
                new: (run.new + run.lines, part.new.1),
            });
        }
        to
    }

    fn best(&mut self, part: Part) -> Option<Run> {
        let mut best: Option<Run> = None;
        let mut at = part.new.0;
        while at < part.new.1 {
            let mut next = at + 1;
            let alike: Vec<u32> = match self.alike(at, part) {
                alike if alike.len() <= MAX_ALIKE => alike.to_vec(),
                _ => Vec::new(),
            };
            self.steps = self.steps.checked_sub(1)?;
            for old in alike {
                let run = self.run(old as usize, at, part)?;
                self.steps = self.steps.checked_sub(run.lines)?;
                next = next.max(run.new + run.lines);
                let is_better = best.is_none_or(|best| {
                    run.rarest < best.rarest
                        || (run.rarest == best.rarest && run.lines > best.lines)
                });
                if is_better {
                    best = Some(run);
                }
            }
            at = next;
        }
        best
    }

    /// The lines of the old part that are like line `new`.
    fn alike(&self, new: usize, part: Part) -> &[u32] {
        let all = self.old.lines_like(self.new.keys()[new]);
        let from = all.partition_point(|at| (*at as usize) < part.old.0);
        let to = all.partition_point(|at| (*at as usize) < part.old.1);
        &all[from..to.max(from)]
    }

    /// The run around a pair; nothing when the steps are used up.
    fn run(&self, old: usize, new: usize, part: Part) -> Option<Run> {
        let (a, b) = (self.old.keys(), self.new.keys());
        let (mut first_a, mut first_b) = (old, new);
        while first_a > part.old.0 && first_b > part.new.0 && a[first_a - 1] == b[first_b - 1] {
            (first_a, first_b) = (first_a - 1, first_b - 1);
        }
        let mut lines = new - first_b + 1;
        while first_a + lines < part.old.1
            && first_b + lines < part.new.1
            && a[first_a + lines] == b[first_b + lines]
        {
            lines += 1;
        }
        let counts = (0..lines).map(|at| self.alike(first_b + at, part).len());
        Some(Run {
            old: first_a,
            new: first_b,
            lines,
            rarest: counts.min()?,
        })
    }
}

/// Pairs lines that stand once in both texts, then compares the stretches between them as `diff` does.
struct Stretches<'a> {
    to: &'a mut [u32],
}

impl Stretches<'_> {
    fn pairs(old: &Text, new: &Text) -> Vec<u32> {
        let mut to = vec![NONE; old.len()];
        let whole = Part::whole(old, new).trimmed(old.keys(), new.keys(), &mut to);
        let mut left = MAX_SQUARES;
        let mut open = vec![whole];
        if stretch(whole) > MAX_STRETCH {
            open = between_unique(whole, old, new, &mut to);
        }
        for part in open {
            let part = part.trimmed(old.keys(), new.keys(), &mut to);
            let lines = stretch(part);
            if part.is_empty() || lines > MAX_STRETCH || lines * lines > left {
                continue;
            }
            left -= lines * lines;
            let mut pairs = Stretches { to: &mut to };
            let (a, b) = (part.old.0..part.old.1, part.new.0..part.new.1);
            let Ok(()) = myers::diff(&mut pairs, old.keys(), a, new.keys(), b);
        }
        to
    }
}

fn stretch(part: Part) -> usize {
    (part.old.1 - part.old.0) + (part.new.1 - part.new.0)
}

impl DiffHook for Stretches<'_> {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, lines: usize) -> Result<(), Infallible> {
        for at in 0..lines {
            self.to[old + at] = (new + at) as u32;
        }
        Ok(())
    }
}

/// Pairs the lines that stand once in both texts, as many as keep their order, and gives the parts between.
fn between_unique(part: Part, old: &Text, new: &Text, to: &mut [u32]) -> Vec<Part> {
    let unique = |at: usize| {
        if old.alike(at) != 1 {
            return None;
        }
        let &[new] = new.lines_like(old.keys()[at]) else {
            return None;
        };
        let new = new as usize;
        let is_inside = part.new.0 <= new && new < part.new.1;
        is_inside.then_some((at, new))
    };
    let pairs: Vec<(usize, usize)> = (part.old.0..part.old.1).filter_map(unique).collect();
    let mut parts = Vec::new();
    let (mut a, mut b) = (part.old.0, part.new.0);
    for (old, new) in in_order(&pairs) {
        to[old] = new as u32;
        parts.push(Part {
            old: (a, old),
            new: (b, new),
        });
        (a, b) = (old + 1, new + 1);
    }
    parts.push(Part {
        old: (a, part.old.1),
        new: (b, part.new.1),
    });
    parts
}

/// The most pairs whose second parts rise as the first ones do.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair with the smallest end, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut kept = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept.push(pairs[at]);
        next = before[at];
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use windlass_repo::SourceFile;

    use super::*;

    fn text(lines: &[String]) -> Text {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Text::new(Arc::new(SourceFile::from_bytes(text.into_bytes()))).unwrap()
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn lines_that_stay_are_carried() {
        let (old, new) = (text(&words("a b c d e")), text(&words("x a c y d z e")));
        let map = LineMap::between(&old, &new);
        let to: Vec<_> = (0..5).map(|at| map.to(at)).collect();
        assert_eq!(to, [Some(1), None, Some(2), Some(4), Some(6)]);
        assert!(map.is_carried(4) && !map.is_carried(3));
    }

    #[test]
    fn a_block_that_came_between_its_likes_begins_where_it_does_whatever_changed_above() {
        let rules = |names: &str| -> Vec<String> {
            let rule = |name| {
                let body =
                    ["display: flex;", "color: red;", "margin: 0;"].map(|line| format!("  {line}"));
                let mut rule = vec![format!(".{name} {{")];
                rule.extend(body);
                rule.push("}".to_owned());
                rule
            };
            names.split(' ').flat_map(rule).collect()
        };
        let old = rules("a b c d e");
        let mut new = vec!["/* second */".to_owned()];
        new.extend(rules("a b c d new e"));
        let map = LineMap::between(&text(&old), &text(&new));
        let to: Vec<_> = (15..25).map(|at| map.to(at)).collect();
        let expected: Vec<_> = (16..21).chain(26..31).map(Some).collect();
        assert_eq!(to, expected);
    }

    #[test]
    fn what_has_other_order_is_carried_by_one_side_only() {
        let pairs = [(0, 5), (1, 1), (2, 2), (3, 0), (4, 7)];
        assert_eq!(in_order(&pairs), [(1, 1), (2, 2), (4, 7)]);
    }

    #[test]
    fn large_texts_without_common_lines_take_no_time() {
        let many = |word: &str| {
            (0..50_000)
                .map(|at| format!("{word} {at}"))
                .collect::<Vec<_>>()
        };
        let map = LineMap::between(&text(&many("a")), &text(&many("b")));
        assert!((0..50_000).all(|at| map.to(at).is_none()));
        let same = vec!["x".to_owned(); 50_000];
        let mut other = vec!["y".to_owned()];
        other.extend(same.iter().skip(9).cloned());
        other.push("z".to_owned());
        let map = LineMap::between(&text(&same), &text(&other));
        assert_eq!(map.to(7), None);
    }

    proptest! {
        #[test]
        fn pairs_are_equal_lines_in_order(
            old in prop::collection::vec("[a-d]", 0..40),
            new in prop::collection::vec("[a-d]", 0..40),
        ) {
            let (old, new) = (text(&old), text(&new));
            let map = LineMap::between(&old, &new);
            let mut last = None;
            for at in 0..old.len() {
                if let Some(there) = map.to(at) {
                    prop_assert_eq!(old.keys()[at], new.keys()[there]);
                    prop_assert!(last.is_none_or(|last| last < there));
                    prop_assert!(map.is_carried(there));
                    last = Some(there);
                }
            }
        }
    }
}
