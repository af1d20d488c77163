/// Returns `id` if it is a full ID. We do not accept short IDs, since any later commit can make
/// them ambiguous.
pub(crate) fn full_id(id: &str) -> Option<&str> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    (matches!(id.len(), 40 | 64) && id.bytes().all(hex)).then_some(id)
}
