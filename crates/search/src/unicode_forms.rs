use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Converts `text` to the composed Unicode form (NFC). Without this, an `ü` in one piece wouldn't
/// match a `u` followed by a combining mark.
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    let is_composed = text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes;
    match is_composed {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

/// Converts `text` to lower case and to the composed form, for comparisons that ignore case.
#[must_use]
pub fn folded(text: &str) -> String {
    composed(text).to_lowercase()
}

/// Returns `text` in the other Unicode form: composed (NFC) if it isn't already, and decomposed
/// (NFD) otherwise. Returns `None` if there's no difference, as in the case of ASCII.
#[must_use]
pub fn other_form(text: &str) -> Option<String> {
    let forms = [composed(text).into_owned(), text.nfd().collect()];
    forms.into_iter().find(|form| form != text)
}

/// True if `c` is a combining mark, which belongs to the letter before it.
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
