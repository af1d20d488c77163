//! Remainders of a text that changed almost completely.
//!
//! They are not enough to claim a location, but a text with a remainder must not be reported as
//! deleted.

use std::collections::{BTreeMap, BTreeSet};

use windlass_repo::SourceFile;

use crate::old_text::OldText;
use crate::params;
use crate::sought::rarest_lines;
use crate::text::is_letter;

/// Features of a text's lines by which an edited line in the same place is recognized.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// For each line, the words that hardly any other line of its file contains.
    words: Vec<(usize, BTreeSet<Vec<u8>>)>,
}

impl Rewritten {
    pub(crate) fn of(old: &OldText, lines: &[usize]) -> Self {
        let of_line = |at: &usize| (*at, words_from(&old.text.bytes(*at), params::MIN_WORD));
        let mut words: Vec<(usize, BTreeSet<Vec<u8>>)> = lines.iter().map(of_line).collect();
        let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let sought: BTreeSet<Vec<u8>> = words.iter().flat_map(|(_, own)| own.clone()).collect();
        for at in 0..old.text.len() {
            for word in words_from(&old.text.bytes(at), params::MIN_WORD) {
                if sought.contains(&word) {
                    *seen.entry(word).or_default() += 1;
                }
            }
        }
        for (_, own) in &mut words {
            own.retain(|word| {
                seen.get(word)
                    .is_none_or(|lines| *lines <= params::MAX_LINES_WITH_WORD)
            });
        }
        Self { words }
    }

    /// Returns the lines that may have become `new`: those that share a rare word with it, and
    /// comments if `new` is a comment as well.
    pub(crate) fn to<'a>(&'a self, old: &'a OldText, new: &'a [u8]) -> impl Iterator<Item = usize> {
        let theirs = words_from(new, params::MIN_WORD);
        let marks = comment_marks(new);
        let is_it = move |(at, own): &&(usize, BTreeSet<Vec<u8>>)| {
            !own.is_disjoint(&theirs)
                || (marks.is_some() && comment_marks(&old.text.bytes(*at)) == marks)
        };
        self.words.iter().filter(is_it).map(|(at, _)| *at)
    }
}

/// Returns the comment mark at the beginning of a line, or `None` if the line is not a comment.
fn comment_marks(line: &[u8]) -> Option<&'static [u8]> {
    let line = line.trim_ascii_start();
    COMMENTS.into_iter().find(|marks| line.starts_with(marks))
}

/// Returns the name that a text of a single line defines or describes.
///
/// That is its first word, unless another line of the file contains this word too.
pub(crate) fn own_name(old: &OldText) -> Option<Vec<u8>> {
    let mut telling = old.part().telling();
    let (only, None) = (telling.next()?, telling.next()) else {
        return None;
    };
    let name = first_word(&old.text.bytes(only))?;
    let is_there = |at| words_from(&old.text.bytes(at), params::MIN_WORD).contains(&name);
    let is_own = !(0..old.text.len()).any(|at| at != only && is_there(at));
    is_own.then_some(name)
}

/// Returns the first word of a line, in lower case.
pub(crate) fn first_word(line: &[u8]) -> Option<Vec<u8>> {
    let mut first = None;
    each_word(line, params::MIN_WORD, |word| {
        first.get_or_insert_with(|| word.to_owned());
    });
    first
}

/// Comment marks of the most common languages.
const COMMENTS: [&[u8]; 5] = [b"#", b"//", b"--", b"/*", b"*"];

/// Returns the words of a line that have at least `letters` letters and digits, in lower case.
pub(crate) fn words_from(line: &[u8], letters: usize) -> BTreeSet<Vec<u8>> {
    let mut words = BTreeSet::new();
    each_word(line, letters, |word| {
        words.insert(word.to_owned());
    });
    words
}

/// Calls `take` for each such word, in the order of the line and with repetitions.
fn each_word(line: &[u8], letters: usize, mut take: impl FnMut(&[u8])) {
    let mut lower = Vec::new();
    for word in line.split(|byte| !is_letter(byte) && *byte != b'_') {
        if word.len() >= letters && word.iter().filter(|byte| is_letter(byte)).count() >= letters {
            lower.clear();
            lower.extend(word.iter().map(u8::to_ascii_lowercase));
            take(&lower);
        }
    }
}

/// Returns true if a file that cannot be compared may contain the text. It then contains the bytes
/// of one of the rarest lines, possibly in UTF-16.
pub(crate) fn may_be_in(old: &OldText, source: &SourceFile) -> bool {
    let lines = rarest_lines(&old.text, old.lines);
    // Some programs write text files in UTF-16, which are binary to us.
    let wide = |line: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        line.encode_utf16().flat_map(bytes).collect()
    };
    let sought = lines.iter().flat_map(|line| {
        [
            line.clone().into_bytes(),
            wide(line, u16::to_le_bytes),
            wide(line, u16::to_be_bytes),
        ]
    });
    let mut sought = sought.filter(|line| !line.is_empty());
    sought.any(|line| memchr::memmem::find(source.bytes(), &line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_as_a_comment_is_one() {
        assert_eq!(comment_marks(b"    // Counts."), Some(&b"//"[..]));
        assert_eq!(comment_marks(b"# Counts."), Some(&b"#"[..]));
        assert_eq!(comment_marks(b"let a = b; // Counts."), None);
    }

    #[test]
    fn words_are_those_that_say_something() {
        let words = words_from(b"    if IDLE_SECONDS == 300 { retry(a, Mode::Fast) }", 4);
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        assert_eq!(words, [&b"fast"[..], b"idle_seconds", b"mode", b"retry"]);
    }
}
