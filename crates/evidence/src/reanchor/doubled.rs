//! Check if a location contains two versions of a text. If a text was copied next to itself and both were changed, a
//! comparison may combine the beginning of one with the end of the other.

use std::collections::BTreeMap;

use crate::numbers::without_numbers;
use crate::old_text::OldText;
use crate::text::{Range, Text};

/// Minimum length of a location that may contain two versions of a text, in percent of the text's length.
const MIN_LONGER: usize = 150;

/// Minimum number of different repeated lines. A single line may be repeated by chance.
const MIN_LINES: usize = 2;

/// True if `place` contains most lines of `old` at least twice as often as `old` itself. Numbers in the lines are
/// ignored.
pub(super) fn has_it_twice(old: &OldText, now: &Text, place: Range) -> bool {
    if place.len() * 100 < old.lines.len() * MIN_LONGER {
        return false;
    }
    let mut own: BTreeMap<Vec<u8>, (usize, u32)> = BTreeMap::new();
    for at in (old.lines.start..old.lines.end).filter(|at| !old.text.is_trivial(*at)) {
        let (times, weight) = own.entry(without_numbers(&old.text, at)).or_default();
        *times += 1;
        *weight += old.text.weight(at);
    }
    let all: u32 = own.values().map(|(_, weight)| weight).sum();
    let mut there: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for at in place.start..place.end.min(now.len()) {
        *there.entry(without_numbers(now, at)).or_default() += 1;
    }
    let times_there = |line: &[u8]| there.get(line).copied().unwrap_or(0);
    let doubled = own
        .iter()
        .filter(|(line, (times, _))| times_there(line) >= 2 * times);
    let doubled: Vec<u32> = doubled.map(|(_, (_, weight))| *weight).collect();
    doubled.len() >= MIN_LINES && doubled.iter().sum::<u32>() * 2 > all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;

    fn text(lines: &[&str]) -> Arc<Text> {
        let source = SourceFile::from_bytes((lines.join("\n") + "\n").into());
        Arc::new(Text::new(Arc::new(source)).unwrap())
    }

    fn has_twice(old: &[&str], now: &[&str]) -> bool {
        let all = |text: &Text| Range {
            start: 0,
            end: text.len(),
        };
        let (text, now) = (text(old), text(now));
        let old = OldText {
            lines: all(&text),
            text,
            commit: String::new(),
            blob: None,
        };
        has_it_twice(&old, &now, all(&now))
    }

    #[test]
    fn two_variants_of_a_text_are_told_from_a_text_that_grew() {
        const ORDER: [&str; 4] = [
            "def total_of_order(order):",
            "    total = sum(line.price for line in lines)",
            "    check(total, limit=LIMIT)",
            "    return round(total, 2)",
        ];
        let cart = ["def total_of_cart(cart):", ORDER[1], ORDER[2], ORDER[3]];
        let invoice = [
            "def total_of_invoice(invoice):",
            ORDER[1],
            ORDER[2],
            ORDER[3],
        ];
        assert!(has_twice(&ORDER, &[cart, invoice].concat()));
        // The text was extended, and repeats one of its lines.
        let grown = [
            ORDER[0],
            ORDER[1],
            "    if not total:",
            "        log.warning('nothing was bought')",
            "        return 0",
            ORDER[2],
            ORDER[2],
            ORDER[3],
        ];
        assert!(!has_twice(&ORDER, &grown));
        // The text already contained its lines twice.
        let twice = [ORDER, ORDER].concat();
        let longer = [&twice[..], &["a = 1", "b = 2", "c = 3", "d = 4"]].concat();
        assert!(!has_twice(&twice, &longer));
        // The next record differs only in its numbers, but it is another text.
        let record = ["class Close:", "    TYPE = 2", "    size = Field(1, int)"];
        let records = [
            "class Close:",
            "    TYPE = 1",
            "    size = Field(1, int)",
            "class Copy:",
            "    TYPE = 2",
            "    size = Field(3, int)",
        ];
        assert!(has_twice(&record, &records));
    }
}
