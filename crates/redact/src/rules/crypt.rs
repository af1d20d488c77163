//! Hashes of passwords, which say themselves how they were made: in the modular crypt format (`$id$…$…`), as Django and LDAP
//! write them.

use std::ops::Range;

use crate::scanned_text::Text;
use crate::value::letters::is_wordy;

/// Beginnings of password hashes: identifiers of libxcrypt, passlib and PHC, names of Django's hashers, schemes of RFC 2307.
pub(crate) const KEYWORDS: &[&str] = &[
    "$1",
    "$2$",
    "$2a",
    "$2b",
    "$2x",
    "$2y",
    "$3",
    "$5",
    "$6",
    "$7",
    "$8",
    "$9",
    "$y",
    "$gy",
    "$p$",
    "$h$",
    "$s$",
    "$apr1",
    "$md5",
    "$sha1",
    "$argon2",
    "$scrypt",
    "$pbkdf2",
    "$bcrypt",
    "$sm3",
    "pbkdf2_sha",
    "bcrypt_sha256$",
    "argon2$argon2",
    "scrypt$",
    "{ssha",
    "{sha",
    "{smd5}",
    "{md5}",
    "{crypt}",
    "{pbkdf2",
    "{bcrypt}",
    "{argon2",
    "{blf-crypt}",
];

/// The hash with its salt. Shells and Compose files double the sign, or have a backslash before it.
pub(crate) const PATTERN: &str = concat!(
    r"(?:\$(?:[1356789]|2[abxy]?|g?y|[PHS]|apr1|md5|sha1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-[a-z0-9]{1,9})?|bcrypt(?:-sha256)?|sm3)",
    r"(?:,[a-z]{1,9}=[0-9]{1,9})?(?:\\?\$\$?[A-Za-z0-9./+=,_-]{1,128}){0,3}\\?\$\$?([A-Za-z0-9./+=_-]{20,512})",
    r"|(?:pbkdf2_sha(?:1|256|512)?|bcrypt_sha256|argon2|scrypt)(?:\$\$?[A-Za-z0-9./+=,_-]{0,128}){1,5}\$\$?([A-Za-z0-9./+=_-]{20,512})",
    r"|(?i:\{[A-Z0-9][A-Z0-9._-]{1,23}\})(?:\$[A-Za-z0-9./+=,_-]{1,128}){0,4}\$?([A-Za-z0-9./+=_-]{20,512}))",
);

/// True if more of a hash follows its beginning, and nothing of a name stands before it.
pub(crate) fn is_likely(text: &Text<'_>, keyword: Range<usize>) -> bool {
    const MORE: usize = 20;
    let of_hash = |b: u8| b.is_ascii_alphanumeric() || b"$./+=,_-}\\".contains(&b);
    let before = keyword.start.checked_sub(1).and_then(|at| text.get(at));
    let is_begin = before.is_none_or(|b| !b.is_ascii_alphanumeric() && b != b'_');
    is_begin && text.run(keyword.end, MORE, of_hash) == keyword.end + MORE
}

/// True if the last part is a hash, and no name: variables stand one behind the other as well.
pub(crate) fn is_hash(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.bytes().any(|b| of(&b));
    !is_wordy(value) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}
