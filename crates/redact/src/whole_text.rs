//! Text scanned as a whole and shown in parts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use windlass_base::Redacted;

use crate::known::remember;
use crate::line_index::LineIndex;
use crate::mark::mark;
use crate::replace::{Finding, vouch};
use crate::rules::Found;
use crate::scan::scan;

/// A text shown in parts. Its lines and its secrets are found on first use.
pub struct WholeText {
    bytes: Vec<u8>,
    lines: OnceLock<LineIndex>,
    secrets: OnceLock<Vec<Found>>,
}

impl WholeText {
    /// `bytes` must be the whole text, because a secret may only be recognized by its context.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            lines: OnceLock::new(),
            secrets: OnceLock::new(),
        }
    }

    /// All bytes, including secret values.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The index of the text's lines, built on the first call.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes))
    }

    /// The line and rule of each secret, in text order. The values themselves aren't included.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |found: &Found| Finding {
            rule: found.rule.name().to_owned(),
            line: self.lines().number_at(found.range.start),
        };
        self.secrets().iter().map(finding).collect()
    }

    /// Returns true if the text contains any secret. The first call scans the text.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        !self.secrets().is_empty()
    }

    /// Returns true if `range` contains a secret, or part of one.
    #[must_use]
    pub fn has_secret_in(&self, range: &Range<usize>) -> bool {
        self.secrets_in(range).next().is_some()
    }

    /// The parts of `range` that belong to secrets, as offsets from its start.
    #[must_use]
    pub fn secret_parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        self.secrets_in(range)
            .map(|found| found.range.start.max(range.start)..found.range.end.min(range.end))
            .filter(|part| !part.is_empty())
            .map(|part| part.start - range.start..part.end - range.start)
            .collect()
    }

    /// Renders the bytes of `line` with secrets replaced. A line with a NUL byte becomes
    /// `[binary]`.
    #[must_use]
    pub fn shown(&self, line: &Range<usize>) -> Shown<'_> {
        if self.bytes[line.clone()].contains(&0) {
            // The rules don't support other encodings, so nothing of this line can be shown.
            return Shown {
                text: Cow::Borrowed("[binary]"),
                redactions: 0,
                lossy: true,
            };
        }
        let (bytes, redactions) = self.masked(line);
        let (text, lossy) = lossless(bytes);
        Shown {
            text,
            redactions,
            lossy,
        }
    }

    /// Like [`shown`](Self::shown), but for bytes of any encoding, and with the number of marks.
    #[must_use]
    pub fn masked(&self, line: &Range<usize>) -> (Cow<'_, [u8]>, u32) {
        let bytes = &self.bytes[line.clone()];
        let mut redactions = 0;
        let mut out: Cow<'_, [u8]> = Cow::Borrowed(bytes);
        let mut done = line.start;
        for found in self.secrets_in(line) {
            let start = found.range.start.max(line.start);
            if start >= found.range.end.min(line.end) {
                // This line of the secret is empty.
                continue;
            }
            if redactions == 0 {
                out = Cow::Owned(Vec::with_capacity(bytes.len()));
            }
            redactions += 1;
            let text = out.to_mut();
            text.extend_from_slice(&self.bytes[done..start]);
            text.extend_from_slice(mark(found.rule).as_bytes());
            done = found.range.end.min(line.end);
        }
        if redactions > 0 {
            out.to_mut().extend_from_slice(&self.bytes[done..line.end]);
        }
        (out, redactions)
    }

    /// Scans the text on first use, and remembers the values for `hide_known`.
    fn secrets(&self) -> &[Found] {
        self.secrets.get_or_init(|| {
            let found = scan(&self.bytes);
            remember(&self.bytes, &found);
            found
        })
    }

    fn secrets_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Found> {
        let secrets = self.secrets();
        let (start, end) = (range.start, range.end);
        // Findings are in order and don't overlap.
        let first = secrets.partition_point(|found| found.range.end <= start);
        secrets[first..]
            .iter()
            .take_while(move |found| found.range.start < end)
    }
}

/// A line in the form for showing it.
pub struct Shown<'a> {
    text: Cow<'a, str>,
    /// Number of secret values replaced with marks.
    pub redactions: u32,
    /// True if invalid UTF-8 was replaced.
    pub lossy: bool,
}

impl Shown<'_> {
    /// The part with its secrets replaced, or `[binary]`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text as [`Redacted`], the proof of redaction.
    #[must_use]
    pub fn redacted(&self) -> Redacted {
        vouch(self.as_str().to_owned())
    }

    /// Returns the first `bytes` of the text followed by `…`. Panics at an offset within a
    /// character.
    #[must_use]
    pub fn cut(&self, bytes: usize) -> Redacted {
        vouch(format!("{}…", &self.text[..bytes]))
    }
}

/// Decodes the bytes as UTF-8. The flag is true if invalid bytes were replaced.
fn lossless(bytes: Cow<'_, [u8]>) -> (Cow<'_, str>, bool) {
    let lossy = std::str::from_utf8(&bytes).is_err();
    let text = match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    };
    (text, lossy)
}
