//! Signs for assigning a value to a name, and types between name and value.

use crate::assign::literal::is_quoted;
use crate::scanned_text::Text;

/// Signs for assigning or comparing a value. Longer signs come before their prefixes.
const SIGNS: &[&[u8]] = &[
    b":::=", b"::=", b".=", b"===", b"!==", b"||=", b"??=", b"==", b"!=", b"=>", b":=", b"?=",
    b"+=", b"?:", b"!:", b":-", b"<-", b"=", b":",
];

/// Skips a type and a sign, as in `: &str = "…"`, and returns the offset of the value. Base64 with
/// a final `=` can look like a type, so the sign must follow a blank or precede a quote.
pub(crate) fn after_type(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = text.blanks(at);
    let of_type = |b: u8| b.is_ascii_alphanumeric() || b"_<>[]&' ?.|".contains(&b);
    let sign = text.run(start, 64, of_type);
    let single = text.get(sign) == Some(b'=') && sign > start && text.get(sign + 1) != Some(b'=');
    let value = text.blanks(sign + 1);
    (single && (text.get(sign - 1) == Some(b' ') || is_quoted(text, value))).then_some(value)
}

/// Returns the longest of [`SIGNS`] at `at`.
pub(crate) fn sign(text: &Text<'_>, at: usize) -> Option<&'static [u8]> {
    text.get(at).filter(|b| b":=.!|?+<".contains(b))?;
    let mut signs = SIGNS.iter();
    signs.find(|sign| text.starts_with(at, sign)).copied()
}
