//! Names that promise a secret.
//!
//! We take a name apart into words, in any spelling: `db_password`, `dbPassword`, `DB-PASSWORD` and
//! `db.password` all consist of the words `db` and `password`. The last word decides, as in any
//! English compound: a `password_min_length` is a length, and a `token_count` a count. Only
//! qualifiers may follow it (`password_2`, `secret_key_base`, `api_key_prod`).
//!
//! Some names only promise a secret if the value looks generated: a `key` without a known word in
//! front, and names with other words behind the one for a secret (`TOKEN_EU`).

use crate::name_kind::Kind;
use crate::words::{ByKind, List, words};

/// Maximum number of words behind the name of a secret, such as `EU` in `TOKEN_EU`.
const MAX_BEHIND: usize = 2;

/// Classifies `name` by the promised kind of secret, if any.
pub(crate) fn kind_of(name: &[u8]) -> Option<Kind> {
    kind_by_end(name).or_else(|| kind_within(name))
}

fn kind_by_end(name: &[u8]) -> Option<Kind> {
    let lists = self::words();
    // Words with other letters, such as `contraseña`, are only compared with the end of the name.
    if !name.is_ascii() {
        let mut others = lists.other_letters.iter();
        let is_other = others.any(|word| name.ends_with(word.as_bytes()));
        return is_other.then_some(Kind::Password);
    }
    let mut words = Words { name };
    let mut last = words.next()?;
    while is_number(last) || lists.which.has_any_case(last) {
        last = words.next()?;
    }
    let last = without_number(last);
    if last.eq_ignore_ascii_case(b"key") {
        let before = without_number(words.next()?);
        let kind = kind_in(&lists.keys, before);
        // E.g. `secret_access_key`.
        let secret = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case(b"secret"));
        return match kind {
            Some(_) if secret => Some(Kind::Secret),
            Some(kind) => Some(kind),
            None => (!lists.open_keys.has_any_case(before)).then_some(Kind::Key),
        };
    }
    if last.eq_ignore_ascii_case(b"token")
        && let Some(which) = words.next()
    {
        return match which {
            which if lists.page_tokens.has_any_case(which) => None,
            which if lists.access_tokens.has_any_case(which) => Some(Kind::Access),
            _ => Some(Kind::Token),
        };
    }
    // In longer names, `pw` often means something else. Require the name of an account before it.
    if last.eq_ignore_ascii_case(b"pw") {
        let is_password = words
            .next()
            .is_none_or(|word| lists.accounts.has_any_case(word));
        return is_password.then_some(Kind::Password);
    }
    if last.eq_ignore_ascii_case(b"pass")
        && words
            .next()
            .is_some_and(|word| lists.accounts.has_any_case(word))
    {
        return Some(Kind::Password);
    }
    // The id of a session is enough to take it over.
    if last.eq_ignore_ascii_case(b"id")
        && let Some(b"session" | b"Session" | b"SESSION") = words.clone().next()
    {
        return Some(Kind::Key);
    }
    let final_letter = last.last().map(u8::to_ascii_lowercase);
    let ends = |end: &str| {
        let at = last.len().checked_sub(end.len());
        end.as_bytes().last().copied() == final_letter
            && at.is_some_and(|at| last[at..].eq_ignore_ascii_case(end.as_bytes()))
    };
    let joined = || {
        let mut kinds = lists.joined.iter();
        let is_end_of = |words: &List| {
            // The list is sorted by length, so the rest is longer than `last`.
            let mut short = words.iter().take_while(|word| word.len() <= last.len());
            short.any(|word| ends(word))
        };
        let known = kinds.find(|(_, words)| is_end_of(words));
        known.map(|(kind, _)| *kind)
    };
    kind_in(&lists.last, last).or_else(joined).or_else(|| {
        let is_open = || {
            let mut open = lists.open_keys.iter();
            open.any(|word| ends(&format!("{word}key")))
        };
        let is_key = ends("sessid") || ends("sessionid") || (ends("key") && !is_open());
        is_key.then_some(Kind::Key)
    })
}

/// Handles names with a few more words behind the secret's, such as `TOKEN_EU` and `secretBackup`.
/// Returns `None` if one of these words marks the value as a description.
fn kind_within(name: &[u8]) -> Option<Kind> {
    let mut words = Words { name };
    for _ in 0..MAX_BEHIND {
        let word = words.next()?;
        if self::words().about_names.has_any_case(word) || word.len() < 2 {
            return None;
        }
        let before = words.name.trim_ascii_end();
        let before = before.strip_suffix(b"_").unwrap_or(before);
        let is_secret = kind_by_end(before).is_some_and(|kind| kind != Kind::Pass);
        if is_secret || before.eq_ignore_ascii_case(b"key") {
            return Some(Kind::Key);
        }
    }
    None
}

/// Like [`kind_of`], but for a plural such as `passwords` or `api_keys_prod`.
pub(crate) fn kind_of_several(name: &[u8]) -> Option<Kind> {
    let lists = self::words();
    let mut words = Words { name };
    let mut last = words.next()?;
    while is_number(last) || lists.which.has_any_case(last) {
        last = words.next()?;
    }
    let end = words.name.len() + without_number(last).len();
    let one = name[..end]
        .strip_suffix(b"s")
        .or_else(|| name[..end].strip_suffix(b"S"))?;
    let is_key = || one.to_ascii_lowercase().ends_with(b"key");
    kind_by_end(one).filter(|kind| match kind {
        // The plural `tokens` more often refers to a programming language.
        Kind::Pass | Kind::Token => false,
        Kind::Key => is_key(),
        _ => true,
    })
}

