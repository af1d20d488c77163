use std::fmt;
use std::str::FromStr;

use windlass_base::{Digest, decode_hex, encode_hex};

/// Byte offsets of the hyphens in a UUID.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// Id of a pack or payload, which is a UUID in lower case.
///
/// Windlass derives the ids of its own packs from the digest of the contents, as UUIDs of version
/// 8. Other tools may use any version.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackId([u8; 16]);

/// Error for a string that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID: expected 32 hexadecimal digits as 8-4-4-4-12")]
pub struct PackIdError(String);

impl PackId {
    /// Derives a UUID of version 8 from the first 16 bytes of `digest`. A few bits are overwritten
    /// with the version and the variant.
    #[must_use]
    pub fn of_digest(digest: &Digest) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.as_bytes()[..16]);
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }

    /// The 32 hexadecimal digits without hyphens, as used in file names.
    #[must_use]
    pub fn hex(self) -> String {
        encode_hex(&self.0)
    }
}

impl fmt::Display for PackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hex();
        let parts = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        f.write_str(&parts.join("-"))
    }
}

impl fmt::Debug for PackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PackId {
    type Err = PackIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || PackIdError(text.chars().take(80).collect());
        let bytes = text.as_bytes();
        if bytes.len() != 36 || HYPHENS.iter().any(|at| bytes[*at] != b'-') {
            return Err(wrong());
        }
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        decode_hex(&digits).map(Self).ok_or_else(wrong)
    }
}

windlass_base::written_as_text!(PackId);

windlass_base::text_schema!(PackId, "PackId", {
    "type": "string",
    "format": "uuid",
    "pattern": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_of_digest_is_uuid_v8() {
        let digest = Digest::of_bytes(b"x");
        let id = PackId::of_digest(&digest);
        let text = id.to_string();
        assert_eq!(text[..8], digest.hex()[..8]);
        assert_eq!(&text[14..15], "8");
        assert!("89ab".contains(&text[19..20]));
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().parse(), Ok(id));
        assert_eq!(id.hex(), text.replace('-', ""));
    }

    #[test]
    fn invalid_uuid_is_refused() {
        for text in [
            "",
            "x",
            "0123456789abcdef0123456789abcdef",
            "01234567-89ab-cdef-0123-456789abcdeg",
            "0123456-789ab-cdef-0123-456789abcdef",
            "ü1234567-89ab-cdef-0123-456789abcde",
            "----------------------------------01",
        ] {
            assert!(text.parse::<PackId>().is_err(), "{text}");
        }
    }
}
