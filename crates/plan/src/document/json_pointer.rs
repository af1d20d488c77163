//! Reads and writes JSON pointers, strictly according to RFC 6901.

/// Splits a pointer into its unescaped tokens, e.g. `/a~1b/0` into `a/b` and `0`.
///
/// Returns `None` if the pointer is malformed.
pub(crate) fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .map(unescape)
        .collect()
}

fn unescape(token: &str) -> Option<String> {
    let mut plain = String::with_capacity(token.len());
    let mut rest = token.chars();
    while let Some(c) = rest.next() {
        match c {
            '~' => match rest.next()? {
                '0' => plain.push('~'),
                '1' => plain.push('/'),
                _ => return None,
            },
            c => plain.push(c),
        }
    }
    Some(plain)
}

pub(crate) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Parses a list index, which may not have leading zeros.
pub(crate) fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    let digits = token.bytes().all(|b| b.is_ascii_digit());
    (canonical && digits).then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_malformed_refused() {
        assert_eq!(tokens("").unwrap(), Vec::<String>::new());
        assert_eq!(tokens("/a~1b/~0/").unwrap(), ["a/b", "~", ""]);
        assert_eq!(tokens("a"), None);
        assert_eq!(tokens("/~2"), None);
        assert_eq!(tokens("/~"), None);
        assert_eq!(index("0"), Some(0));
        assert_eq!(index("10"), Some(10));
        for bad in ["", "01", "+1", "-", "99999999999999999999999"] {
            assert_eq!(index(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn pointer_escape_round_trips(token in "\\PC{0,10}|[~/01]{0,8}") {
            let mut pointer = String::new();
            push(&mut pointer, &token);
            proptest::prop_assert_eq!(tokens(&pointer), Some(vec![token]));
        }
    }
}
