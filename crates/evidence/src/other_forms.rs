//! Search for a text in another form: joined to one line, split into one word per line, inside a
//! string literal, or with other names.
//!
//! Such a form proves no location, but a text that exists in one must not be reported as deleted.

use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memmem;
use windlass_repo::SourceFile;

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::params;
use crate::text::{Part, Range, Text, is_letter};
use crate::vestige::words_from;

/// A text reduced to what does not depend on its layout, or not on its names.
#[derive(Debug)]
pub(crate) struct OtherForms {
    /// Letters and digits of the longest lines.
    longest: Vec<Vec<u8>>,
    /// The old file without names. `None` if the text has too few different lines.
    without_names: Option<Text>,
    lines: Range,
    /// Words of the text that no other line of the old file contains.
    words: BTreeSet<Vec<u8>>,
}

impl OtherForms {
    pub(crate) fn of(old: &OldText) -> Self {
        let lines = old
            .lines
            .iter()
            .map(|at| letters_of(&old.text, std::iter::once(at)));
        let mut longest: Vec<Vec<u8>> = lines
            .filter(|line| line.len() >= params::MIN_LINE_INFORMATION as usize)
            .collect();
        // The letters of a few short lines would also be found in unrelated texts.
        if longest.iter().map(Vec::len).sum::<usize>() < params::MIN_INFORMATION_SURE as usize {
            longest.clear();
        }
        longest.sort_by_key(|line| std::cmp::Reverse(line.len()));
        longest.truncate(params::MAX_LONGEST_LINES);
        let is_enough = |text: &Text| {
            let keys = Part::new(text, old.lines)
                .telling()
                .map(|at| text.keys()[at]);
            keys.collect::<BTreeSet<u64>>().len() >= params::MIN_DIFFERENT_LINES
        };
        Self {
            longest,
            without_names: without_names(&old.text).filter(is_enough),
            lines: old.lines,
            words: own_words(old),
        }
    }

    /// Returns true if `letters`, the letters and digits of added lines, contain each of the
    /// longest lines of the text.
    pub(crate) fn are_in(&self, letters: &[u8]) -> bool {
        let is_there = |line: &Vec<u8>| memmem::find(letters, line).is_some();
        !self.longest.is_empty() && self.longest.iter().all(is_there)
    }

    /// Returns true if the lines `added` to `text` contain nearly all words that only the text had.
    pub(crate) fn are_reworded_in(&self, text: &Text, added: impl Iterator<Item = usize>) -> bool {
        if self.words.len() < params::MIN_OWN_WORDS {
            return false;
        }
        let there: BTreeSet<Vec<u8>> = added
            .flat_map(|at| words_from(&text.bytes(at), params::MIN_WORD))
            .collect();
        let found = self.words.intersection(&there).count();
        found * 100 >= self.words.len() * params::NEARLY_ALL as usize
    }

    /// Returns true if the lines of `text` for which `is_added` is true have most of the text,
    /// under other names.
    pub(crate) fn are_renamed_in(&self, text: &Text, is_added: impl Fn(usize) -> bool) -> bool {
        let Some(old) = &self.without_names else {
            return false;
        };
        let Some(new) = without_names(text) else {
            return false;
        };
        let wanted = Part::new(old, self.lines);
        // The windows overlap, and leave room for lines that were inserted into the text.
        let starts = (0..text.len()).step_by(self.lines.len());
        let mut windows =
            starts.map(|at| Range::new(at, (at + self.lines.len() * 3).min(text.len())));
        windows.any(|lines| {
            let there = Part::new(&new, lines);
            lines.iter().any(&is_added)
                && Alignment::exact(wanted, there, &is_added).share_of_one(wanted)
                    >= params::NEARLY_ALL
        })
    }
}

pub(crate) fn letters_of(text: &Text, lines: impl Iterator<Item = usize>) -> Vec<u8> {
    lines
        .flat_map(|at| text.bytes(at))
        .filter(is_letter)
        .collect()
}

fn own_words(old: &OldText) -> BTreeSet<Vec<u8>> {
    let words = |at: usize| words_from(&old.text.bytes(at), params::MIN_WORD);
    let mut own: BTreeSet<Vec<u8>> = old.lines.iter().flat_map(words).collect();
    for at in (0..old.text.len()).filter(|at| !old.lines.contains(*at)) {
        for word in words(at) {
            own.remove(&word);
        }
    }
    own
}

/// Replaces each name and keyword in `text` by the same letter.
///
/// Numbers are kept, because they often differ between texts that are otherwise alike.
fn without_names(text: &Text) -> Option<Text> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let mut bytes = Vec::new();
    for at in 0..text.len() {
        for part in text
            .bytes(at)
            .chunk_by(|one, next| is_of_word(one) && is_of_word(next))
        {
            match part[0].is_ascii_digit() || !is_of_word(&part[0]) {
                true => bytes.extend_from_slice(part),
                false => bytes.push(b'w'),
            }
        }
        bytes.push(b'\n');
    }
    Text::new(Arc::new(SourceFile::from_bytes(bytes)))
}

/// First bytes of common compressed formats. Their contents cannot be searched.
const PACKED: [&[u8]; 6] = [
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf\x27\x1c",
];

pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    PACKED.iter().any(|begin| bytes.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "function area(width, height) {\n  const total = width * height;\n  if (total > 400) {\n    throw new Error(\"this field is too large\");\n  }\n  return total;\n}\n";

    fn text(lines: &str) -> Text {
        Text::new(Arc::new(SourceFile::from_bytes(lines.into()))).unwrap()
    }

    fn known() -> OtherForms {
        let text = text(LINES);
        OtherForms::of(&OldText {
            lines: Range::new(0, text.len()),
            text: Arc::new(text),
            commit: String::new(),
            blob: None,
        })
    }

    #[test]
    fn joined_split_and_escaped_text_is_found() {
        let is_in = |shape: &str| known().are_in(&letters_of(&text(shape), 0..text(shape).len()));
        let joined = LINES.replace('\n', " ");
        let split = LINES.replace(' ', "\n");
        let escaped = format!("{{\"code\": {LINES:?}}}\n");
        for shape in [joined, split, escaped] {
            assert!(is_in(&shape), "{shape}");
        }
        assert!(!is_in("const total = width * height;\n"));
        assert!(!is_in("function area(side) { return side * side }\n"));
    }

    #[test]
    fn renamed_text_is_found() {
        let renamed = LINES
            .replace("total", "sum")
            .replace("width", "columns")
            .replace("height", "rows");
        let is_in = |lines: &str| known().are_renamed_in(&text(lines), |_| true);
        assert!(is_in(&renamed));
        assert!(!is_in(&renamed.replace(" * ", "(").replace("400", "7")));
    }

    #[test]
    fn compressed_files_are_known_by_their_first_bytes() {
        assert!(is_packed(b"PK\x03\x04..."));
        assert!(!is_packed(b"\x89PNG\r\n"));
    }
}
