use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

/// Returns the stem of an English word in lower case, by Snowball's English stemmer; other words are unchanged. The first
/// letter stays the same.
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
        /// A comparison of words can skip words with another first letter.
        #[test]
        fn stems_begin_as_their_words(word in "[a-z]{1,12}") {
            proptest::prop_assert_eq!(stem(&word).chars().next(), word.chars().next());
        }
    }
}
