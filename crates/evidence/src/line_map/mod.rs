//! Line map between two texts. Two algorithms pair the lines, and only pairs on which both agree are used.
//!
//! Each algorithm pairs lines one to one and in order, so that a copy that was next to a text is never taken for the
//! text. An algorithm that would take too long pairs nothing.

mod copies;
mod histogram;
mod other_records;
mod part;
mod slides;
mod stretches;

use crate::text::Text;
use windlass_base::is_on;

/// Maximum number of times a line may occur in a text if it is paired.
const MAX_ALIKE: usize = 64;

const NONE: u32 = u32::MAX;

/// Line in the new text for each line in the old text, if both algorithms agree on it.
#[derive(Debug)]
pub(crate) struct LineMap {
    to: Vec<u32>,
    /// For each line in the new text, true if a line in the old text is paired with it.
    carried: Vec<bool>,
    /// Lines in the old text next to which a copy was inserted, in order.
    copied: Vec<usize>,
}

impl LineMap {
    pub(crate) fn between(old: &Text, new: &Text) -> Self {
        let second = stretches::pairs(old, new);
        let first = match is_on("evidence.histogram") {
            true => histogram::pairs(old, new),
            false => second.clone(),
        };
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

    /// Returns the new line that is paired with line `old`. Returns `None` if there is none.
    pub(crate) fn to(&self, old: usize) -> Option<usize> {
        match self.to.get(old) {
            None | Some(&NONE) => None,
            Some(new) => Some(*new as usize),
        }
    }

    /// True if a copy of line `old` was inserted next to it, so that either one may be the original.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.copied.binary_search(&old).is_ok()
    }

    /// True if line `new` is paired with an old line.
    pub(crate) fn is_carried(&self, new: usize) -> bool {
        self.carried.get(new).copied().unwrap_or(false)
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
