/// Matches the whole of `name`. `*` stands for any number of characters, and `?` for exactly one
/// byte.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    // The last `*` in the pattern, and the end of its match so far. On a mismatch, we come back
    // here, and let the `*` match one more character. There's no need to come back to an earlier
    // one, so this never takes exponential time.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                n += 1;
            }
            Some(letter) if *letter == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    (p, n) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == b'*')
}

pub(crate) fn is_pattern(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_common_patterns() {
        for (pattern, name, want) in [
            ("*", "anything.at.all", true),
            ("*.implement", "shiny.implement", true),
            ("*.implement", "implement", false),
            ("shiny.*", "shiny.a.b", true),
            ("shiny.*", "shiny", false),
            ("a.*.c", "a.b.b.c", true),
            ("implement", "implement", true),
            ("implement", "implements", false),
            ("a?c", "abc", true),
            ("*a*b", "xaybzb", true),
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
    }
}
