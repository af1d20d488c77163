//! Names the failures whose details don't fit. Every failure is always named, because an agent
//! might take an unnamed one for fixed.

use std::collections::BTreeMap;

/// Separators between the segments of a name.
const BETWEEN: [char; 7] = [':', '/', '.', '#', '>', ' ', '\\'];

/// Groups names by everything before their last segment, which tests in the same file usually have
/// in common.
pub(super) fn by_beginning<'a>(
    names: impl Iterator<Item = &'a str>,
) -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        // The parameters of a test may contain any characters, so don't look for separators there.
        let own = name.split(['[', '(', '{', '"', '\'']).next();
        let own = own.unwrap_or_default();
        let at = own.rfind(BETWEEN).map_or(0, |at| at + 1);
        let (beginning, rest) = match name.split_at(at) {
            (all, "") => ("", all),
            parts => parts,
        };
        let group = groups.entry(beginning.to_owned()).or_default();
        group.push(rest.to_owned());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefix_is_listed_once() {
        let names = [
            "tests/a.py::T::test_b",
            "tests/a.py::T::test_a[1.5 x]",
            "alone",
            "ends/",
            "com.example.ATest.runs(int, a.B)",
        ];
        let groups = by_beginning(names.into_iter());
        let groups: Vec<(&str, String)> = groups
            .iter()
            .map(|(beginning, rest)| (beginning.as_str(), rest.join("|")))
            .collect();
        assert_eq!(
            groups,
            [
                ("", "alone|ends/".to_owned()),
                ("com.example.ATest.", "runs(int, a.B)".to_owned()),
                ("tests/a.py::T::", "test_b|test_a[1.5 x]".to_owned()),
            ]
        );
    }
}
