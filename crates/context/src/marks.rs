//! Marks that stand in place of secret values.

use std::collections::BTreeMap;

const BEGIN: &str = "[redacted:";

/// How many marks of each rule stand in `text`.
#[must_use]
pub fn marks_in(text: &str) -> BTreeMap<String, u32> {
    let mut marks = BTreeMap::new();
    for rest in text.split(BEGIN).skip(1) {
        let Some((rule, _)) = rest.split_once(']') else {
            continue;
        };
        let is_rule = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !rule.is_empty() && rule.len() <= 40 && rule.chars().all(is_rule) {
            *marks.entry(rule.to_owned()).or_default() += 1;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_marks_are_counted_by_rule() {
        let marks =
            marks_in("[redacted:a-b] x [redacted:a-b] [redacted:] [redacted:C] [redacted:z");
        assert_eq!(
            marks.into_iter().collect::<Vec<_>>(),
            [("a-b".to_owned(), 2)]
        );
    }
}
