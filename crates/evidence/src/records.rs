//! Records in lists of similar blocks, such as the entries of a configuration file or the functions
//! of a module.
//!
//! If such records are reordered or one is deleted, a minimal diff pairs the lines that all records
//! have in common with those of the wrong record. Lines that are unique in both texts tell the
//! records apart, so this module finds the record around a line and the unique lines in it. Where a
//! record begins and ends is guessed from indentation and brackets, without knowledge of the
//! language.

use crate::params;
use crate::text::Text;

/// A line that is unique in both texts, by its number in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) old: usize,
    pub(crate) new: usize,
}

impl Known {
    pub(crate) fn of(old: &Text, at: usize, new: &Text) -> Option<Self> {
        Some(Self {
            old: at,
            new: only_one(old, at, new)?,
        })
    }

    /// The line of the new text that's as far from this one as line `at` is in the old text. If a
    /// record moves as a whole, that's where line `at` has to be now.
    pub(crate) fn beside(self, at: usize) -> Option<usize> {
        (self.new + at).checked_sub(self.old)
    }
}

/// Returns the line of `other` that equals line `at` of `text`, if it is unique in both.
///
/// Trivial lines such as a closing bracket never qualify, even if a file only has one of them.
pub(crate) fn only_one(text: &Text, at: usize, other: &Text) -> Option<usize> {
    if text.is_trivial(at) || text.alike(at) != 1 {
        return None;
    }
    match other.lines_like(text.keys()[at]) {
        [only] => Some(*only as usize),
        _ => None,
    }
}

/// Relation between two equal lines, one in the old and one in the new text, as far as the lines
/// around them show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// They are the same line: a unique line of their record is as far from it as before.
    Same,
    /// They are lines of different records: the record of one of them still has, or already had, an
    /// equal line of its own.
    Other(Known),
    /// The lines around them say nothing.
    Open,
}

impl Standing {
    pub(crate) fn of_line(old: &Text, new: &Text, at: usize, to: usize) -> Self {
        let (here, there) = (known_around(old, new, at), known_around_new(old, new, to));
        if here
            .iter()
            .chain(&there)
            .any(|known| known.beside(at) == Some(to))
        {
            return Self::Same;
        }
        // The lines aren't shown to be the same. Maybe the record of `at` still has an equal line
        // of its own in the new text, or the record of `to` already had one in the old text. In
        // both cases, the pair connects two different records.
        let key = Some(&old.keys()[at]);
        let has_it_now = |known: &Known| known.beside(at).and_then(|at| new.keys().get(at)) == key;
        let had_it = |known: &Known| {
            let was = (known.old + to).checked_sub(known.new);
            was.and_then(|was| old.keys().get(was)) == key
        };
        let own = here.into_iter().find(has_it_now);
        let other = || there.into_iter().find(had_it);
        own.or_else(other).map_or(Self::Open, Self::Other)
    }

    /// Compares several pairs of lines in order, and stops at the first pair that's certainly the
    /// same line.
    ///
    /// `Other` is a preliminary result until then, because a later pair may prove the opposite.
    pub(crate) fn of_lines(
        old: &Text,
        new: &Text,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let mut found = Self::Open;
        let is_first = |text: &Text, at: usize| (0..at).all(|line| text.is_trivial(line));
        for (at, to) in pairs.filter(|(at, _)| !old.is_trivial(*at)) {
            // The start of the file counts as a neighbor of its first lines.
            let begins = at == to && is_first(old, at) && is_first(new, to);
            if begins || only_one(old, at, new) == Some(to) {
                return Self::Same;
            }
            match Self::of_line(old, new, at, to) {
                Self::Same => return Self::Same,
                Self::Other(known) if found == Self::Open => found = Self::Other(known),
                Self::Other(_) | Self::Open => {}
            }
        }
        found
    }
}

/// The nearest unique line above line `at` of `old`, and the nearest one below, as far as they're
/// in the same record.
pub(crate) fn known_around(old: &Text, new: &Text, at: usize) -> Vec<Known> {
    around(old, at, |line| Known::of(old, line, new))
}

/// The same as [`known_around`], but for line `to` of `new`.
pub(crate) fn known_around_new(old: &Text, new: &Text, to: usize) -> Vec<Known> {
    let turned = |known: Known| Known {
        old: known.new,
        new: known.old,
    };
    around(new, to, |line| Known::of(new, line, old).map(turned))
}

fn around(text: &Text, at: usize, tells: impl Fn(usize) -> Option<Known>) -> Vec<Known> {
    let telling = |line: &usize| !text.is_trivial(*line);
    let nearest = |lines: Vec<usize>| {
        let mut near = lines.into_iter().filter(telling).take(params::MAX_DISTANCE);
        near.find_map(&tells)
    };
    let above = nearest(above(text, at).lines);
    above.into_iter().chain(nearest(below(text, at))).collect()
}

/// Returns true if a record is known to end between the two lines.
pub(crate) fn are_apart(text: &Text, one: usize, other: usize) -> bool {
    let (first, last) = (one.min(other), one.max(other));
    let above = above(text, last);
    above.is_all && first < last && !above.lines.contains(&first)
}

/// Returns true if the two lines are known to be in the same record.
///
/// Often we can't tell: if the lines are more than [`params::MAX_RECORD`] lines apart, both this
/// and [`are_apart`] return false.
pub(crate) fn are_together(text: &Text, one: usize, other: usize) -> bool {
    let (first, last) = (one.min(other), one.max(other));
    above(text, last).lines.contains(&first)
}

