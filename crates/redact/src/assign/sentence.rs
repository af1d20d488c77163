//! Secrets in sentences, such as `the password for root is …`.

use std::ops::Range;
use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;

use crate::assign::literal::judge;
use crate::assign::named::Name;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::value::letters::{has_digit, has_letter, is_scrambled};
use crate::value::random::looks_random;

/// Maximum length of the text from a name to the end of its value, in bytes.
const SENTENCE: usize = 256;

/// The words between a name and its value, any marks around the value, and the value.
const WORDS: &str = concat!(
    r#"^(?-u)[*_`"']{0,2}(?:[ \t]*\([^)\r\n]{1,64}\):?)?(?:[ \t]+(?:for|of|to|on|at|in)[ \t][^\r\n]{1,80}?)?"#,
    r"(?<verb>:|[ \t]+(?:is|was|are|lautet|ist|est|(?:will|should) be|-{1,2}>|-|(?u:→|–|—)):?|[ \t]+(?:to|from))",
    r"(?:[ \t]+(?:now|set|to|still|currently))*",
    r#"[ \t]+(?<mark>[*_"'`(<]{0,4})(?<value>[^\s"'`<>]{6,160}?)(?<end>[.,;:!?)*_]*)(?:[\s"'`<>]|$)"#,
);

pub(crate) fn value(text: &Text<'_>, name: &Name) -> Option<Range<usize>> {
    if !is_on("redact.sentence") {
        return None;
    }
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    let words = COMPILED.get_or_init(|| Regex::new(WORDS).expect("a test compiles it"));
    let line = text.window(name.end, SENTENCE);
    // Most lines contain no value, and a plain match is faster than one with groups.
    let Some(groups) = words.is_match(line).then(|| words.captures(line)).flatten() else {
        return word_behind(text, name);
    };
    let group = |name: &str| Some(groups.name(name)?.range());
    let value = group("value")?;
    let range = name.end + value.start..name.end + value.end;
    let next = text.get(text.blanks(name.end + group("end")?.end));
    let is_marked = !group("mark")?.is_empty() || !group("end")?.is_empty();
    let word = text.slice(range.clone());
    // A word that's marked or ends the sentence is more likely a value than one in its middle.
    let last = is_marked || next.is_none_or(is_line_end) || ends_with_digits(word);
    let verb = groups.name("verb")?.as_bytes().trim_ascii();
    // E.g. `set the password to …`. Other sentences continue like this too, so be strict here.
    let is_plain = [&b"to"[..], b"from"].contains(&verb);
    if is_plain && !(name.kind == Kind::Password && (has_odd_sign(word) || ends_with_digits(word)))
    {
        return word_behind(text, name);
    }
    judge(text, range.clone(), name.kind, Form::Sentence { last }).then_some(range)
}

/// Returns true for a word with a capital and several digits behind its letters, like passwords
/// chosen by people. Names of versions consist of fewer letters.
fn ends_with_digits(word: &[u8]) -> bool {
    const LETTERS: usize = 5;
    let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    digits >= 2 && letters >= LETTERS && word.iter().any(u8::is_ascii_uppercase)
}

/// Returns true for letters and digits mixed unlike in words, or for a sign not used in words.
fn has_odd_sign(word: &[u8]) -> bool {
    let word = String::from_utf8_lossy(word);
    let has_both = has_letter(&word) && has_digit(&word);
    has_both && (is_scrambled(&word) || word.contains(['!', '#', '$', '&', '?']))
}

/// Handles a word right after `name`, without a verb between them. The word must clearly look like
/// a password.
fn word_behind(text: &Text<'_>, name: &Name) -> Option<Range<usize>> {
    let of_value = |b: u8| !b.is_ascii_whitespace() && !b"\"'`<>".contains(&b);
    let start = text.run(name.end, 8, |b| is_blank(b) || b"*_`\"'(,".contains(&b));
    let end = text.run(start, SENTENCE, of_value);
    let word = text.slice(start..end);
    let ends = word.iter().rev().take_while(|b| b".,;:!?)*_".contains(b));
    let range = start..end - ends.count();
    let is_certain =
        start > name.end && is_word(text, name) && is_certain(text.slice(range.clone()));
    (is_certain
        && judge(
            text,
            range.clone(),
            name.kind,
            Form::Sentence { last: false },
        ))
    .then_some(range)
}

/// Returns true for a plain word like `password`, after which people write the value in a sentence.
pub(crate) fn is_word(text: &Text<'_>, name: &Name) -> bool {
    let before = name.start.checked_sub(1).and_then(|at| text.get(at));
    name.kind == Kind::Password
        && text
            .slice(name.start..name.end)
            .iter()
            .all(u8::is_ascii_alphabetic)
        && before.is_none_or(|b| is_blank(b) || is_line_end(b) || b"*_\"'`(".contains(&b))
}

/// Returns true for a word that can only be a password. Names of methods and versions contain fewer
/// digits, or no capitals.
fn is_certain(word: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| word.iter().filter(|b| of(b)).count();
    let is_mixed = count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_uppercase) >= 1
        && count(u8::is_ascii_lowercase) >= 2;
    let word = String::from_utf8_lossy(word);
    is_mixed && word.len() >= 8 && is_scrambled(&word) && looks_random(&word)
}