/// Returns true if the value of `key`, a key in a list of secrets, is a description rather than a
/// secret, e.g. for `secretName` and `created_at`.
pub(crate) fn describes_secret(key: &[u8]) -> bool {
    let last = Words { name: key }.next();
    last.is_some_and(|last| self::words().about_names.has_any_case(last))
}

fn kind_in(lists: &ByKind, word: &[u8]) -> Option<Kind> {
    let mut kinds = lists.iter();
    let known = kinds.find(|(_, words)| words.has_any_case(word));
    known.map(|(kind, _)| *kind)
}

/// Returns true for a number or a version, such as `2` or `v2`.
fn is_number(word: &[u8]) -> bool {
    let digits = match word {
        [b'v' | b'V', digits @ ..] if !digits.is_empty() => digits,
        digits => digits,
    };
    digits.iter().all(u8::is_ascii_digit)
}

fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    &word[..word.len() - digits]
}

/// Iterates over the words of a name, last word first.
#[derive(Clone)]
struct Words<'a> {
    name: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.name.iter().rposition(u8::is_ascii_alphanumeric)? + 1;
        let mut start = end - 1;
        while start > 0 && !is_border(self.name, start, end) {
            start -= 1;
        }
        let word = &self.name[start..end];
        self.name = &self.name[..start];
        Some(word)
    }
}

/// Returns true if a word of the name begins at `at`.
///
/// Both `at` and `end`, the end of the unsplit part, are within the name, and the byte at `at` is a
/// letter or digit.
fn is_border(name: &[u8], at: usize, end: usize) -> bool {
    let (before, first) = (name[at - 1], name[at]);
    if !before.is_ascii_alphanumeric() {
        return true;
    }
    let next_is_lower = at + 1 < end && name[at + 1].is_ascii_lowercase();
    first.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_is_lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for (kind, names) in [
            (
                Kind::Password,
                "password PASSWORD Passwd db_password dbPassword DB-PASSWORD spring.datasource.password \
                 PGPASSWORD MYSQL_PWD pwd keyPassphrase passphrase rootpassword password2 PASSWORD_1 \
                 password_confirmation userPasswordOld SSHPassword DB_PASS smtpPass db.pass pw dbPw \
                 storepass keypass requirepass masterauth bindpw rootpw DBPASS dbpwd Passwort DB_PASSWORT kennwort \
                 wachtwoord senha contraseña hasło passwrd",
            ),
            (Kind::Pass, "pass test_pass renderPass PASS first.pass"),
            (
                Kind::Secret,
                "secret client_secret clientSecret CLIENT-SECRET webhook_secret cookie_secret secret_key \
                 SECRET_KEY_BASE private_key privateKey PrivateKey signing_key encryptionKey ENCRYPTION_KEY \
                 secretkey clientsecret jwtSecret rails_master_key secret_access_key psk PresharedKey",
            ),
            (
                Kind::Access,
                "auth_token authToken AUTHTOKEN api_key apiKey APIKey x-api-key apikey access_key \
                 aws.access.key GITHUB_TOKEN api_key_v2 apiKeyProd API_TOKEN",
            ),
            (
                Kind::Token,
                "token token2 user_token credentials jwt AccountKey storage_account_key",
            ),
            (
                Kind::Key,
                "SENDGRID_KEY azure_search_key consumerKey streamkey STREAM_KEY sessionid session_id JSESSIONID PHPSESSID \
                 AUTH_SALT X-Auth key_eu TOKEN_EU secretBackup db_creds keyring_key hotkey",
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(kind_of(name.as_bytes()), Some(kind), "{name}");
            }
        }
    }

    #[test]
    fn several_secrets_have_the_name_of_one() {
        for (name, kind) in [
            ("passwords", Some(Kind::Password)),
            ("dbPasswords", Some(Kind::Password)),
            ("PASSWORDS_PROD", Some(Kind::Password)),
            ("pwds2", Some(Kind::Password)),
            ("client_secrets", Some(Kind::Secret)),
            ("API_KEYS", Some(Kind::Access)),
            ("access-tokens", Some(Kind::Access)),
            ("tokens", None),
            ("js-tokens", None),
            ("password", None),
            ("password_hashes", None),
            ("passes", None),
            ("keys", None),
            ("s", None),
        ] {
            assert_eq!(kind_of_several(name.as_bytes()), kind, "{name}");
        }
    }

    #[test]
    fn key_about_a_secret_is_recognised() {
        for key in ["id", "\"secretName\"", "created_at", "min-length", "HASH"] {
            assert!(describes_secret(key.as_bytes()), "{key}");
        }
        for key in ["bob", "admin", "user", "id_db", "value", "prod", ""] {
            assert!(!describes_secret(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in "passenger tokenizer secretary compass bypass token_count max_tokens key \
            password_min_length passwordField password_hash token_type tokens keyboard primary_key \
            public_key publicKey pubkey foreign-key cache_key sort_key secret_name secretName password_file \
            accessKeyId access_key_id next_page_token nextPageToken passed passing passes keypass_file \
            token_for_x passe de_passe waiting_for_password_hash pw_name pwent SET_PW api_keys Pass_ed public_key_eu _ - 2 v2"
            .split_whitespace()
        {
            assert_eq!(kind_of(name.as_bytes()), None, "{name}");
        }
    }
}
