/// Why a file that cannot be read makes nothing.
pub(super) fn gone(path: &str) -> String {
    format!("`{path}` is not there, or may not be read")
}
