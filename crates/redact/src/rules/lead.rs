//! Quickly tests a match's first bytes. In most places, the test saves running the pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Number of tested bytes at the start of a match.
const BYTES: usize = 32;

/// The bytes allowed at the first offsets of a pattern's matches.
#[derive(Debug)]
pub(crate) struct Lead {
    /// For each byte, the offsets that allow it.
    offsets: Box<[u32; 256]>,
    /// Number of testable bytes: the length of the shortest match, capped at [`BYTES`].
    length: usize,
    longest: Option<usize>,
}

impl Lead {
    pub(crate) fn of(hir: &Hir) -> Self {
        let mut lead = Self {
            offsets: Box::new([0; 256]),
            length: 0,
            longest: hir.properties().maximum_len(),
        };
        let ends = lead.walk(hir, 1);
        lead.length = (ends.trailing_zeros() as usize).min(BYTES);
        lead
    }

    /// Maximum length of a match in bytes. `None` if the pattern is unbounded.
    pub(crate) fn longest(&self) -> Option<usize> {
        self.longest
    }

    /// Returns true if a match may begin with `bytes`.
    ///
    /// They continue to the end of the text. The first `known` bytes aren't tested again, because
    /// the caller has found a keyword there.
    pub(crate) fn may_begin(&self, bytes: &[u8], known: usize) -> bool {
        let Some(first) = bytes.get(..self.length) else {
            return false;
        };
        let mut untested = first.iter().enumerate().skip(known);
        untested.all(|(at, byte)| self.offsets[usize::from(*byte)] >> at & 1 == 1)
    }

    /// Allows the bytes of `hir` at all of its possible offsets, for a start at one of `starts`.
    /// Returns the possible offsets of its end.
    fn walk(&mut self, hir: &Hir, starts: u64) -> u64 {
        let starts = starts & ((1 << (BYTES + 1)) - 1);
        if starts == 0 {
            return 0;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => starts,
            HirKind::Literal(literal) => literal.0.iter().fold(starts, |at, byte| {
                self.offsets[usize::from(*byte)] |= at as u32;
                at << 1 & ((1 << (BYTES + 1)) - 1)
            }),
            HirKind::Class(class) => {
                self.add_class(class, starts);
                starts << 1
            }
            HirKind::Repetition(repetition) => {
                let mut ends = if repetition.min == 0 { starts } else { 0 };
                let mut at = starts;
                for count in 1..=repetition.max.unwrap_or(u32::MAX) {
                    let next = self.walk(&repetition.sub, at);
                    // If a round doesn't add any offset, later rounds won't either.
                    let is_known = next & !ends == 0 && count > repetition.min;
                    at = next;
                    if count >= repetition.min {
                        ends |= at;
                    }
                    if at == 0 || is_known {
                        break;
                    }
                }
                ends
            }
            HirKind::Capture(capture) => self.walk(&capture.sub, starts),
            HirKind::Concat(parts) => parts.iter().fold(starts, |at, part| self.walk(part, at)),
            HirKind::Alternation(parts) => parts
                .iter()
                .fold(0, |ends, part| ends | self.walk(part, starts)),
        }
    }

    fn add_class(&mut self, class: &Class, starts: u64) {
        match class {
            Class::Bytes(class) => {
                for range in class.iter() {
                    for byte in range.start()..=range.end() {
                        self.offsets[usize::from(byte)] |= starts as u32;
                    }
                }
            }
            // A character can take any number of bytes, so no byte can be ruled out. Built-in
            // patterns match bytes.
            Class::Unicode(_) => self.offsets.iter_mut().for_each(|it| *it = u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(pattern: &str) -> Lead {
        let mut parser = regex_syntax::ParserBuilder::new();
        let hir = parser.utf8(false).unicode(false).build().parse(pattern);
        Lead::of(&hir.unwrap())
    }

    #[test]
    fn lead_accepts_each_match_and_rejects_other_text() {
        for (pattern, matches, others) in [
            ("SK[0-9a-f]{4}", ["SK01ef", "SKabcdx"], ["SK01eg", "SK01"]),
            ("(?i)ab?c*d", ["ABCCCD", "ad"], ["xd", "ax"]),
            (r"(?:\b|\\n)x(?:1|23)", ["x1", r"\nx23"], ["x4", "y1"]),
            ("x(?:ab){2,}y?", ["xabab", "xababab"], ["xaba", "xabaa"]),
        ] {
            let lead = lead(pattern);
            for text in matches {
                assert!(lead.may_begin(text.as_bytes(), 0), "{pattern}: {text}");
            }
            for text in others {
                assert!(!lead.may_begin(text.as_bytes(), 0), "{pattern}: {text}");
            }
        }
    }

    #[test]
    fn lead_of_long_pattern_tests_its_first_bytes() {
        let lead = lead("x[a-f]{40,}");
        let text = format!("x{}", "a".repeat(40));
        assert!(lead.may_begin(text.as_bytes(), 1) && lead.longest().is_none());
        assert!(!lead.may_begin(text.replacen("aaa", "aag", 1).as_bytes(), 1));
        assert!(!lead.may_begin(b"xaaaa", 1));
    }
}
