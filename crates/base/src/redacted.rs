use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// Text of the user's files that may leave the process, with marks in place of secret values.
///
/// A secret can start outside of a displayed excerpt, so only a scan of the whole file can find it.
/// For this reason, only `windlass-redact` creates this type, which a lint list in `clippy.toml`
/// enforces. There's no deserialiser either, because such a text wouldn't have been scanned.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redacted {
    /// Wraps `text` without scanning it. The caller vouches that it was scanned as part of its
    /// whole file.
    #[must_use]
    pub fn vouch(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, which is safe to show.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Splits the text at each LF. The parts of redacted text are redacted as well.
    pub fn lines(&self) -> impl Iterator<Item = Self> + '_ {
        self.0.split('\n').map(|line| Self(line.to_owned()))
    }

    /// Cuts the text off after `max` bytes, or earlier at a character boundary. Unlike
    /// [`piece`](Self::piece), this doesn't mark the cut.
    #[must_use]
    pub fn first_bytes(&self, max: usize) -> Self {
        let end = (0..=max.min(self.0.len()))
            .rev()
            .find(|at| self.0.is_char_boundary(*at));
        Self(self.0[..end.unwrap_or(0)].to_owned())
    }

    /// Returns the bytes in `range`, with a `…` on each side where text is missing. If the range
    /// cuts a character in two, we leave that character out.
    #[must_use]
    pub fn piece(&self, range: Range<usize>) -> Self {
        let length = self.0.len();
        let border = |at: usize| (at..length).find(|at| self.0.is_char_boundary(*at));
        let start = border(range.start).unwrap_or(length);
        let end = (start..=range.end.clamp(start, length))
            .rev()
            .find(|at| self.0.is_char_boundary(*at))
            .unwrap_or(start);
        let mark = |missing: bool| if missing { "…" } else { "" };
        let (before, after) = (mark(start > 0), mark(end < length));
        Self(format!("{before}{}{after}", &self.0[start..end]))
    }

    /// Joins texts with LF, or returns `None` if there are none.
    #[must_use]
    pub fn join<'a>(lines: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let joined = lines.map(Self::as_str).collect::<Vec<_>>();
        (!joined.is_empty()).then(|| Self(joined.join("\n")))
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piece_marks_missing_sides() {
        let text = Redacted("aéiou".to_owned());
        let piece = |range| text.piece(range).as_str().to_owned();
        assert_eq!(piece(0..6), "aéiou");
        assert_eq!(piece(0..3), "aé…");
        assert_eq!(piece(0..2), "a…");
        assert_eq!(piece(1..4), "…éi…");
        assert_eq!(piece(2..9), "…iou");
        assert_eq!(piece(8..9), "…");
    }
}
