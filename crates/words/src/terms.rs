use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use crate::{each_part, is_stop_word, words_of};

/// How long a word may be that is compared, in bytes: longer ones are data.
pub const MAX_WORD: usize = 64;

/// A word of a text that may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// As it was written.
    pub word: &'a str,
    /// In small letters; a name of several parts without what stands between them.
    pub lower: &'a str,
    /// Whether it is a name of code as a whole, whose parts are terms as well.
    pub is_whole: bool,
}

impl<'a> Term<'a> {
    /// As it is compared.
    #[must_use]
    pub fn stem(&self) -> Cow<'a, str> {
        match self.is_whole {
            true => Cow::Borrowed(self.lower),
            false => stem(self.lower),
        }
    }
}

/// The stem of an English word in small letters (Porter's second algorithm); other words are left as they are. It begins with
/// the letter that the word begins with.
#[must_use]
pub fn stem(word: &str) -> Cow<'_, str> {
    let is_english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_english {
        return Cow::Borrowed(word);
    }
    let stem = Stemmer::create(Algorithm::English).stem(word);
    match is_cut_short(word, &stem) {
        true => Cow::Borrowed(&word[..3]),
        false => stem,
    }
}

/// Whether a doubled letter was taken for part of an ending where it belongs to the word: `adding` and `erred` are of `add` and `err`.
/// As the algorithm has it in its newer editions.
fn is_cut_short(word: &str, stem: &str) -> bool {
    let (word, stem) = (word.as_bytes(), stem.as_bytes());
    stem.len() == 2
        && matches!(stem[0], b'a' | b'e' | b'o')
        && word.starts_with(stem)
        && word.get(2) == Some(&stem[1])
}

/// Gives the terms of `text`, in its order. Stop words and single letters are left out; a name of several parts comes as a whole
/// before its parts; a script without blanks between words gives each two letters that stand together.
pub fn each_term(text: &str, take: impl FnMut(Term<'_>)) {
    each_term_but(text, is_stop_word, take);
}

/// As [`each_term`], without the words, in small letters, that `is_left_out` says instead of stop words.
pub fn each_term_but(
    text: &str,
    is_left_out: impl Fn(&str) -> bool,
    mut take: impl FnMut(Term<'_>),
) {
    let mut lower = String::new();
    for word in words_of(text).filter(|word| word.len() <= MAX_WORD) {
        if !word.is_ascii() && word.chars().any(is_wordless) {
            each_pair(word, &mut lower, &mut take);
            continue;
        }
        let mut parts = 0;
        each_part(word, |_| parts += 1);
        if parts > 1 {
            lower.clear();
            each_part(word, |part| push_lower(part, &mut lower));
            take(Term {
                word,
                lower: &lower,
                is_whole: true,
            });
        }
        each_part(word, |part| {
            lower.clear();
            push_lower(part, &mut lower);
            if !is_letter(&lower) && !is_left_out(&lower) {
                take(Term {
                    word: part,
                    lower: &lower,
                    is_whole: false,
                });
            }
        });
    }
}

fn push_lower(word: &str, to: &mut String) {
    match word.is_ascii() {
        true => to.extend(word.chars().map(|c| c.to_ascii_lowercase())),
        false => to.push_str(&word.to_lowercase()),
    }
}

/// One letter by itself says nothing; a digit may.
fn is_letter(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|first| !first.is_numeric()) && chars.next().is_none()
}

/// Whether `c` belongs to a script that puts no blanks between words.
fn is_wordless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0eff}' | '\u{20000}'..='\u{2ffff}')
}

/// Each two letters that stand together; one that stands alone.
fn each_pair(word: &str, lower: &mut String, take: &mut impl FnMut(Term<'_>)) {
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
            is_whole: false,
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
            each_term(&text, |term| {
                assert!(!term.stem().is_empty() && text.contains(term.word), "{term:?}");
            });
        }

        /// What compares words need not ask for the stem of one that begins otherwise.
        #[test]
        fn stems_begin_as_their_words(word in "[a-z]{1,12}") {
            proptest::prop_assert_eq!(stem(&word).chars().next(), word.chars().next());
        }
    }
}
