/// Returns the reason why a missing or unreadable file has no text.
pub(super) fn gone(path: &str) -> String {
    format!("`{path}` is not there, or may not be read")
}
