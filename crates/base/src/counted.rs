use std::fmt::Display;

/// Formats a number with a noun, such as `1 file`, `3 files` or `0 entries`. `one` is the singular.
/// Other words may precede the noun, but its plural must be regular.
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8> + Copy>(count: N, one: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {one}");
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end));
    match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if hisses => format!("{count} {one}es"),
        _ => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_uses_plural_except_for_one() {
        let said = [
            counted(0_usize, "more line"),
            counted(1_u64, "entry"),
            counted(2_u32, "entry"),
            counted(3_usize, "match"),
            counted(4_usize, "key"),
        ];
        let want = [
            "0 more lines",
            "1 entry",
            "2 entries",
            "3 matches",
            "4 keys",
        ];
        assert_eq!(said, want);
    }
}
