//! Colored output. Escape sequences around a secret, in its name or in its value must not hide it.
//!
//! A single search for the escape byte finds the few texts with sequences. Such a text is scanned
//! twice more: without the sequences, because they may split a value, and with filler in their
//! place, because a sequence's last letter would otherwise join the next word.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use crate::hidden::HIDDEN;
use crate::views::pieces::Pieces;

const ESCAPE: u8 = 0x1b;

/// ECMA-48 sequences for the look of text (its colors and character sets) and for the targets of
/// links.
const SEQUENCE: &str =
    r"(?-u)\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]+[0-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\))";

pub(crate) fn has_escapes(bytes: &[u8]) -> bool {
    memchr::memchr(ESCAPE, bytes).is_some()
}

/// Removes the escape sequences.
pub(crate) fn plain(bytes: &[u8]) -> Pieces {
    let mut plain = Pieces::default();
    let mut from = 0;
    for sequence in sequences(bytes) {
        plain.take(bytes, from..sequence.start);
        from = sequence.end;
    }
    plain.take(bytes, from..bytes.len());
    plain
}

/// Overwrites the escape sequences with filler, to separate words. Targets of links stay.
pub(crate) fn parted(bytes: &[u8]) -> Vec<u8> {
    let mut parted = bytes.to_vec();
    for Range { start, end } in sequences(bytes) {
        if bytes[start + 1] == b']' {
            parted[start..start + 2].fill(HIDDEN);
            parted[end - 1] = HIDDEN;
        } else {
            parted[start..end].fill(HIDDEN);
        }
    }
    parted
}

fn sequences(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    let sequence = COMPILED.get_or_init(|| Regex::new(SEQUENCE).expect("a test compiles it"));
    sequence.find_iter(bytes).map(|sequence| sequence.range())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Found;
    use crate::rules::RuleId;

    #[test]
    fn sequences_are_left_out_and_places_are_kept() {
        let text = b"a\x1b[1mbc\x1b[m\x1b(B\x1b]8;;http://x\x1b\\d\x1b]8;;\x07e\x1b[";
        let plain = plain(text);
        assert_eq!(plain.bytes, b"abcde\x1b[");
        let there = |range: Range<usize>| {
            let found = Found {
                range,
                rule: RuleId::ASSIGNED,
            };
            text[plain.in_original(&found).range].to_vec()
        };
        assert_eq!(there(0..1), b"a");
        assert_eq!(there(1..3), b"bc");
        assert_eq!(there(0..3), b"a\x1b[1mbc");
        assert_eq!(there(4..7), b"e\x1b[");
        assert_eq!(
            String::from_utf8_lossy(&parted(text)).replace('\x01', "."),
            "a....bc........8;;http://x\x1b.d..8;;.e\x1b["
        );
        assert!(has_escapes(text) && !has_escapes(b"[1m"));
    }
}
