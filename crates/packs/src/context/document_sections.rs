//! Splits Markdown documents into sections, and computes the anchors that links use for them.

use std::collections::BTreeMap;

/// The lines from one heading to the next one of any level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// First line, counted from 1.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Anchor of the heading. This is `None` for the text before the first heading.
    pub anchor: Option<String>,
    /// Anchors of all headings above the section, followed by its own.
    pub under: Vec<String>,
}

/// Computes the anchor for a heading: it's converted to lowercase, spaces become hyphens, and of
/// the rest, only letters, digits and `_` stay. For example, `Error handling!` becomes
/// `error-handling`.
#[must_use]
pub fn anchor_of(heading: &str) -> String {
    let keep = |c: char| match c {
        ' ' | '-' => Some('-'),
        '_' => Some('_'),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    windlass_search::folded(heading.trim())
        .chars()
        .filter_map(keep)
        .collect()
}

/// Splits a document. Each heading has its text, its level (counted from 0) and its first line, and
/// the headings are in the order of the document.
#[must_use]
pub fn sections(headings: &[(String, u32, u32)], line_count: u32) -> Vec<Section> {
    let mut all = Vec::new();
    let first_heading = headings
        .first()
        .map_or(line_count + 1, |(_, _, line)| *line);
    if first_heading > 1 && line_count > 0 {
        all.push(Section {
            first: 1,
            last: first_heading - 1,
            anchor: None,
            under: Vec::new(),
        });
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut above: Vec<(u32, String)> = Vec::new();
    let starts: Vec<u32> = headings.iter().map(|(.., line)| *line).collect();
    let lines = windlass_search::sections(&starts, line_count + 1);
    for ((heading, level, first), lines) in headings.iter().zip(lines) {
        let mut anchor = anchor_of(heading);
        let times = seen.entry(anchor.clone()).or_default();
        *times += 1;
        // As on GitHub, the second heading `Goal` gets the anchor `goal-1`.
        if *times > 1 {
            anchor = format!("{anchor}-{}", *times - 1);
        }
        above.retain(|(other, _)| other < level);
        above.push((*level, anchor.clone()));
        all.push(Section {
            first: *first,
            last: (lines.end - 1).max(*first),
            anchor: Some(anchor),
            under: above.iter().map(|(_, anchor)| anchor.clone()).collect(),
        });
    }
    all
}

/// Finds those of `anchors` whose headings are in `text`, in the order of the text.
///
/// This is a heuristic, since `text` may be an excerpt: a code block may lack its opening fence,
/// for example.
#[must_use]
pub fn anchors_in(anchors: &[String], text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut is_code = false;
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        let below = lines.get(at + 1).map_or("", |line| line.trim());
        let is_underlined = ['=', '-']
            .iter()
            .any(|sign| !below.is_empty() && below.trim_matches(*sign).is_empty());
        if is_code || !line.starts_with('#') && !is_underlined {
            continue;
        }
        let own = anchor_of(line.trim_matches('#'));
        let mut left = anchors.iter().filter(|anchor| !found.contains(anchor));
        let is_it = |anchor: &&String| {
            let number = anchor.strip_prefix(&own);
            let number = number.map(|rest| rest.strip_prefix('-').unwrap_or(rest));
            number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
        };
        found.extend(left.find(is_it).cloned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_ends_at_next_heading() {
        let headings = [
            ("Plan: v1!".to_owned(), 0, 3),
            ("Goal".to_owned(), 1, 5),
            ("Goal".to_owned(), 1, 9),
        ];
        let all = sections(&headings, 12);
        let told: Vec<_> = all
            .iter()
            .map(|it| (it.first, it.last, it.anchor.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                (1, 2, None),
                (3, 4, Some("plan-v1")),
                (5, 8, Some("goal")),
                (9, 12, Some("goal-1"))
            ]
        );
        assert_eq!(all[3].under, ["plan-v1", "goal-1"]);
        assert_eq!(sections(&[], 0), []);
        assert_eq!(sections(&[], 4).len(), 1);
    }

    #[test]
    fn anchors_follow_heading_order() {
        let anchors = ["goal", "steps", "goal-1", "goals"].map(str::to_owned);
        let of = |text: &str| anchors_in(&anchors, text);
        let text = "# Plan\n\n## Steps ##\ngoal\n\nGoal\n====\n\n```\n# Goals\n```\n## Goal\n";
        assert_eq!(of(text), ["steps", "goal", "goal-1"]);
        assert_eq!(of("## Goals\n\nSteps\n"), ["goals"]);
        assert_eq!(of(""), [""; 0]);
    }
}
