//! Detects bytes that aren't UTF-8 text: either binary data, or text in an encoding with NUL bytes.

/// True if the bytes contain a NUL anywhere.
///
/// `rg` stops at the first one, and reports the matches before it. We would rather not give partial
/// answers, so we skip such a file altogether and count it.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// True if a file with NUL bytes begins as text, and might be text after all. As in git, the first
/// 8,000 bytes decide.
pub(crate) fn begins_as_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8_000;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    !is_binary(head)
        && match std::str::from_utf8(head) {
            Ok(_) => true,
            // The limit may have cut the last character.
            Err(e) => e.error_len().is_none(),
        }
}

/// Decodes bytes with the byte order mark of `encoding`. The mark isn't part of the result, and
/// invalid input becomes `U+FFFD`.
pub(crate) fn decode(bytes: &[u8], encoding: Wide) -> String {
    let little = bytes.first() == Some(&0xff);
    match encoding {
        Wide::Utf16 => {
            let units = bytes.as_chunks().0.iter();
            let units = units.map(|unit| {
                if little {
                    u16::from_le_bytes(*unit)
                } else {
                    u16::from_be_bytes(*unit)
                }
            });
            char::decode_utf16(units.skip(1))
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
        Wide::Utf32 => {
            let units = bytes.as_chunks().0.iter();
            let units = units.map(|unit| {
                if little {
                    u32::from_le_bytes(*unit)
                } else {
                    u32::from_be_bytes(*unit)
                }
            });
            units
                .skip(1)
                .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
    }
}

/// Encodings in which ordinary text contains NUL bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wide {
    Utf16,
    Utf32,
}

/// Determines the encoding from the byte order mark. Without a mark, we can't tell such text from
/// binary data.
pub(crate) fn wide_encoding(bytes: &[u8]) -> Option<Wide> {
    match bytes {
        // The mark of UTF-32 begins with that of UTF-16, so check it first.
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(Wide::Utf32),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Wide::Utf16),
        _ => None,
    }
}