/// The part of a record above one of its lines, nearest line first.
struct Above {
    lines: Vec<usize>,
    /// False if [`params::MAX_RECORD`] cut the list short.
    is_all: bool,
}

/// Collects the lines of the record above line `at`.
///
/// The list ends at the name of the record, a line that is less indented and either unique in the
/// file or not indented at all. For a line without indentation, it also ends at a blank line.
fn above(text: &Text, at: usize) -> Above {
    let (mut lines, mut is_all) = (Vec::new(), true);
    let Some(own) = Shape::of(text, at) else {
        return Above { lines, is_all };
    };
    let (mut level, mut goes_on) = (own.indent, false);
    for (count, line) in (0..at).rev().enumerate() {
        if count == params::MAX_RECORD {
            is_all = false;
            break;
        }
        let Some(shape) = Shape::of(text, line) else {
            match level {
                0 => break,
                _ => continue,
            }
        };
        // A line such as `} else {` continues the block that the line above it at the same level
        // began, so the record doesn't end in between.
        let is_outside = shape.indent < level || (goes_on && shape.indent == level);
        level = level.min(shape.indent);
        goes_on = shape.goes_on || (goes_on && !is_outside);
        // Another block ends here, so the record begins below this line.
        if shape.closes && shape.indent == level && level < own.indent {
            break;
        }
        lines.push(line);
        // No other line of the file equals this one, so it is the name of the record.
        if is_outside && !goes_on && (level == 0 || text.alike(line) == 1) {
            break;
        }
    }
    Above { lines, is_all }
}

/// Collects the lines below line `at` that are indented at least as much. A line that ends its
/// record has none.
fn below(text: &Text, at: usize) -> Vec<usize> {
    let Some(own) = Shape::of(text, at).filter(|own| !own.closes) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for line in (at + 1..text.len()).take(params::MAX_RECORD) {
        match Shape::of(text, line) {
            None if own.indent == 0 => break,
            None => {}
            Some(shape) if shape.indent < own.indent => break,
            Some(_) => lines.push(line),
        }
    }
    lines
}

/// Position of a line in the structure of blocks, by its indentation and brackets. Blank lines have
/// no shape.
#[derive(Debug, Clone, Copy)]
struct Shape {
    indent: usize,
    /// True if the line ends a block.
    closes: bool,
    /// True if the line ends one block and begins another, e.g. `} else {`.
    goes_on: bool,
}

impl Shape {
    fn of(text: &Text, at: usize) -> Option<Self> {
        let line = text.bytes(at);
        let said = line.trim_ascii_start();
        let width = |byte: &u8| if *byte == b'\t' { 8 } else { 1 };
        let indent = line[..line.len() - said.len()].iter().map(width).sum();
        let begins = matches!(said.first()?, b'}' | b')' | b']');
        let opens = matches!(
            said.trim_ascii_end().last(),
            Some(b'{' | b'(' | b'[' | b':')
        );
        // In a list, `}, {` separates two records, so the block doesn't go on.
        let goes_on = begins && opens && said.get(1) != Some(&b',');
        Some(Self {
            indent,
            closes: begins && !goes_on,
            goes_on,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;

    fn text(lines: &str) -> Text {
        Text::new(Arc::new(SourceFile::from_bytes(lines.into()))).unwrap()
    }

    const SERVICES: &str = "  web:\n    image: web:1\n    logging:\n      driver: syslog\n  db:\n    image: db:1\n    logging:\n      driver: syslog\n";

    #[test]
    fn a_record_goes_up_to_its_name_and_down_to_the_next() {
        let text = text(SERVICES);
        assert_eq!(above(&text, 7).lines, [6, 5, 4]);
        // Line 4 is the name of the next record, and indented less.
        assert_eq!(below(&text, 1), [2, 3]);
        assert!(are_apart(&text, 1, 7));
        assert!(!are_apart(&text, 4, 7));
        let functions = text_of_functions();
        assert_eq!(above(&functions, 6).lines, [5, 4]);
        assert!(are_apart(&functions, 1, 6));
    }

    #[test]
    fn a_signature_of_several_lines_is_of_the_body_behind_it() {
        let text = text("def a(\n    one: int,\n) -> int:\n    two()\n    return one\n");
        assert!(!are_apart(&text, 0, 4));
        assert!(are_together(&text, 0, 4));
    }

    fn text_of_functions() -> Text {
        text("fn a() {\n    one();\n\n}\nfn b() {\n    two();\n    one();\n}\n")
    }

    #[test]
    fn the_lines_around_it_tell_which_record_a_line_is_of() {
        let old = text(SERVICES);
        let (web, db) = SERVICES.split_at(SERVICES.find("  db").unwrap());
        let new = text(&format!("{db}{web}"));
        let db = Known { old: 5, new: 1 };
        assert_eq!(Standing::of_line(&old, &new, 7, 3), Standing::Same);
        assert_eq!(Standing::of_line(&old, &new, 7, 7), Standing::Other(db));
        // One service has another name and another image now.
        let renamed = text(&SERVICES.replace("db", "cache"));
        assert_eq!(Standing::of_line(&old, &renamed, 7, 7), Standing::Open);
    }
}
