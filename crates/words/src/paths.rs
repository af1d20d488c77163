use crate::terms::{MAX_WORD, Term, TermKind};

/// What leads from a name of code to what lies in it.
const LEADS: &str = "::";

/// Gives each two names of code in `text` that are joined by `::`, as one name in small letters: `test::new` for `Test::new()`. Beside the
/// terms of the text ([`crate::each_term`]), in which both stand by themselves.
pub fn each_path(text: &str, mut take: impl FnMut(Term<'_>)) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in text.match_indices(LEADS) {
        let (before, after) = (&text[..at], &text[at + LEADS.len()..]);
        let owner = &before[before.trim_end_matches(is_name).len()..];
        let rest = after.trim_start_matches(is_name);
        let own = &after[..after.len() - rest.len()];
        // A number is no name: `fe80::1`.
        let begins = |name: &str| name.starts_with(|c: char| is_name(c) && !c.is_numeric());
        if !begins(owner) || !begins(own) || owner.len() + own.len() > MAX_WORD {
            continue;
        }
        let word = &text[at - owner.len()..at + LEADS.len() + own.len()];
        take(Term {
            word,
            lower: &word.to_lowercase(),
            kind: TermKind::Name,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_that_are_joined_are_one() {
        let paths = |text: &str| {
            let mut paths = Vec::new();
            each_path(text, |term| {
                assert!(text.contains(term.word) && term.kind == TermKind::Name);
                paths.push(term.stem().into_owned());
            });
            paths
        };
        assert_eq!(paths("`Test::new()` builds"), ["test::new"]);
        assert_eq!(
            paths("crate::Compiler::test_compile"),
            ["crate::compiler", "compiler::test_compile"]
        );
        assert_eq!(paths("Größe::neu, Vec::<u8>::new"), ["größe::neu"]);
        for none in ["", "::", "a:: b", "fe80::1", "::new", "a:b", "x ::y"] {
            assert_eq!(paths(none), [""; 0], "{none}");
        }
        assert_eq!(paths(&format!("{}::y", "x".repeat(64))), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_paths_that_are_parts_of_it(text in "[a-zÄ0-9_:. 設]{0,24}") {
            each_path(&text, |term| {
                let is_part = text.contains(term.word) && term.word.contains(LEADS);
                assert!(is_part, "{term:?}");
            });
        }
    }
}
