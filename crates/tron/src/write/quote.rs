//! Writes strings in quotes.

use crate::scan::special;

/// Appends `text` to `out`, in quotes. Only those characters are escaped for which JSON requires
/// it.
#[inline]
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = special(bytes, from);
        out.push_str(&text[from..at]);
        let Some(byte) = bytes.get(at) else {
            break;
        };
        escape(*byte, out);
        from = at + 1;
    }
    out.push('"');
}

fn escape(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x08 => out.push_str("\\b"),
        0x0C => out.push_str("\\f"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        _ => {
            out.push_str("\\u00");
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}
