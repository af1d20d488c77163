/// Returns `id` if it is a full id. Short ids are refused, because they can become ambiguous later.
pub(crate) fn full_id(id: &str) -> Option<&str> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    (matches!(id.len(), 40 | 64) && id.bytes().all(hex)).then_some(id)
}
