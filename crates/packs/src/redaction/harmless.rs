//! Keeps secret values and terminal controls out of the output.
//!
//! Text from files may contain anything. An escape sequence could hide a part of a terminal's
//! output, or make a line look like it comes from Windlass.

use serde::Serialize;
use windlass_redact::{json_has_secrets, redact_text, redact_under, redact_value};
use windlass_tron::Value as Exact;

use crate::printing::{clean, clean_json, clean_text};

/// Removes secret values and harmful characters. Line ends stay.
#[must_use]
pub fn harmless(text: &str) -> String {
    clean_text(redact_text(text).0.as_str())
}

/// Removes secret values and harmful characters, including line ends. Since the result is a single
/// line, nothing in `text` can pass for other output.
#[must_use]
pub fn harmless_line(text: &str) -> String {
    clean(redact_text(text).0.as_str()).into_owned()
}

/// Like [`harmless_line`] for many strings, but faster, because they are scanned for secret values
/// all at once.
#[must_use]
pub fn harmless_lines(texts: &[String]) -> Vec<String> {
    // No rule for secret values matches across this separator. Strings with a NUL are converted
    // separately.
    const BETWEEN: &str = "\n\0\n";
    let is_line = |text: &&String| !text.contains(['\n', '\r', '\0']);
    let lines: Vec<&str> = texts.iter().filter(is_line).map(String::as_str).collect();
    let (all, _) = redact_text(&lines.join(BETWEEN));
    let shown: Vec<&str> = all.as_str().split(BETWEEN).collect();
    if shown.len() != lines.len() {
        // Redaction has replaced a separator, or something else looks like one. We can't tell which
        // line is which anymore, so convert each by itself.
        return texts.iter().map(|text| harmless_line(text)).collect();
    }
    let mut shown = shown.into_iter();
    let each = texts.iter().map(|text| {
        let line = is_line(&text).then(|| shown.next()).flatten();
        line.map_or_else(|| harmless_line(text), |line| clean(line).into_owned())
    });
    each.collect()
}

/// Converts `value` to JSON on a single line, with secret values redacted.
///
/// We first scan the text as a whole, which is much faster. Each value is only scanned if that
/// finds anything.
///
/// # Errors
/// Returns an error if `value` cannot be written as JSON.
pub fn redacted_json<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    if !json_has_secrets(&text) {
        return Ok(clean_json(text));
    }
    Ok(clean_json(
        redact_value(serde_json::to_value(value)?).to_string(),
    ))
}

/// Like [`redacted_json`], but keeps all numbers as written. This is for documents with numbers
/// that do not fit into a double.
///
/// # Errors
/// Returns an error if `value` cannot be written as JSON.
pub fn redacted_exact<T: Serialize + ?Sized>(value: &T) -> windlass_tron::Result<String> {
    let text = windlass_tron::to_string(value)?;
    let value = Exact::parse(&text)?;
    let json = value.to_string();
    if !json_has_secrets(&json) {
        return Ok(clean_json(json));
    }
    Ok(clean_json(redact_exact(value).to_string()))
}

/// Like [`redact_value`], for exact values. Recursion is fine, because serialized values are never
/// nested deeper than [`windlass_tron::MAX_RECURSION`].
fn redact_exact(value: Exact<'_>) -> Exact<'_> {
    match value {
        Exact::String(text) => redact_under(None, &text).into(),
        Exact::Array(list) => {
            let list: Vec<Exact<'_>> = list.into_vec().into_iter().map(redact_exact).collect();
            list.into()
        }
        Exact::Object(object) => {
            let members = object.into_members().into_iter().map(|(name, value)| {
                let value = match value {
                    Exact::String(text) => redact_under(Some(&name), &text).into(),
                    other => redact_exact(other),
                };
                (redact_under(None, &name), value)
            });
            let members: windlass_tron::Object<'_> = members.collect();
            members.into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacted_numbers_are_exact() {
        const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let exact = format!("{{\"a\":[1e400,1.0],\"password\":\"{TOKEN}\",\"class\":\"{TOKEN}\"}}");
        let text = redacted_exact(&Exact::parse(&exact).unwrap()).unwrap();
        assert!(
            text.starts_with("{\"a\":[1e400,1.0],\"password\":"),
            "{text}"
        );
        assert!(!text.contains("ghp_0123"), "{text}");
    }

    #[test]
    fn harmless_lines_equals_each_line() {
        const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let mut texts: Vec<String> = [
            "Move 1 of 2",
            "",
            "password:",
            "tr0ub4dor&3xyz",
            "password = s4ndcastle&7q",
            "two\nlines",
            "\u{1b}[31mred\u{202e}",
            "-----BEGIN RSA PRIVATE KEY-----",
            "MIIEowIBAAKCAQEAxW9J2vQmT1bF",
            "machine example.org login ann",
            "password c0rrect&h0rse9",
        ]
        .map(str::to_owned)
        .into();
        texts.push(TOKEN.to_owned());
        for texts in [&texts[..], &texts[..1], &texts[5..6], &[]] {
            let each: Vec<String> = texts.iter().map(|text| harmless_line(text)).collect();
            assert_eq!(harmless_lines(texts), each);
        }
        // This text contains the separator itself.
        let odd = ["a\n\0\nb".to_owned(), TOKEN.to_owned()];
        let each: Vec<String> = odd.iter().map(|text| harmless_line(text)).collect();
        assert_eq!(harmless_lines(&odd), each);
    }
}
