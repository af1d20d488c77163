use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

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

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// What compares words need not ask for the stem of one that begins otherwise.
        #[test]
        fn stems_begin_as_their_words(word in "[a-z]{1,12}") {
            proptest::prop_assert_eq!(stem(&word).chars().next(), word.chars().next());
        }
    }
}
