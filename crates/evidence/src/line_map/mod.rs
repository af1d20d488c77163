//! Line map: the pairs of equal lines in two states of a file.
//!
//! A single diff is not reliable enough, because it pairs equal lines by chance. Two algorithms are
//! used, and only pairs on which they agree count. Each pairs lines one to one and in order, so a
//! copy that was already next to a text is never taken for the text. Three corrections remove or
//! move pairs where both algorithms make the same arbitrary choice: see `copies`, `slides` and
//! `other_records`.

mod copies;
mod other_records;
mod slides;

use std::convert::Infallible;
use std::ops::Range;

use similar::algorithms::{DiffHook, histogram, myers};
use windlass_base::is_on;

use crate::params;
use crate::text::Text;

const NONE: u32 = u32::MAX;

/// Pairs of equal lines in an old and a new text.
#[derive(Debug)]
pub(crate) struct LineMap {
    /// Line in the new text for each line in the old text, or [`NONE`].
    to: Vec<u32>,
    /// For each line in the new text, whether it is paired.
    carried: Vec<bool>,
    /// Lines in the old text next to which a copy was inserted, in order. They are not paired.
    copied: Vec<usize>,
}

impl LineMap {
    pub(crate) fn between(old: &Text, new: &Text) -> Self {
        let (a, b) = ((old.keys(), 0..old.len()), (new.keys(), 0..new.len()));
        let (mut first, mut second) = (Pairs::none(old), Pairs::none(old));
        let Ok(()) = histogram::diff(&mut first, a.0, a.1.clone(), b.0, b.1.clone());
        let Ok(()) = myers::diff(&mut second, a.0, a.1, b.0, b.1);
        let mut map = Self {
            to: first.agreed(&second),
            carried: vec![false; new.len()],
            copied: Vec::new(),
        };
        map.leave_frequent_runs(old, new);
        for at in 0..old.len() {
            if let Some(now) = map.to(at) {
                map.carried[now] = true;
            }
        }
        if is_on("evidence.map_copies") {
            map.leave_copies_open(old, new);
        }
        if is_on("evidence.map_slides") {
            map.settle_slides(old, new);
        }
        if is_on("evidence.map_records") {
            map.leave_other_records(old, new);
        }
        map
    }

    /// Removes the pairs of runs in which every line is too frequent. A run at the beginning or end
    /// of both texts is kept.
    fn leave_frequent_runs(&mut self, old: &Text, new: &Text) {
        for (run, first) in self.runs() {
            let is_at_an_end = (run.start == 0 && first == 0)
                || (run.end == old.len() && first + run.len() == new.len());
            if !is_at_an_end
                && run
                    .clone()
                    .all(|at| old.alike(at) > params::MAX_EQUAL_LINES)
            {
                self.to[run].fill(NONE);
            }
        }
    }

    /// Returns the runs of pairs.
    ///
    /// Each is a range of old lines paired with consecutive new lines, together with the first of
    /// these new lines.
    fn runs(&self) -> Vec<(Range<usize>, usize)> {
        let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
        for at in 0..self.to.len() {
            let Some(now) = self.to(at) else { continue };
            match runs.last_mut() {
                Some((run, first)) if run.end == at && *first + run.len() == now => run.end += 1,
                _ => runs.push((at..at + 1, now)),
            }
        }
        runs
    }

    pub(crate) fn to(&self, old: usize) -> Option<usize> {
        match self.to.get(old) {
            None | Some(&NONE) => None,
            Some(new) => Some(*new as usize),
        }
    }

    /// Returns true if a copy of line `old` was inserted next to it, so that either one may be the
    /// original.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.copied.binary_search(&old).is_ok()
    }

    pub(crate) fn is_carried(&self, new: usize) -> bool {
        self.carried.get(new).copied().unwrap_or(false)
    }
}

/// Line in the new text for each line in the old text, according to one algorithm.
struct Pairs(Vec<u32>);

impl Pairs {
    fn none(old: &Text) -> Self {
        Self(vec![NONE; old.len()])
    }

    fn agreed(self, other: &Self) -> Vec<u32> {
        let pairs = self.0.into_iter().zip(&other.0);
        let agreed = pairs.map(|(one, other)| if one == *other { one } else { NONE });
        agreed.collect()
    }
}

impl DiffHook for Pairs {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, lines: usize) -> Result<(), Infallible> {
        for at in 0..lines {
            self.0[old + at] = (new + at) as u32;
        }
        Ok(())
    }
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
    fn block_between_twins_keeps_its_start() {
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
        // These are the rules `d` and `e`. The rule `new` is inserted between them.
        let to: Vec<_> = (15..25).map(|at| map.to(at)).collect();
        let expected: Vec<_> = (16..21).chain(26..31).map(Some).collect();
        assert_eq!(to, expected);
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
        // Lines that are too frequent to be paired don't take any longer.
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
