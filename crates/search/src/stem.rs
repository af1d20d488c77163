use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

/// Returns the stem of a lowercase English word, using Snowball's stemmer.
///
/// The first letter never changes, which callers rely on. Words with characters other than `a` to
/// `z` are returned unchanged.
#[must_use]
pub fn stem(word: &str) -> Cow<'_, str> {
    let is_english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_english {
        true => Stemmer::new(Algorithm::English).stem(word),
        false => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Comparisons rely on this in order to skip words with another first letter.
        #[test]
        fn stems_begin_as_their_words(word in "[a-z]{1,12}") {
            proptest::prop_assert_eq!(stem(&word).chars().next(), word.chars().next());
        }
    }
}
