//! Cursors: each cursor has exactly one accepted form.

use windlass_packs::Cursor;

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(cursor) = text.parse::<Cursor>() {
        assert_eq!(cursor.to_string(), text);
    }
}
