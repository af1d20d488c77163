//! Search for a text in another form: joined to one line, with one word per line, or inside a string.
//!
//! Such a form proves no location, but a text that is found in this way must not be reported as deleted.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::old_text::OldText;
use crate::text::Text;

/// Minimum number of letters and digits in a line that is searched for.
const MIN_LINE: usize = 8;

/// Minimum number of letters and digits in a text that is searched for.
const MIN_TEXT: usize = 24;

/// Minimum number of letters and digits in a string that identifies the code around it.
const MIN_STRING: usize = 12;

/// Minimum share of the letters and digits that must be found in order, in percent.
const MIN_FOUND: usize = 60;

/// Maximum number of locations to inspect.
const MAX_PLACES: usize = 16;

/// Maximum length of a location, as a multiple of the text's length, and below the number of further bytes.
const MAX_LONGER: usize = 3;
const MAX_BESIDES: usize = 256;

/// Text that is reduced to its letters and digits.
#[derive(Debug)]
pub(crate) struct Reshaped {
    /// Lines that are long enough to be searched for, in order.
    lines: Vec<Vec<u8>>,
    /// Strings that are unique to the text.
    strings: BTreeSet<Vec<u8>>,
}

impl Reshaped {
    pub(crate) fn of(old: &OldText) -> Self {
        let lines = old.lines.start..old.lines.end;
        let letters = lines.clone().map(|at| {
            let mut said = Vec::new();
            squeeze(&old.text.bytes(at), &mut said);
            said
        });
        let mut strings = BTreeSet::new();
        for at in lines {
            strings.extend(strings_of(&old.text.bytes(at)));
        }
        if !strings.is_empty() {
            let mut said = Vec::new();
            for at in (0..old.text.len()).filter(|at| !old.lines.contains(*at)) {
                said.clear();
                squeeze(&old.text.bytes(at), &mut said);
                strings.retain(|string: &Vec<u8>| memmem::find(&said, string).is_none());
            }
        }
        Self {
            lines: letters.filter(|line| line.len() >= MIN_LINE).collect(),
            strings,
        }
    }

    /// True if `letters` contain most of the text in order. They are the letters and digits of added lines.
    pub(crate) fn is_in(&self, letters: &[u8]) -> bool {
        let all: usize = self.lines.iter().map(Vec::len).sum();
        // If several lines are equally long, the first is preferred.
        let longest = (0..self.lines.len())
            .rev()
            .max_by_key(|nr| self.lines[*nr].len());
        let Some(longest) = longest.filter(|_| all >= MIN_TEXT) else {
            return false;
        };
        let reach = all * MAX_LONGER + MAX_BESIDES;
        let places = memmem::find_iter(letters, &self.lines[longest]);
        places.take(MAX_PLACES).any(|at| {
            let (start, end) = (at.saturating_sub(reach), (at + reach).min(letters.len()));
            let mut found = self.lines[longest].len();
            let mut before = &letters[start..at];
            for line in self.lines[..longest].iter().rev() {
                if let Some(at) = memmem::rfind(before, line) {
                    found += line.len();
                    before = &before[..at];
                }
            }
            let mut after = letters
                .get(at + self.lines[longest].len()..end)
                .unwrap_or_default();
            for line in &self.lines[longest + 1..] {
                if let Some(at) = memmem::find(after, line) {
                    found += line.len();
                    after = &after[at + line.len()..];
                }
            }
            found * 100 >= all * MIN_FOUND
        })
    }

    /// True if `letters` contain a string that is unique to the text.
    pub(crate) fn has_a_string_in(&self, letters: &[u8]) -> bool {
        let mut strings = self.strings.iter();
        strings.any(|string| memmem::find(letters, string).is_some())
    }
}

/// Returns the letters and digits of `lines` in `text`, concatenated.
pub(crate) fn letters_of(text: &Text, lines: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut said = Vec::new();
    for at in lines {
        squeeze(&text.bytes(at), &mut said);
    }
    said
}

fn squeeze(line: &[u8], said: &mut Vec<u8>) {
    said.extend(line.iter().filter(|byte| is_letter(**byte)));
}

/// Returns the quoted strings in a line that are long enough and more than a word. Single words are names, which occur
/// in many files.
fn strings_of(line: &[u8]) -> Vec<Vec<u8>> {
    let (mut strings, mut rest) = (Vec::new(), line);
    while let Some(start) = rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\'' | b'`'))
    {
        let quote = rest[start];
        rest = &rest[start + 1..];
        let Some(end) = rest.iter().position(|byte| *byte == quote) else {
            continue;
        };
        let (string, left) = (&rest[..end], &rest[end + 1..]);
        let mut said = Vec::new();
        squeeze(string, &mut said);
        if said.len() >= MIN_STRING && string.trim_ascii().contains(&b' ') {
            strings.push(said);
        }
        rest = left;
    }
    strings
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// First bytes of compressed files, whose contents cannot be searched.
const PACKED: [&[u8]; 6] = [
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf\x27\x1c",
];

/// True if `bytes` are those of a compressed file.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    PACKED.iter().any(|begin| bytes.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;
    use crate::text::Range;

    const LINES: &str = "function area(width, height) {\n  const total = width * height;\n  if (total > 400) {\n    throw new Error(\"this field is too large\");\n  }\n  return total;\n}\n";

    fn known() -> Reshaped {
        let text = Text::new(Arc::new(SourceFile::from_bytes(LINES.into()))).unwrap();
        let lines = Range {
            start: 0,
            end: text.len(),
        };
        Reshaped::of(&OldText {
            text: Arc::new(text),
            lines,
            commit: String::new(),
            blob: None,
        })
    }

    fn letters(text: &str) -> Vec<u8> {
        let text = Text::new(Arc::new(SourceFile::from_bytes(text.into()))).unwrap();
        letters_of(&text, 0..text.len())
    }

    #[test]
    fn a_text_is_in_what_has_it_joined_split_or_escaped() {
        let known = known();
        let joined = LINES.replace('\n', " ");
        let split = LINES.replace(' ', "\n");
        let escaped = format!("{{\"code\": {LINES:?}}}\n");
        for shape in [joined, split, escaped] {
            assert!(known.is_in(&letters(&shape)), "{shape}");
        }
        assert!(!known.is_in(&letters("const total = width * height;\n")));
        assert!(!known.is_in(&letters("function area(side) { return side * side }\n")));
    }

    #[test]
    fn a_string_that_only_it_had_tells_of_it() {
        let known = known();
        assert!(known.has_a_string_in(&letters("fail('this field is too large')\n")));
        assert!(!known.has_a_string_in(&letters("fail('too large')\n")));
    }

    #[test]
    fn what_is_packed_is_known_by_how_it_begins() {
        assert!(is_packed(b"PK\x03\x04..."));
        assert!(!is_packed(b"\x89PNG\r\n"));
    }
}
