use crate::terms::{MAX_WORD, Term, TermKind};
use crate::unicode_forms::{composed, is_mark};

const LEADS: &str = "::";

/// Calls `take` with each path such as `Test::new` in `text`, in lower case.
///
/// [`crate::each_term`] only returns the two names as separate terms. Both are often common words,
/// so the path as a whole says a lot more.
pub fn each_path(text: &str, mut take: impl FnMut(Term<'_>)) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || is_mark(c);
    let text = &*composed(text);
    for (at, _) in text.match_indices(LEADS) {
        let (before, after) = (&text[..at], &text[at + LEADS.len()..]);
        let owner = &before[before.trim_end_matches(is_name).len()..];
        let rest = after.trim_start_matches(is_name);
        let own = &after[..after.len() - rest.len()];
        // A name can't start with a digit. Otherwise, an IPv6 address such as `fe80::1` would be a
        // path.
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

/// Maximum length of a file extension, in bytes. Anything longer, as in `settings.timeout`, is most
/// likely a field.
const ENDING: usize = 5;

/// Calls `take` with each file name in `text`, in lower case and with the extension. For
/// `src/read.c`, that is `read.c`, while [`crate::each_term`] only returns the common word `read`.
pub fn each_file_name(text: &str, mut take: impl FnMut(Term<'_>)) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || is_mark(c);
    let text = &*composed(text);
    let mut end = 0;
    for (at, _) in text.match_indices('.') {
        if at < end {
            continue;
        }
        let (before, after) = (&text[..at], &text[at..]);
        let start = before.trim_end_matches(is_part).len();
        end = text.len() - after.trim_start_matches(is_part).len();
        let word = text[start..end].trim_matches(['.', '-']);
        // `list.sort()` looks like a file name too, but it's a call.
        if is_file_name(word) && !text[end..].starts_with('(') {
            take(Term {
                word,
                lower: &word.to_lowercase(),
                kind: TermKind::Name,
            });
        }
    }
}

/// True if `word` looks like a file name.
///
/// Abbreviations such as `e.g` and versions such as `3.2.1` do not. This is a heuristic: we cannot
/// tell `user.name` from a file with an unusual extension.
#[must_use]
pub fn is_file_name(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else {
        return false;
    };
    let is_ending = (1..=ENDING).contains(&ending.len())
        && ending
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && ending.starts_with(|c: char| c.is_ascii_lowercase());
    let begins = stem.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let last = stem.rsplit('.').next().unwrap_or_default();
    is_ending && begins && last.len() > 1 && word.len() <= MAX_WORD
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;
    use crate::terms::each_term;

    #[test]
    fn names_of_files_are_known_by_their_endings() {
        let names = |text: &str| {
            let mut names = Vec::new();
            each_file_name(text, |term| {
                assert!(text.contains(term.word) && term.kind == TermKind::Name);
                names.push(term.stem().into_owned());
            });
            names
        };
        assert_eq!(names("the code is in src/read.c."), ["read.c"]);
        assert_eq!(
            names("`App.test.ts:3`, settings-store.rs and Größe.md"),
            ["app.test.ts", "settings-store.rs", "größe.md"]
        );
        for none in [
            "",
            ".",
            "e.g. so",
            "i.e",
            "v3.2.1",
            "list.sort()",
            "It ends.Then",
            "a.c",
            ".env",
            "x..",
            "U.S.A",
            "notes.markdown",
        ] {
            assert_eq!(names(none), [""; 0], "{none}");
        }
        assert_eq!(names(&format!("{}.rs", "x".repeat(64))), [""; 0]);
    }

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
        /// A text's terms must not depend on its Unicode form. The letters include Korean,
        /// Vietnamese and marks in any order.
        #[test]
        fn terms_are_the_same_in_every_form(text in "[a-zA-ZäÜéñŵ각ế一\u{327}\u{301}\u{308} _.:]{0,24}") {
            let terms = |text: &str| {
                let mut all = Vec::new();
                each_term(text, |term| all.push(term.stem().into_owned()));
                each_path(text, |term| all.push(term.stem().into_owned()));
                each_file_name(text, |term| all.push(term.stem().into_owned()));
                all
            };
            let (one, other): (String, String) = (text.nfc().collect(), text.nfd().collect());
            proptest::prop_assert_eq!(terms(&one), terms(&other));
        }

        #[test]
        fn any_text_has_paths_that_are_parts_of_it(text in "[a-zÄ0-9_:. 設]{0,24}") {
            each_path(&text, |term| {
                let is_part = text.contains(term.word) && term.word.contains(LEADS);
                assert!(is_part, "{term:?}");
            });
        }
    }
}
