const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Encodes `bytes` as hex digits in lower case.
#[must_use]
pub fn encode_hex(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len() * 2];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    // Hex digits are ASCII, so the conversion can't fail.
    String::from_utf8(digits).unwrap_or_default()
}

/// Decodes exactly `2 * N` hex digits in either case, or returns `None` for anything else.
#[must_use]
pub fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let mut out = [0; N];
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (nibble(pair[0])? << 4) | nibble(pair[1])?;
    }
    Some(out)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_refuses_others() {
        assert_eq!(encode_hex(&[0, 0xab, 0xff]), "00abff");
        assert_eq!(decode_hex::<3>("00ABff"), Some([0, 0xab, 0xff]));
        assert_eq!(decode_hex::<3>("00abf"), None);
        assert_eq!(decode_hex::<3>("00abfg"), None);
        assert_eq!(decode_hex::<1>("+1"), None);
    }
}
