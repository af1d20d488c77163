use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Returns `text` in the composed Unicode form (NFC) for comparisons. Otherwise `ü` as one
/// character wouldn't match `u` with a combining mark.
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    let is_composed = text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes;
    match is_composed {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

/// Returns `text` in lower case and in composed form, for comparisons that ignore case.
#[must_use]
pub fn folded(text: &str) -> String {
    composed(text).to_lowercase()
}

/// Returns the other Unicode form of `text`: the decomposed form (NFD) of composed text, and
/// otherwise the composed form. Returns `None` if both are equal.
#[must_use]
pub fn other_form(text: &str) -> Option<String> {
    let forms = [composed(text).into_owned(), text.nfd().collect()];
    forms.into_iter().find(|form| form != text)
}

/// Returns true if `c` is a combining mark, which belongs to the letter before it.
pub(crate) fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_text_are_one() {
        assert_eq!(composed("Mu\u{308}ller"), "Müller");
        assert_eq!(composed("Müller"), "Müller");
        assert_eq!(folded("MU\u{308}LLER"), folded("müller"));
        assert_eq!(other_form("Müller").unwrap(), "Mu\u{308}ller");
        assert_eq!(other_form("Mu\u{308}ller").unwrap(), "Müller");
        assert_eq!(other_form("Muller"), None);
    }
}
