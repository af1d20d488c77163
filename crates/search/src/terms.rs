use std::borrow::Cow;

use crate::number_words::{beginnings, number_at};
use crate::stem::stem;
use crate::stop_words::is_stop_word;
use crate::unicode_forms::composed;
use crate::word_parts::{each_part, first_word, is_plain};

/// Maximum length of a term, in bytes. A longer word is data rather than language (usually a hash),
/// so we skip it.
pub const MAX_WORD: usize = 64;

/// A word of a text that can be searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// The word as it is spelled in the text, but in composed Unicode form (NFC).
    pub word: &'a str,
    /// The word in lower case. For a code name, this consists of the parts without separators.
    pub lower: &'a str,
    /// The kind of term.
    pub kind: TermKind,
}

/// Kinds of terms. They overlap, since we return a name along with the words in it, and a number
/// along with its beginnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// A single word in prose, a part of a name, or a whole number such as `3.2.1`.
    Word,
    /// A code name with several parts, which follow as words.
    Name,
    /// The first parts of a number, e.g. 3.2 for `3.2.1`. The number itself comes before them.
    Beginning,
}

impl<'a> Term<'a> {
    /// Returns the form in which terms are compared. Only single words are stemmed.
    #[must_use]
    pub fn stem(&self) -> Cow<'a, str> {
        match self.kind {
            TermKind::Word => stem(self.lower),
            TermKind::Name | TermKind::Beginning => Cow::Borrowed(self.lower),
        }
    }
}

/// Calls `take` with each term of `text`, in order.
///
/// A code name with several parts comes before these parts, and a version, date or time comes
/// before its beginnings. Some scripts do not put spaces between words; there, each pair of
/// adjacent letters is a term. Stop words and single letters are skipped.
pub fn each_term(text: &str, take: impl FnMut(Term<'_>)) {
    each_term_but(text, is_stop_word, take);
}

/// Like [`each_term`], but with another notion of words to skip. `is_left_out` is called with each
/// word in lower case.
pub fn each_term_but(
    text: &str,
    is_left_out: impl Fn(&str) -> bool,
    mut take: impl FnMut(Term<'_>),
) {
    taken_apart(text, &is_left_out, &mut take);
}

type Take<'a> = &'a mut dyn FnMut(Term<'_>);

/// The actual implementation. It is not generic, so that it is only compiled once instead of once
/// per caller.
fn taken_apart(text: &str, is_left_out: &dyn Fn(&str) -> bool, take: Take<'_>) {
    let mut lower = String::new();
    let text = composed(text);
    let mut rest = &*text;
    while let Some(found) = first_word(rest) {
        let (start, word) = (found.start, &rest[found.clone()]);
        if let Some(number) = number_at(&rest[start..]) {
            each_of_number(number, take);
            rest = &rest[start + number.len()..];
            continue;
        }
        rest = &rest[found.end..];
        if word.len() > MAX_WORD {
            continue;
        }
        match is_plain(word) {
            true => each_of_part(word, word, is_left_out, take),
            false => each_of_word(word, is_left_out, &mut lower, take),
        }
    }
}

fn each_of_number(number: &str, take: Take<'_>) {
    if number.len() > MAX_WORD {
        return;
    }
    let digits = number.trim_start_matches(['v', 'V']);
    let whole = Term {
        word: number,
        lower: digits,
        kind: TermKind::Word,
    };
    take(whole);
    for beginning in beginnings(digits) {
        take(Term {
            word: beginning,
            lower: beginning,
            kind: TermKind::Beginning,
        });
    }
}

fn each_of_word(
    word: &str,
    is_left_out: &dyn Fn(&str) -> bool,
    lower: &mut String,
    take: Take<'_>,
) {
    if !word.is_ascii() && word.chars().any(is_wordless) {
        each_pair(word, lower, take);
        return;
    }
    let mut parts = 0;
    each_part(word, |_| parts += 1);
    if parts > 1 {
        lower.clear();
        each_part(word, |part| push_lower(part, lower));
        take(Term {
            word,
            lower,
            kind: TermKind::Name,
        });
    }
    each_part(word, |part| {
        lower.clear();
        push_lower(part, lower);
        each_of_part(part, lower, is_left_out, take);
    });
}

/// Emits a word without splitting it, unless it is a single letter or should be left out.
fn each_of_part(word: &str, lower: &str, is_left_out: &dyn Fn(&str) -> bool, take: Take<'_>) {
    if !is_letter(lower) && !is_left_out(lower) {
        take(Term {
            word,
            lower,
            kind: TermKind::Word,
        });
    }
}

fn push_lower(word: &str, to: &mut String) {
    match word.is_ascii() {
        true => {
            let start = to.len();
            to.push_str(word);
            to[start..].make_ascii_lowercase();
        }
        false => to.push_str(&word.to_lowercase()),
    }
}

/// True for a single letter, which does not tell anything on its own. A single digit may.
fn is_letter(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|first| !first.is_numeric()) && chars.next().is_none()
}

/// True if the script of `c` does not put spaces between words.
fn is_wordless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0eff}' | '\u{20000}'..='\u{2ffff}')
}

