//! Compares headings. Authors number them, end them with a colon, or add a symbol or an anchor, and
//! still mean the same section.

use super::Section;
use crate::texts::front_matter::is_same_name;

/// True for headings of the same name, e.g. `Decision`, `1. Decision`, `Decision:`, `✅ Decision`
/// and `Decision {#why}`. `1. Step` and `2. Step` differ.
pub(crate) fn is_same_heading(one: &str, other: &str) -> bool {
    if is_same_name(one, other) {
        return true;
    }
    let ((number, name), (other_number, other_name)) = (parts(one), parts(other));
    let is_one = match (number, other_number) {
        (Some(number), Some(other)) => number == other,
        _ => true,
    };
    is_one && !name.is_empty() && is_same_name(name, other_name)
}

pub(crate) fn goes_by(title: &str, names: &[&str]) -> bool {
    names.iter().any(|name| is_same_heading(title, name))
}

/// Filters `sections` by title. Those with exactly the right title come first.
pub(crate) fn all_called<'a>(sections: &[&'a Section], names: &[&str]) -> Vec<&'a Section> {
    let is_called =
        |section: &&Section| names.iter().any(|name| is_same_name(&section.title, name));
    let (mut called, others): (Vec<&Section>, Vec<&Section>) =
        sections.iter().partition(|section| is_called(section));
    let alike = others.into_iter();
    called.extend(alike.filter(|section| goes_by(&section.title, names)));
    called
}

/// True for one of `names` with a number or a note, e.g. `Decision (accepted)`, `1 - Decision` or
/// `Step 1: Decision`.
///
/// This is less certain than [`goes_by`], since such a heading may also belong to a separate
/// section. Only use it if nothing else matches.
pub(crate) fn qualifies(title: &str, names: &[&str]) -> bool {
    let title = title.trim();
    let without_note = title
        .strip_suffix(')')
        .and_then(|title| title.rsplit_once('('))
        .map_or(title, |(before, _)| before.trim_end());
    let bare = without_step(without_note).unwrap_or(without_note);
    bare != title && goes_by(bare, names)
}

/// Strips a leading `1 -`, `Step 1:` or the like, or returns `None` if there's nothing to strip.
fn without_step(title: &str) -> Option<&str> {
    let words = title.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let number = match words.len() == title.len() {
        true => words,
        false => words.strip_prefix(' ')?,
    };
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let mark = behind.trim_start();
    let rest = mark.strip_prefix(['-', '\u{2013}', '\u{2014}', ':'])?;
    (is_number && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

fn parts(title: &str) -> (Option<&str>, &str) {
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphanumeric() || c.is_whitespace();
    let mut name = title.trim_matches(is_sign);
    if let Some((before, attributes)) = name.rsplit_once('{')
        && attributes.ends_with('}')
        && attributes.starts_with(['#', '.'])
    {
        name = before.trim_end_matches(is_sign);
    }
    let name = name.trim_end_matches([':', '.']).trim_end();
    match number_of(name) {
        Some((number, rest)) => (Some(number), rest),
        None => (None, name),
    }
}

/// Splits off a leading number, e.g. `1.`, `2)` or `1.2`. We drop the final punctuation, so that
/// `1.` and `1)` are the same number.
fn number_of(name: &str) -> Option<(&str, &str)> {
    let (first, rest) = name.split_once(char::is_whitespace)?;
    let number = first.trim_end_matches(['.', ')']);
    let is_ended = number.len() < first.len() || number.contains('.');
    let is_number = number
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    (is_ended && is_number).then_some((number, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_variants_match() {
        for written in [
            "Next trigger",
            "next-trigger",
            "Next trigger:",
            "1. Next trigger",
            "2) Next trigger",
            "1.2 Next trigger",
            "1.2. Next trigger:",
            "Next trigger {#why}",
            "3. Next trigger: {#why .big}",
            "✅ Next trigger",
            "⚠\u{fe0f} Next trigger:",
        ] {
            assert!(is_same_heading(written, "Next trigger"), "{written}");
            assert!(is_same_heading("Next trigger", written), "{written}");
        }
        for (one, other) in [
            ("1. Step", "2. Step"),
            ("2 Steps", "Steps"),
            ("C++", "C"),
            ("C#", "C"),
            ("Use {braces}", "Use"),
            ("✅", "⚠"),
            ("1.", "2."),
            ("Step 1", "Step 2"),
            ("No decision", "Decision"),
        ] {
            assert!(!is_same_heading(one, other), "{one}: {other}");
        }
    }

    #[test]
    fn heading_with_note_qualifies() {
        for title in [
            "Decision (accepted)",
            "1. Decision (2025-03-01)",
            "1 - Decision",
            "1: decision",
            "1.2 \u{2014} Decision",
            "Step 1: Decision",
            "Part 2 - Decision (accepted)",
        ] {
            assert!(qualifies(title, &["Rationale", "Decision"]), "{title}");
        }
        for title in [
            "Decision",
            "Decision - accepted",
            "(Decision)",
            "No decision (yet)",
            "Step: Decision",
            "1-Decision",
            "Step 1",
        ] {
            assert!(!qualifies(title, &["Decision"]), "{title}");
        }
    }
}
