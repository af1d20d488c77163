//! Vestiges: remainders of a text that changed almost completely. They are not enough to claim a location, but the text
//! must not be reported as deleted.

use std::collections::{BTreeMap, BTreeSet};

use windlass_repo::SourceFile;

use crate::old_text::OldText;
use crate::sought::rarest_lines;

/// Minimum number of letters and digits in a line that is recognised after words were inserted into it.
const MIN_LETTERS: usize = 6;

/// Minimum share of the shorter line that must begin and end the longer one, in percent, for the longer one to be an
/// extension.
const MIN_FRAME: usize = 80;

/// Minimum number of letters and digits in a word that distinguishes texts.
const MIN_WORD: usize = 4;

/// Minimum number of distinguishing words that identify a text.
const MIN_WORDS: usize = 5;

/// True if the longer of two lines is the shorter one with an insertion. Both lines must be without blanks.
pub(crate) fn is_extended(one: &[u8], other: &[u8]) -> bool {
    let (shorter, longer) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let said = shorter.iter().filter(|byte| is_letter(**byte)).count();
    if said < MIN_LETTERS {
        return false;
    }
    let same = |(a, b): &(&u8, &u8)| a == b;
    let starts = shorter.iter().zip(longer).take_while(same).count();
    let backwards = shorter.iter().rev().zip(longer.iter().rev());
    let ends = backwards.take_while(same).count();
    let is_framed = (starts + ends).min(shorter.len()) * 100 >= shorter.len() * MIN_FRAME;
    is_framed || longer.windows(shorter.len()).any(|part| part == shorter)
}

/// Features of a text's lines by which an edited line in the same place is recognised.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// For each line, the words that hardly any other line of its file contains.
    words: Vec<(usize, BTreeSet<Vec<u8>>)>,
}

impl Rewritten {
    pub(crate) fn of(old: &OldText, lines: &[usize]) -> Self {
        let of_line = |at: &usize| (*at, words_from(&old.text.bytes(*at), MIN_COMMON));
        let mut words: Vec<(usize, BTreeSet<Vec<u8>>)> = lines.iter().map(of_line).collect();
        let mut seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let sought: BTreeSet<Vec<u8>> = words.iter().flat_map(|(_, own)| own.clone()).collect();
        for at in 0..old.text.len() {
            for word in words_from(&old.text.bytes(at), MIN_COMMON) {
                if sought.contains(&word) {
                    *seen.entry(word).or_default() += 1;
                }
            }
        }
        for (_, own) in &mut words {
            own.retain(|word| seen.get(word).is_none_or(|lines| *lines <= MOST_LINES));
        }
        Self { words }
    }

    /// Returns the lines that may have become `new`. Both lines must contain a rare word, or both must be comments.
    pub(crate) fn to<'a>(&'a self, old: &'a OldText, new: &'a [u8]) -> impl Iterator<Item = usize> {
        let theirs = words_from(new, MIN_COMMON);
        let marks = comment_marks(new);
        let is_it = move |(at, own): &&(usize, BTreeSet<Vec<u8>>)| {
            !own.is_disjoint(&theirs)
                || (marks.is_some() && comment_marks(&old.text.bytes(*at)) == marks)
        };
        self.words.iter().filter(is_it).map(|(at, _)| *at)
    }
}

/// True if `new` may be the line `old` after an edit. They must have a word in common, or the same punctuation in the
/// same order.
pub(crate) fn may_be_edited(old: &[u8], new: &[u8]) -> bool {
    let signs = |line: &[u8]| -> Vec<u8> {
        let signs = line.iter().copied().filter(u8::is_ascii_punctuation);
        signs.collect()
    };
    let (ours, theirs) = (signs(old), signs(new));
    let words = words_from(old, MIN_COMMON);
    !words.is_disjoint(&words_from(new, MIN_COMMON)) || (!ours.is_empty() && ours == theirs)
}

/// Returns the comment mark at the beginning of a line. Returns `None` if the line is not a comment.
fn comment_marks(line: &[u8]) -> Option<&'static [u8]> {
    let line = line.trim_ascii_start();
    COMMENTS.into_iter().find(|marks| line.starts_with(marks))
}

/// Comment marks of the most common languages.
const COMMENTS: [&[u8]; 5] = [b"#", b"//", b"--", b"/*", b"*"];

/// Maximum number of lines in a file that contain a word which identifies one of them.
const MOST_LINES: usize = 8;

/// Minimum number of letters and digits in a word that identifies a rewritten line in its place.
const MIN_COMMON: usize = 3;

/// Words that occur in a text and nowhere else in its file.
#[derive(Debug)]
pub(crate) struct OwnWords(BTreeSet<Vec<u8>>);

impl OwnWords {
    pub(crate) fn of(old: &OldText) -> Self {
        let lines = 0..old.text.len();
        let (own, others): (Vec<usize>, Vec<usize>) = lines.partition(|at| old.lines.contains(*at));
        let mut words = BTreeSet::new();
        for at in own {
            words.extend(words_of(&old.text.bytes(at)));
        }
        for at in others {
            each_word(&old.text.bytes(at), MIN_WORD, |word| {
                words.remove(word);
            });
        }
        Self(words)
    }

