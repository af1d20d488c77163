use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

/// Returns the stem of a lowercase English word by Snowball's English stemmer. Words with other
/// characters are returned unchanged. The first letter never changes.
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
        /// Comparisons rely on this to skip words with a different first letter.
        #[test]
        fn stems_begin_as_their_words(word in "[a-z]{1,12}") {
            proptest::prop_assert_eq!(stem(&word).chars().next(), word.chars().next());
        }
    }
}
