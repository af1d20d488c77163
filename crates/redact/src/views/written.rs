//! Multi-line texts in a literal on one line, with escaped line ends. They occur in tool results in
//! JSON and in literals of code.

use std::ops::Range;
use windlass_base::is_on;

use crate::scanned_text::Text;
use crate::views::pieces::Pieces;

/// An escaped line end.
const LINE_END: &[u8] = b"\\n";

/// Finds the texts around places of another text.
pub(crate) struct Around<'t, 'b> {
    text: &'t Text<'b>,
    /// The end of the range searched for the start of a text, and the last place where one may
    /// begin.
    from: usize,
    open: Option<usize>,
    /// The offset up to which no text has another line.
    no_line_until: usize,
}

impl<'t, 'b> Around<'t, 'b> {
    pub(crate) fn new(text: &'t Text<'b>) -> Self {
        Self {
            text,
            from: 0,
            open: None,
            no_line_until: 0,
        }
    }

    /// Returns the range between the quotes around `at`, if there's another line in it. Must be
    /// called in text order.
    pub(crate) fn at(&mut self, at: usize) -> Option<Range<usize>> {
        if !is_on("redact.written") {
            return None;
        }
        let text = self.text;
        let before = text.window(self.from, at.saturating_sub(self.from));
        let is_border = |place: &usize| {
            let place = self.from + place;
            before[place - self.from] == b'\n' || !is_escaped(text, place)
        };
        if let Some(last) = memchr::memrchr2_iter(b'"', b'\n', before).find(is_border) {
            let is_quote = before[last] == b'"';
            self.open = is_quote.then_some(self.from + last + 1);
        }
        self.from = self.from.max(at);
        let open = self.open?;
        if at < self.no_line_until {
            return None;
        }
        let end = closing(text, at);
        let rest = text.slice(at..end);
        let next = memchr::memmem::find(rest, LINE_END);
        let has_line = next.is_some_and(|next| next + LINE_END.len() < rest.len());
        self.no_line_until = end;
        has_line.then_some(open..end)
    }
}

/// Returns the end of the text around `at`, which is its quote or the end of the line.
fn closing(text: &Text<'_>, at: usize) -> usize {
    let mut end = at;
    loop {
        end = text.run(end, usize::MAX, |b| !b"\"\\\n".contains(&b));
        if text.get(end) != Some(b'\\') {
            return end;
        }
        end = (end + 2).min(text.bytes.len());
    }
}

/// True if there's an odd number of backslashes before `at`.
fn is_escaped(text: &Text<'_>, at: usize) -> bool {
    const MAX_BACKSLASHES: usize = 64;
    (at - text.run_back(at, MAX_BACKSLASHES, |b| b == b'\\')) % 2 == 1
}

/// Returns the text of a literal, which is in the range `written` in its escaped form.
pub(crate) fn unescaped(text: &Text<'_>, written: Range<usize>) -> Pieces {
    let mut pieces = Pieces::default();
    let mut from = written.start;
    while let Some(sign) = memchr::memchr(b'\\', &text.bytes[from..written.end]) {
        let at = from + sign;
        let instead: &[u8] = match text.get(at + 1) {
            Some(b'n') => b"\n",
            Some(b'r') => b"\r",
            Some(b't') => b"\t",
            Some(b'"') => b"\"",
            Some(b'/') => b"/",
            _ => b"\\",
        };
        pieces.take(text.bytes, from..at);
        pieces.put(at, instead);
        // Leave other escapes unchanged.
        let is_known = instead != b"\\" || text.get(at + 1) == Some(b'\\');
        from = (at + 1 + usize::from(is_known)).min(written.end);
    }
    pieces.take(text.bytes, from..written.end);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_after_a_name_is_recognised() {
        let text = r#"{"password": "x", "a": "b\nsay \"password\":\n  c\\n", "d": "password\n"}"#;
        let places: Vec<usize> = text.match_indices("password").map(|(at, _)| at).collect();
        let text = Text::new(text.as_bytes());
        let mut around = Around::new(&text);
        let found: Vec<_> = places.iter().map(|at| around.at(*at)).collect();
        assert_eq!([&found[0], &found[2]], [&None, &None]);
        let pieces = unescaped(&text, found[1].clone().unwrap());
        let want = "b\nsay \"password\":\n  c\\n";
        assert_eq!(String::from_utf8_lossy(&pieces.bytes), want);
    }
}
