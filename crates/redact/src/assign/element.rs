//! Secrets in the text of an XML element, named by its tag, by an attribute, or by the element
//! before it.

use std::ops::Range;
use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;

use crate::assign::literal::{End, MAX_LINES, judge, trimmed, unquoted};
use crate::assign::named::Name;
use crate::scanned_text::Text;
use crate::value::Form;

/// The text between a name and the element's content: either the rest of the tag, perhaps with
/// another tag inside (`<property name="password"><value>…`), or the end of the name's own element
/// and the tag of the next one.
const OPENING: &str = concat!(
    r#"^(?i-u)(?:(?<tag>["']?(?:\s[^<>]*)?[^/<]?>)(?:\s*<value>)?"#,
    r"|</[\w:]+>\s*<(?:string|value|data|(?<cell>td|dd))>)\s*(?:<!\[CDATA\[)?",
);

/// Maximum length of the text between a name and an element's content, in bytes.
const HEAD: usize = 256;

/// Finds the secret in the element with the name as its tag or key, or in the next element.
pub(crate) fn value(text: &Text<'_>, name: &Name) -> Option<Range<usize>> {
    let next = text.get(name.end).filter(|b| b"<>\"' \t\r\n".contains(b))?;
    let is_own = is_tag(text, name) || is_key(text, name);
    if !(is_own || next == b'<') || !is_on("redact.element_text") {
        return None;
    }
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    let opening = COMPILED.get_or_init(|| Regex::new(OPENING).expect("a test compiles it"));
    let groups = opening.captures(text.window(name.end, HEAD))?;
    if groups.name("tag").is_some() && !is_own {
        return None;
    }
    let at = name.end + groups.get(0)?.end();
    if groups.name("cell").is_some() {
        // On a web page, the cell after a term is often a description of it.
        return unquoted(text, at, name.kind, Form::Bare, End::Next);
    }
    // The content ends at the next tag, or at the end of a CDATA section.
    let end = text.run(at, MAX_LINES, |b| b != b'<' && b != b']');
    let is_closed = text.starts_with(end, b"</") || text.starts_with(end, b"]]>");
    let value = trimmed(text, at..end);
    let is_secret = is_closed && value.len() >= 4;
    (is_secret && judge(text, value.clone(), name.kind, Form::Literal)).then_some(value)
}

/// Returns true if `name` is the tag of an element, as in `<password` or `<db:password`.
fn is_tag(text: &Text<'_>, name: &Name) -> bool {
    let prefix = text.run_back(name.start, 32, |b| b.is_ascii_alphanumeric() || b == b':');
    let prefixed = prefix == name.start || text.get(name.start - 1) == Some(b':');
    prefixed && prefix > 0 && text.get(prefix - 1) == Some(b'<')
}

/// Returns true if `name` is the value of a key attribute, as in `<entry key="password"`.
fn is_key(text: &Text<'_>, name: &Name) -> bool {
    let before = text.slice(name.start.saturating_sub(6)..name.start);
    let keys: [&[u8]; 4] = [b"key=\"", b"key='", b"name=\"", b"name='"];
    keys.iter().any(|key| before.ends_with(key))
}