    /// Returns the words of the text that `line` contains.
    pub(crate) fn within(&self, line: &[u8]) -> BTreeSet<&[u8]> {
        let mut found = BTreeSet::new();
        if !self.0.is_empty() {
            each_word(line, MIN_WORD, |word| {
                found.extend(self.0.get(word).map(Vec::as_slice));
            });
        }
        found
    }

    /// Returns the words that are valid UTF-8, in order.
    pub(crate) fn as_text(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter_map(|word| std::str::from_utf8(word).ok())
    }

    /// Returns the share that `found` words are of all words, in percent. Returns 0 if the text has too few words.
    pub(crate) fn percent(&self, found: usize) -> u32 {
        match self.0.len() {
            0..MIN_WORDS => 0,
            all => (found * 100 / all) as u32,
        }
    }
}

/// Name that a text of a single line defines or describes. It is the first word, if no other line of the file begins
/// with it.
#[derive(Debug)]
pub(crate) struct OwnName(Vec<u8>);

impl OwnName {
    /// Returns the name in the text of `old`. Returns `None` if the text has more than one line that is not trivial.
    pub(crate) fn of(old: &OldText) -> Option<Self> {
        let mut telling = (old.lines.start..old.lines.end).filter(|at| !old.text.is_trivial(*at));
        let (Some(only), None) = (telling.next(), telling.next()) else {
            return None;
        };
        let name = first_word(&old.text.bytes(only))?;
        let mut others = (0..old.text.len()).filter(|at| *at != only);
        let is_there = |at| words_from(&old.text.bytes(at), MIN_COMMON).contains(&name);
        (!others.any(is_there)).then_some(Self(name))
    }

    /// True if `line` begins with this name.
    pub(crate) fn begins(&self, line: &[u8]) -> bool {
        first_word(line).is_some_and(|word| word == self.0)
    }
}

fn first_word(line: &[u8]) -> Option<Vec<u8>> {
    let mut first = None;
    each_word(line, MIN_COMMON, |word| {
        first.get_or_insert_with(|| word.to_owned());
    });
    first
}

/// Returns the words of a line that are long enough to distinguish texts, in lower case.
fn words_of(line: &[u8]) -> BTreeSet<Vec<u8>> {
    words_from(line, MIN_WORD)
}

/// Returns the words of a line that have at least `letters` letters and digits, in lower case.
fn words_from(line: &[u8], letters: usize) -> BTreeSet<Vec<u8>> {
    let mut words = BTreeSet::new();
    each_word(line, letters, |word| {
        words.insert(word.to_owned());
    });
    words
}

/// Calls `take` for each such word, in the order of the line and with repetitions.
fn each_word(line: &[u8], letters: usize, mut take: impl FnMut(&[u8])) {
    let mut lower = Vec::new();
    for word in line.split(|byte| !is_letter(*byte) && *byte != b'_') {
        if word.len() >= letters && word.iter().filter(|byte| is_letter(**byte)).count() >= letters
        {
            lower.clear();
            lower.extend(word.iter().map(u8::to_ascii_lowercase));
            take(&lower);
        }
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// True if a file that cannot be compared may contain the text. It then contains the bytes of one of the rarest lines,
/// possibly in UTF-16.
pub(crate) fn may_be_in(old: &OldText, source: &SourceFile) -> bool {
    let lines = rarest_lines(&old.text, old.lines);
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
    fn a_line_with_words_put_in_is_the_same_line() {
        assert!(is_extended(
            b"requests",
            b"requests==2.31.0;python_version>=3.8"
        ));
        assert!(is_extended(
            b"-Runthetestsandthelinterbeforeyousendit",
            b"-Runthetests"
        ));
        assert!(is_extended(
            b"let(a,total)=count(x);",
            b"let(a,total)=count(map(x,y,z,other,stuff));"
        ));
        assert!(is_extended(
            b"parse(input)?",
            b"ifyes{returnparse(input)?;}"
        ));
        assert!(!is_extended(b"x=1", b"maximum_x=1"));
        assert!(!is_extended(
            b"let total=count(items)",
            b"lettuce grows in spring"
        ));
    }

    #[test]
    fn what_begins_as_a_comment_is_one() {
        assert_eq!(comment_marks(b"    // Counts."), Some(&b"//"[..]));
        assert_eq!(comment_marks(b"# Counts."), Some(&b"#"[..]));
        assert_eq!(comment_marks(b"let a = b; // Counts."), None);
    }

    #[test]
    fn words_are_those_that_say_something() {
        let words = words_of(b"    if IDLE_SECONDS == 300 { retry(a, Mode::Fast) }");
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        assert_eq!(words, [&b"fast"[..], b"idle_seconds", b"mode", b"retry"]);
    }
}
