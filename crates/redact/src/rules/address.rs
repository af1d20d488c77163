//! Passwords in addresses: what stands between the name of a user and `@`, but for what only looks like that.

use crate::value::is_url_password;
use crate::value::random::looks_random;

/// What stands before `@` where it cannot be anything else.
pub(crate) fn is_password(value: &str) -> bool {
    is_url_password(value) && !is_cvs_user(value)
}

/// The same with a `/`, which has to be escaped there and often is not: a port and a path have one as well.
pub(crate) fn is_password_with_slash(value: &str) -> bool {
    let Some((first, _)) = value.split_once('/') else {
        return false;
    };
    let is_port = first.bytes().all(|b| b.is_ascii_digit());
    !is_port && is_random_password(value)
}

/// The same where no scheme says that it is an address: a comment begins with `//`, too.
pub(crate) fn is_random_password(value: &str) -> bool {
    looks_random(value) && is_password(value)
}

/// `pserver:anoncvs`: how CVS comes by files, and as whom.
fn is_cvs_user(value: &str) -> bool {
    const METHODS: [&str; 6] = ["pserver", "ext", "extssh", "gserver", "kserver", "server"];
    value
        .split_once(':')
        .is_some_and(|(method, user)| METHODS.contains(&method) && !user.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_told_from_a_port_with_a_path() {
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
    }

    #[test]
    fn who_comes_by_files_of_cvs_is_no_password() {
        assert!(!is_password("pserver:anoncvs"));
        for value in ["pserver:anoncvs:x9Kq2Lm7", "pserver", "x9Kq2:Lm7Xc"] {
            assert!(is_password(value), "{value}");
        }
    }
}
