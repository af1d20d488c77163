//! Search for a text in which words were renamed. Each line keeps its form, and each word is replaced consistently.
//!
//! Such a location proves nothing, but a text that is found in this way must not be reported as deleted.

use std::collections::{BTreeMap, BTreeSet};

use crate::old_text::OldText;
use crate::text::Text;

/// Minimum number of lines with different forms in a text that can be searched for. All lines of a list have the same
/// form.
const MIN_FORMS: usize = 4;

/// Minimum number of repeated words. A word that occurs only once does not show whether its replacement is consistent.
const MIN_AGAIN: usize = 6;

/// Minimum share of the text that must be found in order, in percent.
const MIN_FOUND: u32 = 80;

/// Maximum share of words that have more than one replacement, in percent.
const MAX_STRAY: usize = 10;

/// Maximum length of a location, as a multiple of the text's length.
const MAX_LONGER: usize = 2;

/// Maximum number of line pairs to compare in one file.
const MAX_PAIRS: usize = 200_000;

/// Form of a line, which does not depend on the names in it.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    at: usize,
    /// Characters that do not belong to words, without blanks. A word is represented by its index among the words of
    /// the line.
    form: Vec<u8>,
    words: Vec<Vec<u8>>,
}

impl Line {
    fn of(text: &Text, at: usize) -> Self {
        let bytes = text.bytes(at);
        let (mut form, mut words): (Vec<u8>, Vec<Vec<u8>>) = Default::default();
        for part in bytes.chunk_by(|one, next| is_of_word(*one) && is_of_word(*next)) {
            match part {
                [first, ..] if is_of_word(*first) && !first.is_ascii_digit() => {
                    let nr = words.iter().position(|word| word == part);
                    let nr = u8::try_from(nr.unwrap_or(words.len())).unwrap_or(u8::MAX);
                    form.extend([0, nr]);
                    words.push(part.to_vec());
                }
                part => form.extend(part.iter().filter(|byte| !byte.is_ascii_whitespace())),
            }
        }
        Self { at, form, words }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Text to search for with renamed words.
#[derive(Debug)]
pub(crate) struct OtherNames<'a> {
    old: &'a OldText,
    lines: Vec<Line>,
}

impl<'a> OtherNames<'a> {
    /// Returns the forms of `old`. Returns `None` if they do not identify the text without its words.
    pub(crate) fn of(old: &'a OldText) -> Option<Self> {
        let lines = old.lines.start..old.lines.end;
        let telling = lines.filter(|at| !old.text.is_trivial(*at));
        let lines: Vec<Line> = telling.map(|at| Line::of(&old.text, at)).collect();
        let forms: BTreeSet<&[u8]> = lines.iter().map(|line| &*line.form).collect();
        let words: Vec<&[u8]> = lines
            .iter()
            .flat_map(|line| line.words.iter().map(|word| &**word))
            .collect();
        let different: BTreeSet<&&[u8]> = words.iter().collect();
        let is_enough = forms.len() >= MIN_FORMS && words.len() >= different.len() + MIN_AGAIN;
        is_enough.then_some(Self { old, lines })
    }

    /// True if the lines `added` in `text` contain most of the old text in order and with renamed words.
    pub(crate) fn is_in(&self, text: &Text, added: impl Iterator<Item = usize>) -> bool {
        let forms: BTreeSet<&[u8]> = self.lines.iter().map(|line| &*line.form).collect();
        let telling = added.filter(|at| !text.is_trivial(*at));
        let there: Vec<Line> = telling
            .map(|at| Line::of(text, at))
            .filter(|line| forms.contains(&*line.form))
            .collect();
        let reach = self.old.lines.len() * MAX_LONGER;
        let mut left = MAX_PAIRS;
        (0..there.len()).any(|first| {
            let window = &there[first..];
            let end = window.partition_point(|line| line.at < there[first].at + reach);
            let Some(rest) = left.checked_sub(end * self.lines.len()) else {
                return false;
            };
            left = rest;
            self.is_same(&window[..end])
        })
    }

