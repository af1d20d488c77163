//! Passwords that SQL gives to users.

use std::ops::Range;

use crate::scanned_text::Text;
use crate::value::is_argument;
use crate::value::letters::has_digit;

/// How far back a statement is read, in bytes.
const STATEMENT: usize = 208;

/// How many parts the name of a user has at most, where quotes part it: `bob`@`%`.
const MOST_PARTS: usize = 3;

/// The statement that `IDENTIFIED` goes on gives a user a password, as its words say: `ALTER USER scott`, `GRANT … TO bob`.
pub(crate) fn alters_user(text: &Text<'_>, identified: Range<usize>) -> bool {
    let start = text.run_back(identified.start, STATEMENT, |b| b != b';');
    // In code it is a text, and a name may be quoted.
    let parts = text
        .slice(start..identified.start)
        .rsplit(|b| b.is_ascii_whitespace() || b"\"'`(".contains(b));
    let mut words = parts.filter(|word| !word.is_empty());
    let is_one_of = |word: &[u8], known: &[&[u8]]| {
        let mut known = known.iter();
        known.any(|known| word.eq_ignore_ascii_case(known))
    };
    // A name stands behind it, perhaps in quotes and with that of a host.
    let before_name = words
        .by_ref()
        .take(MOST_PARTS + 1)
        .position(|word| is_one_of(word, &[b"user", b"role", b"to", b"exists"]));
    before_name.is_some_and(|at| at > 0)
        && words.any(|word| is_one_of(word, &[b"create", b"alter", b"grant"]))
}

/// A password without quotes: what is put in its place where the syntax is told has no digit.
pub(crate) fn is_unquoted(value: &str) -> bool {
    has_digit(value) && is_argument(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_gives_a_password_is_told_from_prose() {
        for (before, wanted) in [
            ("ALTER USER scott ", true),
            ("create user if not exists bob ", true),
            ("GRANT ALL ON *.* TO 'bob'@'%' ", true),
            ("exec(\"CREATE USER `bob`@`%` ", true),
            (
                "create a user or more; create a user and the rows are ",
                false,
            ),
            ("a user is ", false),
            ("create a user ", false),
            ("alter user x; rows ", false),
            ("", false),
        ] {
            let text = format!("{before}IDENTIFIED BY x");
            let text = Text::new(text.as_bytes());
            let at = before.len();
            assert_eq!(alters_user(&text, at..at + 11), wanted, "{before}");
        }
    }
}
