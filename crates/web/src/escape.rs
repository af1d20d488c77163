//! Texts within addresses.

use windlass_render::uri_path;

/// Escapes a text for one part of the path of an address.
pub(crate) fn segment(text: &str) -> String {
    uri_path(text).replace('/', "%2F")
}

/// Escapes a text for a value of an address, after its `?`.
pub(crate) fn value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
