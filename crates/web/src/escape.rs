//! Texts within addresses.

use std::fmt::Write as _;

/// Escapes a path for an address.
pub(crate) fn escaped_path(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            other => {
                let _ = write!(escaped, "%{other:02X}");
            }
        }
    }
    escaped
}

/// Escapes a text for one part of the path of an address.
pub(crate) fn segment(text: &str) -> String {
    escaped_path(text).replace('/', "%2F")
}

/// Escapes a text for a value of an address, after its `?`.
pub(crate) fn value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