    /// True if `there` contains most of the text in order.
    fn is_same(&self, there: &[Line]) -> bool {
        let pairs = common(&self.lines, there);
        let forms: BTreeSet<&[u8]> = pairs.iter().map(|(line, _)| &*line.form).collect();
        let weight = |line: &Line| self.old.text.weight(line.at);
        let all: u32 = self.lines.iter().map(weight).sum();
        let found: u32 = pairs.iter().map(|(line, _)| weight(line)).sum();
        forms.len() >= MIN_FORMS && found * 100 >= all * MIN_FOUND && is_consistent(&pairs)
    }
}

/// Returns the longest common subsequence of lines with equal forms.
fn common<'l>(old: &'l [Line], new: &'l [Line]) -> Vec<(&'l Line, &'l Line)> {
    let width = new.len() + 1;
    // Number of pairs from each position on, in both texts.
    let mut most = vec![0_u32; (old.len() + 1) * width];
    for (at, line) in old.iter().enumerate().rev() {
        for (there, other) in new.iter().enumerate().rev() {
            most[at * width + there] = match line.form == other.form {
                true => most[(at + 1) * width + there + 1] + 1,
                false => most[(at + 1) * width + there].max(most[at * width + there + 1]),
            };
        }
    }
    let (mut at, mut there, mut pairs) = (0, 0, Vec::new());
    while let (Some(line), Some(other)) = (old.get(at), new.get(there)) {
        if line.form == other.form {
            pairs.push((line, other));
            (at, there) = (at + 1, there + 1);
        } else if most[(at + 1) * width + there] >= most[at * width + there + 1] {
            at += 1;
        } else {
            there += 1;
        }
    }
    pairs
}

/// True if nearly every word has exactly one replacement, and each replacement stands for only one word.
fn is_consistent(pairs: &[(&Line, &Line)]) -> bool {
    let mut to: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    let mut from: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    let (mut all, mut stray) = (0, 0);
    for (line, other) in pairs {
        for (word, there) in line.words.iter().zip(&other.words) {
            let is_one = *to.entry(word).or_insert(there) == *there
                && *from.entry(there).or_insert(word) == *word;
            all += 1;
            stray += usize::from(!is_one);
        }
    }
    stray * 100 <= all * MAX_STRAY
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;
    use crate::text::Range;

    const TOTAL: &str = "def total_of_order(order, rates):\n    total = 0\n    for line in order.lines:\n        price = line.price * line.amount\n        if line.voucher:\n            price = price - line.voucher.value\n        total += price * (1 + rates[line.kind])\n    return round(total, 2)\n";

    fn text(text: &str) -> Text {
        Text::new(Arc::new(SourceFile::from_bytes(text.into()))).unwrap()
    }

    fn old(from: &str) -> OldText {
        let text = text(from);
        let lines = Range {
            start: 0,
            end: text.len(),
        };
        OldText {
            text: Arc::new(text),
            lines,
            commit: String::new(),
            blob: None,
        }
    }

    fn is_in(there: &str) -> bool {
        let (old, there) = (old(TOTAL), text(there));
        let known = OtherNames::of(&old).unwrap();
        known.is_in(&there, 0..there.len())
    }

    #[test]
    fn one_other_name_for_each_is_the_same_text() {
        let renamed = TOTAL
            .replace("order", "cart")
            .replace("line", "item")
            .replace("price", "cost");
        assert!(is_in(&format!("import math\n\n\n{renamed}\n\nx = 1\n")));
        // One line is inserted, and one is replaced.
        let edited = renamed
            .replace("    total = 0\n", "    total = 0\n    seen = set()\n")
            .replace("return round(total, 2)", "return total");
        assert!(is_in(&edited));
    }

    #[test]
    fn the_same_forms_with_words_mixed_up_are_another_text() {
        let words = [
            "one", "two", "six", "ten", "odd", "new", "old", "low", "big", "far",
        ];
        let mut nr = 0;
        let mut mixed = String::new();
        for part in TOTAL.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
            let (word, end) = part.split_at(part.len() - 1);
            match word.parse::<u32>().is_ok() || word.is_empty() {
                true => mixed.push_str(word),
                false => {
                    mixed.push_str(words[nr * 7 % words.len()]);
                    nr += 1 + nr / 3;
                }
            }
            mixed.push_str(end);
        }
        assert!(!is_in(&mixed), "{mixed}");
    }

    #[test]
    fn lists_are_not_known_by_their_form() {
        let list: String = (0..20)
            .map(|nr| format!("- item a{nr} of a{nr}\n"))
            .collect();
        assert!(OtherNames::of(&old(&list)).is_none());
    }
}
