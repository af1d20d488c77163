//! Signs that assign a value to a name, and types between a sign and the value.

use crate::assign::literal::is_quoted;
use crate::scanned_text::Text;

/// Signs that assign or compare a value. Longer signs come before their prefixes.
const SIGNS: &[&[u8]] = &[
    b":::=", b"::=", b".=", b"===", b"!==", b"||=", b"??=", b"==", b"!=", b"=>", b":=", b"?=",
    b"+=", b"?:", b"!:", b":-", b"<-", b"=", b":",
];

/// Returns the offset of the value after a type and a sign, as in `: &str = "…"`. Base64 with a `=`
/// at the end can look like a type, too.
pub(crate) fn after_type(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = text.blanks(at);
    let of_type = |b: u8| b.is_ascii_alphanumeric() || b"_<>[]&' ?.|".contains(&b);
    let sign = text.run(start, 64, of_type);
    let single = text.get(sign) == Some(b'=') && sign > start && text.get(sign + 1) != Some(b'=');
    let value = text.blanks(sign + 1);
    (single && (text.get(sign - 1) == Some(b' ') || is_quoted(text, value))).then_some(value)
}

/// Returns the sign at `at`.
pub(crate) fn sign(text: &Text<'_>, at: usize) -> Option<&'static [u8]> {
    text.get(at).filter(|b| b":=.!|?+<".contains(b))?;
    let mut signs = SIGNS.iter();
    signs.find(|sign| text.starts_with(at, sign)).copied()
}
