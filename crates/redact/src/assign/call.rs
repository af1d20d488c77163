//! Functions that take the secret, and in some cases its name, as arguments: `setPassword("…")`,
//! `define('DB_PASSWORD', "…")`.

use crate::assign::named::{Name, plain};
use crate::scanned_text::Text;
use crate::words::words;
use windlass_base::is_on;

/// True if the function sets a secret instead of asking for one, like `setPassword`,
/// `with_password` and `.password`.
pub(crate) fn is_setter(text: &Text<'_>, name: &Name) -> bool {
    if !is_on("redact.setter") {
        return false;
    }
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

/// True if the name is the first argument of a function that sets a variable, as in
/// `define('DB_PASSWORD', …)` or `os.Setenv("DB_PASSWORD", …)`.
pub(crate) fn is_being_defined(text: &Text<'_>, name: &Name) -> bool {
    if !is_on("redact.defined") {
        return false;
    }
    function_before(text, name).is_some_and(|function| words().defining.has_any_case(function))
}

/// True if the name is the first argument of a function whose second is a value or default, as in
/// `map.put("db.password", …)` or `environ.get("DB_PASSWORD", …)`.
pub(crate) fn is_given(text: &Text<'_>, name: &Name) -> bool {
    if !is_on("redact.call_given") {
        return false;
    }
    function_before(text, name).is_some_and(|function| {
        let called = plain(function);
        words().setters.has(&called) || words().lookups.has(&called)
    })
}

/// Returns the name of the function whose first argument is the quoted `name`.
fn function_before<'t>(text: &Text<'t>, name: &Name) -> Option<&'t [u8]> {
    let before = text.slice(name.start.saturating_sub(16)..name.start);
    let called = before
        .strip_suffix(b"\"")
        .or_else(|| before.strip_suffix(b"'"))
        .and_then(|before| before.trim_ascii_end().strip_suffix(b"("))?;
    called
        .rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .next()
}
