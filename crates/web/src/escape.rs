//! Escaping of texts in addresses.

use windlass_render::uri_path;

/// Escapes a text for use as one segment of a path. Unlike in a whole path, a slash is escaped too.
pub(crate) fn segment(text: &str) -> String {
    uri_path(text).replace('/', "%2F")
}

/// Escapes a text for use as a value after `?`.
pub(crate) fn value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
