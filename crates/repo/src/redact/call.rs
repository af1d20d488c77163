//! Functions that are given a secret beside its name: `setPassword("…")`, `define('DB_PASSWORD', "…")`.

use super::named::Name;
use super::text::Text;

/// `setPassword`, `with_password`, `.password`: what is called so is given the secret, and does not ask for it.
pub(super) fn is_setter(text: &Text<'_>, name: &Name) -> bool {
    let whole = text.slice(name.start..name.end);
    let own = memchr::memrchr(b'.', whole).map_or(0, |dot| dot + 1);
    let called = &whole[own..];
    let built = own > 0 || (name.start > 0 && text.get(name.start - 1) == Some(b'.'));
    let word = |word: &[u8]| {
        called.len() > word.len()
            && called[..word.len()].eq_ignore_ascii_case(word)
            && !called[word.len()].is_ascii_lowercase()
    };
    word(b"set") || word(b"with") || (built && called.iter().all(u8::is_ascii_lowercase))
}

/// The first argument of what sets a variable: `define('DB_PASSWORD', …)`, `os.Setenv("DB_PASSWORD", …)`.
pub(super) fn is_being_defined(text: &Text<'_>, name: &Name) -> bool {
    const FUNCTIONS: [&[u8]; 7] = [
        b"define",
        b"setenv",
        b"putenv",
        b"set_var",
        b"setdefault",
        b"setproperty",
        b"set_env",
    ];
    let before = text.slice(name.start.saturating_sub(16)..name.start);
    let Some(called) = before
        .strip_suffix(b"\"")
        .or_else(|| before.strip_suffix(b"'"))
        .and_then(|before| before.trim_ascii_end().strip_suffix(b"("))
    else {
        return false;
    };
    let function = called
        .rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .next()
        .unwrap_or_default();
    FUNCTIONS
        .iter()
        .any(|known| function.eq_ignore_ascii_case(known))
}
