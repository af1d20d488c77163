//! Binary encoding of numbers and texts. Decoding checks all lengths, so damaged data can't cause a
//! panic.

use windlass_base::{put_leb128, take_leb128};

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_leb128(bytes, u32::try_from(text.len()).unwrap_or(u32::MAX));
    bytes.extend_from_slice(text.as_bytes());
}

/// A sequential reader. Each method returns `None` at the end of the data.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        take_leb128(&mut self.0)
    }

    pub(crate) fn chunk<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    pub(crate) fn skip_text(&mut self) -> Option<()> {
        let length = self.number()? as usize;
        self.0 = self.0.get(length..)?;
        Some(())
    }
}

/// Returns the four-byte number at index `at` of a table.
pub(crate) fn fixed(table: &[u8], at: usize) -> Option<u32> {
    let start = at.checked_mul(4)?;
    let bytes = table.get(start..start.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn codec_round_trip(number: u32, text in "\\PC{0,20}", cut in 0usize..8) {
            let mut bytes = Vec::new();
            put_leb128(&mut bytes, number);
            put_text(&mut bytes, &text);
            let mut reader = Reader(&bytes);
            proptest::prop_assert_eq!(reader.number(), Some(number));
            proptest::prop_assert_eq!(Reader(reader.0).skip_text(), Some(()));
            proptest::prop_assert_eq!(reader.text(), Some(&*text));
            let mut short = Reader(&bytes[..bytes.len().saturating_sub(cut + 1)]);
            proptest::prop_assert!(short.number().is_none() || short.text().is_none());
        }
    }
}