/// Emits each pair of adjacent letters. If the word is only one letter long, we emit that one.
fn each_pair(word: &str, lower: &mut String, take: Take<'_>) {
    let ends = word.char_indices().map(|(at, _)| at).chain([word.len()]);
    let ends: Vec<usize> = ends.collect();
    let width = 2.min(ends.len() - 1);
    for window in ends.windows(width + 1) {
        let pair = &word[window[0]..window[width]];
        lower.clear();
        push_lower(pair, lower);
        take(Term {
            word: pair,
            lower,
            kind: TermKind::Word,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        let mut stems = Vec::new();
        each_term(text, |term| stems.push(term.stem().into_owned()));
        stems
    }

    #[test]
    fn code_and_prose_give_the_same_terms() {
        let parse = ["parsehttprequest", "pars", "http", "request"];
        assert_eq!(stems("parseHTTPRequest"), parse);
        assert_eq!(stems("parse_http_request"), parse);
        assert_eq!(
            stems("`src/net/http_client.rs`"),
            ["src", "net", "httpclient", "http", "client", "rs"]
        );
        assert_eq!(
            stems("Parsing of the HTTP requests!"),
            ["pars", "http", "request"]
        );
        assert_eq!(stems("don't do it"), [""; 0]);
        assert_eq!(stems("adding, added, adds"), ["add", "add", "add"]);
        assert_eq!(stems("erring errs ads"), ["err", "err", "ad"]);
        assert_eq!(stems("syncing, synced, sync"), ["sync", "sync", "sync"]);
        assert_eq!(stems("fetchURLs"), ["fetchurls", "fetch", "url"]);
        assert_eq!(stems("SHA256 v2 utf8 7"), ["sha256", "v2", "utf8", "7"]);
        assert_eq!(stems("設定同期 é"), ["設定", "定同", "同期"]);
        assert_eq!(stems("die Größe"), ["die", "größe"]);
        let release = [
            "releas",
            "3.2.1",
            "3",
            "3.2",
            "2025-03-12",
            "2025",
            "2025-03",
        ];
        assert_eq!(stems("release v3.2.1 on 2025-03-12"), release);
        assert_eq!(stems("how many at 20:00"), ["20:00"]);
        assert_eq!(stems(&"x".repeat(65)), [""; 0]);
    }

    #[test]
    fn words_of_one_origin_are_one() {
        for alike in [
            "retry retries retried retrying",
            "stop stopped stopping stops",
            "expire expired expires expiring",
            "migrate migrating migrations",
        ] {
            let stems = stems(alike);
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
        assert_ne!(stems("class"), stems("clap"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_terms_that_are_parts_of_it(text in "\\PC{0,60}") {
            let written = composed(&text);
            each_term(&text, |term| {
                assert!(!term.stem().is_empty() && written.contains(term.word), "{term:?}");
            });
        }
    }
}
