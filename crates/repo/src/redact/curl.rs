//! What is given to `curl` on a command line: a user with a password, and headers that hold a key.

use super::made_up::is_encoded_words;
use super::published::is_published;

/// A user and a password, or a key in place of one of them, as `-u` takes them; not names of variables.
pub(super) fn is_login(value: &str) -> bool {
    let Some((user, password)) = value.split_once(':') else {
        return false;
    };
    let secret = if password.is_empty() { user } else { password };
    is_written_out(secret) && secret.len() >= 3 && !is_stand_in(secret)
}

/// The value of a header that holds a key.
pub(super) fn is_header_key(value: &str) -> bool {
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
