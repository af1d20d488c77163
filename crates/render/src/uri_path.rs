use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Unreserved characters and `/` stay in the path of a URI (RFC 3986). Everything else is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Encodes all characters of `path` that a URI cannot have, but keeps each `/`.
#[must_use]
pub fn uri_path(path: &str) -> String {
    utf8_percent_encode(path, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_percent_encoded() {
        assert_eq!(uri_path("src/a b#1:é.rs"), "src/a%20b%231%3A%C3%A9.rs");
    }
}
