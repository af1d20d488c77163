/// Returns the reason for a part whose file is missing or can't be read.
pub(super) fn gone(path: &str) -> String {
    format!("`{path}` is not there, or may not be read")
}
