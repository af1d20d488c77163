//! What is given to `curl` on a command line: a user with a password, and headers that hold a key.

use std::ops::Range;

use crate::scanned_text::{Text, is_blank};
use crate::value::made_up::is_encoded_words;
use crate::value::published::is_published;

/// How far behind `curl` an option is looked for, in bytes: what stands further on is left to the pattern.
const COMMAND: usize = 512;

/// Whether an option may follow that names a user: `-u`, `-sSu`, `--proxy-user`.
pub(crate) fn may_log_in(text: &Text<'_>, curl: Range<usize>) -> bool {
    /// How many letters stand before that of the user at most.
    const LETTERS: usize = 12;
    has_option(text, curl.end, |option| {
        let letters = option.iter().take(LETTERS + 1);
        let mut letters = letters.take_while(|b| b.is_ascii_alphabetic() || **b == b'#');
        letters.any(|b| b.eq_ignore_ascii_case(&b'u'))
    })
}

/// Whether an option may follow that gives a header with a key: `-H 'X-API-Key: …'`.
pub(crate) fn may_send_key(text: &Text<'_>, curl: Range<usize>) -> bool {
    /// How far behind the dash the name of the header ends at most, in bytes.
    const HEADER: usize = 64;
    const KEYS: [&[u8]; 6] = [
        b"authorization",
        b"auth",
        b"key",
        b"token",
        b"secret",
        b"password",
    ];
    has_option(text, curl.end, |option| {
        let option = &option[..option.len().min(HEADER)];
        let name = memchr::memchr(b':', option).map_or(&b""[..], |colon| &option[..colon]);
        let ends = |key: &&[u8]| {
            let end = name.len().checked_sub(key.len()).map(|at| &name[at..]);
            end.is_some_and(|end| end.eq_ignore_ascii_case(key))
        };
        matches!(option, [b'h' | b'H', ..]) && KEYS.iter().any(ends)
    })
}

/// Whether an option may follow from `from` on that `is_meant`, told by what stands behind a dash: on the line, on those that
/// it is continued on, and where the next begins.
fn has_option(text: &Text<'_>, from: usize, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let command = text.window(from, COMMAND);
    for at in memchr::memchr2_iter(b'-', b'\n', command) {
        let next = from + at + 1;
        if command[at] == b'-' {
            if is_meant(&text.bytes[next..]) {
                return true;
            }
        } else if !(command[..at].ends_with(b"\\") || command[..at].ends_with(b"\\\r")) {
            return text.get(next) == Some(b'-') && !text.get(next + 1).is_some_and(is_blank);
        }
    }
    command.len() == COMMAND
}

/// A user and a password, or a key in place of one of them, as `-u` takes them; not names of variables.
pub(crate) fn is_login(value: &str) -> bool {
    let Some((user, password)) = value.split_once(':') else {
        return false;
    };
    let secret = if password.is_empty() { user } else { password };
    is_written_out(secret) && secret.len() >= 3 && !is_stand_in(secret)
}

/// The value of a header that holds a key.
pub(crate) fn is_header_key(value: &str) -> bool {
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let is_made_up = is_published(value) || is_encoded_words(value);
    is_written_out(value) && has_digit && !is_stand_in(value) && !is_made_up
}

/// Whether it is no name of a variable, and nothing to be filled in.
fn is_written_out(value: &str) -> bool {
    !value.contains(['$', '<', '{', '%', '*']) && !value.contains("...")
}

fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "password", "passwd", "secret", "token", "your", "example", "xxx", "pass", "pwd",
    ];
    words.iter().any(|word| lower == *word) || lower.starts_with("your") || lower.contains("xxxx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_by_its_options() {
        type May = fn(&Text<'_>, Range<usize>) -> bool;
        let far = format!("{}-u ann:h0pk1ns", "x".repeat(COMMAND));
        let login = [
            " -u ann:h0pk1ns",
            " -sSU ann:h0pk1ns",
            " https://a.b \\\n  --user ann:h0pk1ns",
            ".exe --proxy-user ann:h0pk1ns",
            " 'a;b' -u ann:h0pk1ns",
            "\n-u ann:h0pk1ns",
            &far,
        ];
        let no_login = [
            "",
            "`, or ask `curl`",
            " -s https://a.b",
            "\n- use -u",
            "\n\n-u a:b",
        ];
        let key = [
            " -H 'X-API-Key: x'",
            " -s --header=\"authorization: x\"",
            " -h  'PRIVATE-TOKEN: x'",
        ];
        let no_key = [" -H 'accept: a/b'", " -s 'x-api-key: x'", " -H x-api-key"];
        let cases: [(May, &[&str], &[&str]); 2] = [
            (may_log_in, &login, &no_login),
            (may_send_key, &key, &no_key),
        ];
        for (may, yes, no) in cases {
            let yes = yes.iter().map(|text| (text, true));
            for (text, wanted) in yes.chain(no.iter().map(|text| (text, false))) {
                let text = Text::new(text.as_bytes());
                assert_eq!(may(&text, 0..0), wanted, "{:?}", text.bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn what_is_written_out_is_told_from_what_is_to_be_filled_in() {
        for login in ["ann:h0pk1ns~21s", ":d2LkV78zLx", "d2LkV78zLx:"] {
            assert!(is_login(login), "{login}");
        }
        for none in [
            "ann",
            "ann:$PASSWORD",
            "user:<password>",
            "user:password",
            ":",
            "${A}:${B}",
        ] {
            assert!(!is_login(none), "{none}");
        }
        assert!(
            is_header_key("Sk94HG7f6KB")
                && !is_header_key("your-key-1")
                && !is_header_key("abcdefgh")
        );
    }
}
