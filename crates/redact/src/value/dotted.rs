//! Names with dots between them: a path, as in code, files and hosts, or a secret with dots inside.

use crate::name_kind::Kind;
use crate::value::about::has_word;
use crate::value::language::holds_method;
use crate::value::letters::has_digit;
use crate::value::random::looks_random;
use crate::value::shape::shapes;
use crate::words::words;
use windlass_base::is_on;

/// Returns true if `value` consists of dotted words and is not a path, but the secret promised by a
/// name of this `kind`. Examples are `Sommer.2024`, and `s.` before a generated token.
pub(crate) fn is_secret(kind: Kind, value: &str) -> bool {
    is_on("redact.dotted")
        && value.contains('.')
        && shapes().identifier_chain.is_of(value)
        // A generated part gives away any kind of secret. Without one, only passwords chosen by
        // people look like this.
        && (holds_random(value) || (kind == Kind::Password && has_digit(value) && !is_path(value)))
}

/// Returns true if a part is random and longer than a word.
fn holds_random(value: &str) -> bool {
    const LONG: usize = 16;
    let is_random = |part: &str| part.len() >= LONG && looks_random(part) && !has_word(part);
    value.split('.').any(is_random)
}

/// Returns true for names with a number that are not secret, such as `args.password_2`,
/// `server1.example.com` and `types.Int32`.
fn is_path(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut parts = lower.split('.');
    let first = parts.next().unwrap_or_default();
    let last = parts.next_back().unwrap_or_default();
    words().path_roots.has(first)
        || words().path_ends.has(last)
        || holds_method(last)
        || has_word(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_secrets_with_dots() {
        for value in [
            "Sommer.2024",
            "max.muster1",
            "x.Y7kq2",
            "Pa.ss.w0rd",
            "k8s.Admin1",
            "R2.D2x77",
        ] {
            assert!(is_secret(Kind::Password, value), "{value}");
            assert!(!is_secret(Kind::Token, value), "{value}");
        }
        let made = "s.NqVwYS81VP7Hb1DX8pPd5khx";
        assert!(is_secret(Kind::Token, made) && is_secret(Kind::Secret, made));
        for value in [
            "config.db1.value",
            "args.password_2",
            "user.pass1",
            "server1.pem",
            "db2.example.com",
            "types.Int32",
            "process.env.TOKEN",
            "data.aws_secretsmanager_secret_version.db2.secret_string",
            "ed25519.Ed25519PrivateKey",
            "swordfish1",
        ] {
            for kind in [Kind::Password, Kind::Token] {
                assert!(!is_secret(kind, value), "{value}");
            }
        }
    }
}
