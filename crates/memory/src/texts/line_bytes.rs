//! Represents files with invalid UTF-8 as text.
//!
//! Each byte that isn't part of valid UTF-8 becomes a private code point. This way, we can set the
//! affected line aside and use all others, and still write every byte back as it was.

use std::borrow::Cow;

/// The code point that stands for byte 0. Only those from byte 0x80 on are used, since lower bytes
/// are always valid.
const FIRST: u32 = 0x10_FF00;

pub(crate) fn is_mark(c: char) -> bool {
    (FIRST + 0x80..=FIRST + 0xFF).contains(&u32::from(c))
}

/// True if there's a character in `text` that stands for a byte. In UTF-8, all of these start with
/// 0xF4, which is a rare byte that's fast to search for.
pub(crate) fn has_mark(text: &str) -> bool {
    text.as_bytes().contains(&0xF4) && text.contains(is_mark)
}

/// Returns `None` if the bytes already contain one of our code points, which we couldn't tell from
/// a replaced byte afterwards.
pub(crate) fn as_text(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        if has_mark(chunk.valid()) {
            return None;
        }
        text.push_str(chunk.valid());
        let marks = chunk.invalid().iter();
        text.extend(marks.filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
    }
    Some(text)
}

/// The inverse of [`as_text`].
pub(crate) fn of_text(text: &str) -> Cow<'_, [u8]> {
    if !has_mark(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(FIRST)) {
            Ok(byte) if is_mark(c) => bytes.push(byte),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn bytes_round_trip(bytes: Vec<u8>) {
            if let Some(text) = as_text(&bytes) {
                proptest::prop_assert_eq!(&*of_text(&text), &*bytes);
                proptest::prop_assert_eq!(has_mark(&text), std::str::from_utf8(&bytes).is_err());
            }
        }
    }

    #[test]
    fn reserved_characters_refused() {
        assert_eq!(as_text("a\u{10FF80}".as_bytes()), None);
        assert_eq!(
            as_text("ü\u{10FF7F}".as_bytes()).as_deref(),
            Some("ü\u{10FF7F}")
        );
    }
}
