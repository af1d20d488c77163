//! Texts: the lines of a file, prepared for comparison with another state of the file.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use windlass_base::LineSpan;
use windlass_repo::SourceFile;

/// Maximum number of lines in a file that is compared.
const MAX_LINES: u32 = 200_000;

/// Number of bytes that count as one line in cache sizes. It includes data that is derived from the line.
pub(crate) const BYTES_A_LINE: usize = 64;

/// Maximum number of letters and digits to count in a line. A longer line is no better evidence.
const MAX_LETTERS: usize = 24;

/// Range of lines in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) text: &'a Text,
    pub(crate) lines: Range,
}

/// Lines of a file, which are compared without their blanks. Each has an information and a weight. Lines are counted
/// from 0.
#[derive(Debug)]
pub(crate) struct Text {
    source: Arc<SourceFile>,
    keys: Vec<u64>,
    letters: Vec<u8>,
    /// For each line, the number of equal lines including itself. [`u16::MAX`] stands for that number or more.
    alike: Vec<u16>,
    /// Weight of each line. Long lines that are rare in the file have a high weight.
    weights: Vec<u32>,
    /// Keys of all lines in ascending order. `by_key` has the line numbers in the same order. Equal keys are ordered by
    /// line.
    sorted: Vec<u64>,
    by_key: Vec<u32>,
}

impl Text {
    /// Prepares the lines of `source`. Returns `None` for a binary file, or a file with more than [`MAX_LINES`] lines.
    pub(crate) fn new(source: Arc<SourceFile>) -> Option<Self> {
        let count = source.line_count();
        if source.is_binary() || count > MAX_LINES {
            return None;
        }
        let room = count as usize;
        let (mut keys, mut letters) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut said = Vec::new();
        for number in 1..=count {
            let line = source.hashed_line(number)?;
            let (key, letters_of_it) = key(&line, &mut said);
            keys.push(key);
            letters.push(letters_of_it);
        }
        let mut by_key: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        by_key.sort_unstable();
        let (mut alike, mut weights) = (vec![0; room], vec![0; room]);
        for same in by_key.chunk_by(|one, next| one.0 == next.0) {
            let count = u16::try_from(same.len()).unwrap_or(u16::MAX);
            for (_, at) in same {
                alike[*at as usize] = count;
                weights[*at as usize] = weight(letters[*at as usize], count);
            }
        }
        let (sorted, by_key) = by_key.into_iter().unzip();
        Some(Self {
            source,
            keys,
            letters,
            alike,
            weights,
            sorted,
            by_key,
        })
    }

    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the size that counts for caches, in lines.
    pub(crate) fn size(&self) -> usize {
        self.len().max(self.source.bytes().len() / BYTES_A_LINE) + 1
    }

    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    pub(crate) fn letters(&self, at: usize) -> u32 {
        u32::from(self.letters[at])
    }

    pub(crate) fn weight(&self, at: usize) -> u32 {
        self.weights[at]
    }

    pub(crate) fn weight_of(&self, lines: Range) -> u32 {
        self.weights[lines.start..lines.end].iter().sum()
    }

    /// Returns the number of lines that equal line `at`, including itself. [`u16::MAX`] stands for that number or more.
    pub(crate) fn alike(&self, at: usize) -> usize {
        usize::from(self.alike[at])
    }

    /// True if the line is trivial: it carries no information, because it is blank or has only punctuation.
    pub(crate) fn is_trivial(&self, at: usize) -> bool {
        self.letters[at] == 0
    }

    /// Returns the numbers of the lines that have this key, in order.
    pub(crate) fn lines_like(&self, key: u64) -> &[u32] {
        let first = self.sorted.partition_point(|known| *known < key);
        let alike = self.sorted[first..].partition_point(|known| *known == key);
        &self.by_key[first..first + alike]
    }

    /// Returns the first lines of up to `limit` locations at which the lines of `wanted` are adjacent.
    pub(crate) fn places_of(&self, wanted: &[u64], limit: usize) -> Vec<usize> {
        let rarest = (0..wanted.len()).min_by_key(|at| self.lines_like(wanted[*at]).len());
        let Some(rarest) = rarest else {
            return Vec::new();
        };
        let starts = self.lines_like(wanted[rarest]).iter();
        starts
            .filter_map(|at| (*at as usize).checked_sub(rarest))
            .filter(|start| self.keys.get(*start..start + wanted.len()) == Some(wanted))
            .take(limit)
            .collect()
    }

    /// Returns the number of letters and digits in `lines`. Equal lines count once.
    pub(crate) fn information(&self, lines: Range) -> u32 {
        let mut own: Vec<(u64, u32)> = (lines.start..lines.end)
            .map(|at| (self.keys[at], self.letters(at)))
            .collect();
        own.sort_unstable();
        own.dedup();
        own.iter().map(|(_, letters)| letters).sum()
    }

    /// Returns the bytes of a line, with secret values replaced.
    pub(crate) fn bytes(&self, at: usize) -> Vec<u8> {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        self.source
            .hashed_line(number)
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default()
    }
}

/// Range of lines, from 0. `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Range {
    pub(crate) fn of(span: LineSpan) -> Self {
        Self {
            start: span.start() as usize - 1,
            end: span.end() as usize,
        }
    }

    pub(crate) fn span(self) -> Option<LineSpan> {
        let start = u32::try_from(self.start).ok()?.checked_add(1)?;
        LineSpan::new(start, u32::try_from(self.end).ok()?).ok()
    }

    pub(crate) fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    pub(crate) fn contains(self, at: usize) -> bool {
        self.start <= at && at < self.end
    }

    /// Returns the smallest range that contains this range and line `at`.
    pub(crate) fn with(self, at: usize) -> Self {
        Self {
            start: self.start.min(at),
            end: self.end.max(at + 1),
        }
    }

    pub(crate) fn is_within(self, outer: Self) -> bool {
        outer.start <= self.start && self.end <= outer.end
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// Returns the weight of a line that has `letters` letters and digits and occurs `alike` times in its text.
fn weight(letters: u8, alike: u16) -> u32 {
    match u32::from(letters) {
        0 => 0,
        letters => ((letters + 4) * 8 / u32::from(alike.min(16))).max(1),
    }
}

/// Returns the hash of a line without blanks, and its number of letters and digits. `said` is a scratch buffer.
fn key(line: &[u8], said: &mut Vec<u8>) -> (u64, u8) {
    said.clear();
    said.extend(line.iter().filter(|byte| !byte.is_ascii_whitespace()));
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let letters = said.iter().filter(is_letter).count();
    let mut hasher = DefaultHasher::new();
    hasher.write(said);
    letters.hash(&mut hasher);
    (hasher.finish(), letters.min(MAX_LETTERS) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &str) -> Text {
        Text::new(Arc::new(SourceFile::from_bytes(lines.into()))).unwrap()
    }

    #[test]
    fn blanks_do_not_count() {
        let text = text("if x {\n\tif  x{\n\nif y {\n");
        assert_eq!(text.keys()[0], text.keys()[1]);
        assert_ne!(text.keys()[0], text.keys()[3]);
        assert!(text.is_trivial(2));
        assert_eq!(text.lines_like(text.keys()[0]), [0, 1]);
    }

    #[test]
    fn rare_lines_weigh_more() {
        let text = text("alpha beta\nreturn 1\nreturn 1\n}\n");
        assert!(text.weight(0) > text.weight(1));
        assert_eq!(text.weight(3), 0);
        assert_eq!(text.places_of(&text.keys()[1..3], 9), [1]);
    }
}
