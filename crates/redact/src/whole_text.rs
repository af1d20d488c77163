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

/// All bytes of a text, with its lines and secret values, which we find on first use.
pub struct WholeText {
    bytes: Vec<u8>,
    lines: OnceLock<LineIndex>,
    secrets: OnceLock<Vec<Found>>,
}

impl WholeText {
    /// Creates the text from its bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            lines: OnceLock::new(),
            secrets: OnceLock::new(),
        }
    }

    /// Returns all bytes, including secret values.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the index of its lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes))
    }

    /// Returns the secrets found, in text order. Their values aren't included.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |found: &Found| Finding {
            rule: found.rule.name().to_owned(),
            line: self.lines().number_at(found.range.start),
        };
        self.secrets().iter().map(finding).collect()
    }

    /// True if the text has a secret value.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        !self.secrets().is_empty()
    }

    /// True if `range` has a secret value, or part of one.
    #[must_use]
    pub fn has_secret_in(&self, range: &Range<usize>) -> bool {
        self.secrets_in(range).next().is_some()
    }

    /// Returns the parts of `range` that belong to secret values, counted from its start.
    #[must_use]
    pub fn secret_parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        self.secrets_in(range)
            .map(|found| found.range.start.max(range.start)..found.range.end.min(range.end))
            .filter(|part| !part.is_empty())
            .map(|part| part.start - range.start..part.end - range.start)
            .collect()
    }

    /// Returns the bytes of `line` in a form that may be shown.
    #[must_use]
    pub fn shown(&self, line: &Range<usize>) -> Shown<'_> {
        if self.bytes[line.clone()].contains(&0) {
            // We can't rely on the rules to find secrets in text of another encoding.
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

    /// Returns the bytes of `line` with marks for secret values, and their number.
    #[must_use]
    pub fn masked(&self, line: &Range<usize>) -> (Cow<'_, [u8]>, u32) {
        let bytes = &self.bytes[line.clone()];
        let mut redactions = 0;
        let mut out: Cow<'_, [u8]> = Cow::Borrowed(bytes);
        let mut done = line.start;
        for found in self.secrets_in(line) {
            let start = found.range.start.max(line.start);
            if start >= found.range.end.min(line.end) {
                // This is an empty line in the middle of a secret.
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

    /// Returns all secret values, in order.
    fn secrets(&self) -> &[Found] {
        self.secrets.get_or_init(|| {
            let found = scan(&self.bytes);
            remember(&self.bytes, &found);
            found
        })
    }

    /// Returns the secret values that overlap `range`, in order.
    fn secrets_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Found> {
        let secrets = self.secrets();
        let (start, end) = (range.start, range.end);
        let first = secrets.partition_point(|found| found.range.end <= start);
        secrets[first..]
            .iter()
            .take_while(move |found| found.range.start < end)
    }
}

/// A part of a text that may be shown.
pub struct Shown<'a> {
    text: Cow<'a, str>,
    /// Number of replaced secret values.
    pub redactions: u32,
    /// True if invalid UTF-8 was replaced.
    pub lossy: bool,
}

impl Shown<'_> {
    /// Returns the text with secret values replaced.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, vouched for.
    #[must_use]
    pub fn redacted(&self) -> Redacted {
        vouch(self.as_str().to_owned())
    }

    /// Returns the first `bytes` of it, cut between characters, with `…` for the missing rest.
    #[must_use]
    pub fn cut(&self, bytes: usize) -> Redacted {
        vouch(format!("{}…", &self.text[..bytes]))
    }
}

/// Returns the bytes as text, and true if anything had to be replaced.
fn lossless(bytes: Cow<'_, [u8]>) -> (Cow<'_, str>, bool) {
    match bytes {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), false),
            Err(_) => (String::from_utf8_lossy(bytes), true),
        },
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => (Cow::Owned(text), false),
            Err(e) => (
                Cow::Owned(String::from_utf8_lossy(e.as_bytes()).into_owned()),
                true,
            ),
        },
    }
}
