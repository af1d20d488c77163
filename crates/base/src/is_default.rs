/// True if a field has the value that it has where nothing is said, so that it need not be written.
#[must_use]
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
