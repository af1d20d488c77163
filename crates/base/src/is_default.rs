/// Returns true if a field has its default value, so that serde can omit it.
#[must_use]
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
