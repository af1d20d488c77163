//! Judges decide from its value if a rule's match is a secret.

use crate::name_kind::Kind;
use crate::value::random::{is_filled_in, is_url_token, looks_random, may_be_signed};
use crate::value::{self, Form, is_secret, letters};

/// A test of a value. `None` accepts every value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judge(Option<fn(&str) -> bool>);

impl Judge {
    /// Looks up the judge called `name` in `data/*.toml`. An empty name accepts everything.
    pub(crate) fn named(name: &str) -> Self {
        let test: fn(&str) -> bool = match name {
            "address" => is_password_in_address,
            "address-with-slash" => is_password_with_slash,
            "random-address" => is_random_in_address,
            "argument" => value::is_argument,
            "argument-with-number" => value::is_argument_with_sign,
            "basic" => value::is_basic,
            "basic-header" => value::is_basic_header,
            "credential" => value::is_credential,
            "curl-login" => is_curl_login,
            "digit" => letters::has_digit,
            "filled-in" => is_filled_in,
            "hash" => is_hash,
            "login" => |it| is_secret(Kind::Password, Form::Argument, it),
            "numbered-argument" => is_numbered_argument,
            "plain-password" => |it| is_secret(Kind::Password, Form::Plain, it),
            "random" => looks_random,
            "signed" => may_be_signed,
            "sentence-password" => {
                |it| is_secret(Kind::Password, Form::Sentence { last: false }, it)
            }
            "url-password" => value::is_url_password,
            "url-token" => is_url_token,
            _ => return Self(None),
        };
        Self(Some(test))
    }

    pub(crate) fn accepts(self, value: &str) -> bool {
        self.0.is_none_or(|test| test(value))
    }
}

/// Returns true for a password before the `@` of an address. `pserver:anoncvs` looks the same, but
/// consists of a CVS method and a user.
fn is_password_in_address(value: &str) -> bool {
    const METHODS: [&str; 6] = ["pserver", "ext", "extssh", "gserver", "kserver", "server"];
    let is_cvs_user = value
        .split_once(':')
        .is_some_and(|(method, user)| METHODS.contains(&method) && !user.contains(':'));
    value::is_url_password(value) && !is_cvs_user
}

/// Like [`is_password_in_address`], but for a value with a `/`.
///
/// The `/` should be escaped there but often isn't, so it could just as well be between a port and
/// a path.
fn is_password_with_slash(value: &str) -> bool {
    let first = value.split_once('/').map_or("", |(first, _)| first);
    !first.bytes().all(|b| b.is_ascii_digit()) && is_random_in_address(value)
}

fn is_random_in_address(value: &str) -> bool {
    looks_random(value) && is_password_in_address(value)
}

/// Returns true for the last part of a password hash. A sequence of variables can look the same.
fn is_hash(value: &str) -> bool {
    !letters::is_wordy(value) && letters::has_digit(value) && letters::has_letter(value)
}

/// Returns true for an unquoted password in SQL. A placeholder doesn't contain a digit.
fn is_numbered_argument(value: &str) -> bool {
    letters::has_digit(value) && value::is_argument(value)
}

/// Returns true for `user:password` after `curl -u`, or a key in place of the user.
fn is_curl_login(value: &str) -> bool {
    let Some((user, password)) = value.split_once(':') else {
        return false;
    };
    let secret = if password.is_empty() { user } else { password };
    value::is_argument(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_password_is_told_from_port_and_user() {
        for value in ["pa/Xk7pQ2vB9mZz81Lm", "x9Kq/Lm7Xc4Vb1+Nz8Rt5="] {
            assert!(is_password_with_slash(value), "{value}");
        }
        for value in [
            "8080/Xk7pQ2vB9mZz81Lm",
            "/Xk7pQ2vB9mZz81Lm",
            "port/path/to/things",
            "Xk7pQ2vB9mZz81Lm",
        ] {
            assert!(!is_password_with_slash(value), "{value}");
        }
        assert!(!is_password_in_address("pserver:anoncvs"));
        for value in ["pserver:anoncvs:x9Kq2Lm7", "pserver", "x9Kq2:Lm7Xc"] {
            assert!(is_password_in_address(value), "{value}");
        }
    }

    #[test]
    fn login_written_out_is_told_from_variable() {
        for login in ["ann:h0pk1ns~21s", ":d2LkV78zLx", "d2LkV78zLx:"] {
            assert!(is_curl_login(login), "{login}");
        }
        for none in [
            "ann",
            "ann:$PASSWORD",
            "user:<password>",
            "user:password",
            ":",
            "${A}:${B}",
        ] {
            assert!(!is_curl_login(none), "{none}");
        }
    }
}
