use std::ops::Range;

/// Converts the character offsets of the YAML parser to byte offsets.
#[derive(Debug)]
pub(crate) struct Offsets {
    /// Bytes before the first parsed character, i.e. a byte order mark.
    skipped: usize,
    /// The byte offset of every 256th character. We do not need any for ASCII text, where byte and
    /// character offsets are the same.
    marks: Vec<u32>,
}

/// Number of characters between two marks. A smaller stride would make lookups faster, but take
/// more memory.
const STRIDE: usize = 256;

impl Offsets {
    pub(crate) fn in_bytes() -> Self {
        Self {
            skipped: 0,
            marks: Vec::new(),
        }
    }

    /// `skipped` is the number of bytes at the start that we do not pass to the parser.
    pub(crate) fn new(text: &str, skipped: usize) -> Self {
        let text = &text[skipped..];
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let every = text.char_indices().step_by(STRIDE);
            marks.extend(every.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)));
        }
        Self { skipped, marks }
    }

    /// Converts a range, and drops white space at its end. The parser only ends some nodes at the
    /// next token.
    pub(crate) fn bytes(&self, text: &str, span: Range<usize>) -> Range<usize> {
        let start = self.byte(text, span.start);
        let end = self.byte(text, span.end).max(start);
        let length = text.get(start..end).map_or(0, |text| text.trim_end().len());
        start..start + length
    }

    fn byte(&self, text: &str, at: usize) -> usize {
        if self.marks.is_empty() {
            return (self.skipped + at).min(text.len());
        }
        let Some(mark) = self.marks.get(at / STRIDE) else {
            return text.len();
        };
        let from = self.skipped + *mark as usize;
        let rest = text.get(from..).unwrap_or("");
        let nth = rest.char_indices().nth(at % STRIDE);
        nth.map_or(text.len(), |(offset, _)| from + offset)
    }
}
