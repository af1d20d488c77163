//! Finds and compares the marks that take the place of secret values.

use std::collections::BTreeMap;

const BEGIN: &str = "[redacted:";

/// Counts marks by rule.
#[must_use]
pub fn marks_in(text: &str) -> BTreeMap<String, u32> {
    let mut marks = BTreeMap::new();
    for rest in text.split(BEGIN).skip(1) {
        let Some((rule, _)) = rest.split_once(']') else {
            continue;
        };
        if is_rule(rule) {
            *marks.entry(rule.to_owned()).or_default() += 1;
        }
    }
    marks
}

/// Replaces each mark with a space. The mark isn't a word of the text, so a search shouldn't find
/// the name of its rule.
#[must_use]
pub fn without_marks(text: &str) -> String {
    let mut parts = text.split(BEGIN);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        match rest.split_once(']') {
            Some((rule, behind)) if is_rule(rule) => {
                plain.push(' ');
                plain.push_str(behind);
            }
            _ => {
                plain.push_str(BEGIN);
                plain.push_str(rest);
            }
        }
    }
    plain
}

/// True if two strings differ, but only in the values that marks may stand for.
#[must_use]
pub fn differ_in_marks(one: &str, other: &str) -> bool {
    let pairs = || one.split('\n').zip(other.split('\n'));
    let may_be_one =
        |(one, other): (&str, &str)| may_stand_for(one, other) || may_stand_for(other, one);
    let is_as_long = one.split('\n').count() == other.split('\n').count();
    one != other && is_as_long && pairs().all(may_be_one)
}

/// True if `line` results from `marked` by replacing each mark with some text.
fn may_stand_for(marked: &str, line: &str) -> bool {
    let mut parts = vec![String::new()];
    for (at, rest) in marked.split(BEGIN).enumerate() {
        let mark = rest
            .split_once(']')
            .filter(|(rule, _)| at > 0 && is_rule(rule));
        match (mark, parts.last_mut()) {
            (Some((_, behind)), _) => parts.push(behind.to_owned()),
            (None, Some(part)) if at > 0 => part.push_str(&format!("{BEGIN}{rest}")),
            (None, Some(part)) => part.push_str(rest),
            (None, None) => {}
        }
    }
    let Some(([first], between)) = parts.split_first_chunk() else {
        return false;
    };
    let Some((last, between)) = between.split_last() else {
        return first == line;
    };
    let inner = line.strip_prefix(first.as_str());
    let Some(mut inner) = inner.and_then(|rest| rest.strip_suffix(last.as_str())) else {
        return false;
    };
    // The texts between the marks must follow each other in the line. It's enough to look for the
    // first occurrence of each.
    between
        .iter()
        .all(|part| match inner.split_once(part.as_str()) {
            Some((_, behind)) => {
                inner = behind;
                true
            }
            None => false,
        })
}

fn is_rule(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 40 && name.chars().all(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differing_in_marks_may_match() {
        for (one, other) in [
            ("a\nkey: x1 b", "a\nkey: [redacted:own] b"),
            ("x, y, z", "x, [redacted:own], z"),
            ("a 1 b 2 c", "a [redacted:own] b [redacted:own] c"),
        ] {
            assert!(differ_in_marks(one, other), "{one}");
            assert!(differ_in_marks(other, one), "{one}");
        }
        for (one, other) in [
            ("a", "a"),
            ("a", "b"),
            ("key: x\nb", "key: [redacted:own]"),
            ("key: x b", "kez: [redacted:own] b"),
            ("a 2 c", "a [redacted:own] b [redacted:own] c"),
            ("key: x", "key: [redacted: own]"),
            ("[redacted:a] and y", "x and [redacted:b]"),
        ] {
            assert!(!differ_in_marks(one, other), "{one}");
        }
    }

    #[test]
    fn marks_are_counted_by_rule() {
        let marks =
            marks_in("[redacted:a-b] x [redacted:a-b] [redacted:] [redacted:C] [redacted:z");
        assert_eq!(
            marks.into_iter().collect::<Vec<_>>(),
            [("a-b".to_owned(), 2)]
        );
    }

    #[test]
    fn marks_are_removed_from_words() {
        for (text, plain) in [
            ("fix [redacted:ticket] now", "fix   now"),
            ("[redacted:a-b][redacted:c]", "  "),
            (
                "see [redacted:] or [redacted:X] or [redacted:z",
                "see [redacted:] or [redacted:X] or [redacted:z",
            ),
            ("none", "none"),
        ] {
            assert_eq!(without_marks(text), plain, "{text}");
        }
    }
}
