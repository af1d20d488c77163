const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hexadecimal of `bytes`.
#[must_use]
pub fn encode_hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

/// Exactly `N` bytes from `2 * N` hexadecimal digits of either case; `None` for anything else.
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
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_refuses_everything_else() {
        assert_eq!(encode_hex(&[0, 0xab, 0xff]), "00abff");
        assert_eq!(decode_hex::<3>("00ABff"), Some([0, 0xab, 0xff]));
        assert_eq!(decode_hex::<3>("00abf"), None);
        assert_eq!(decode_hex::<3>("00abfg"), None);
        assert_eq!(decode_hex::<1>("+1"), None);
    }
}
