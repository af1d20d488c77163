//! [`Text`]: the lines of a file, prepared for comparison with another state of the file.

use crate::params;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use windlass_base::LineSpan;
use windlass_repo::SourceFile;

/// Range of lines in one [`Text`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) text: &'a Text,
    pub(crate) lines: Range,
}

impl<'a> Part<'a> {
    pub(crate) fn new(text: &'a Text, lines: Range) -> Self {
        Self { text, lines }
    }

    pub(crate) fn line(text: &'a Text, at: usize) -> Self {
        Self::new(text, Range::new(at, at + 1))
    }

    /// Returns the lines that are not trivial (see [`Text::is_trivial`]).
    pub(crate) fn telling(self) -> impl DoubleEndedIterator<Item = usize> + Clone + 'a {
        self.lines
            .iter()
            .filter(move |at| !self.text.is_trivial(*at))
    }
}

/// Lines of a file, compared without their blanks. Lines are counted from 0, unlike those of a
/// [`SourceFile`].
#[derive(Debug)]
pub(crate) struct Text {
    source: Arc<SourceFile>,
    /// Hash of each line without its blanks. Lines are equal if their keys are.
    keys: Vec<u64>,
    /// Letters and digits in each line, at most [`params::MAX_LINE_INFORMATION`].
    letters: Vec<u8>,
    /// For each line, the number of lines equal to it, including itself. Capped at [`u16::MAX`].
    alike: Vec<u16>,
    /// Weight of each line as evidence. Long lines that are rare in the file weigh the most.
    weights: Vec<u32>,
    /// Keys of all lines in ascending order.
    ///
    /// `by_key` has their lines at the same indices; equal keys are in the order of the file.
    sorted: Vec<u64>,
    by_key: Vec<u32>,
}

impl Text {
    /// Prepares the lines of `source`.
    ///
    /// Binary files cannot be compared, and neither can files with more than
    /// [`params::MAX_FILE_LINES`] lines.
    pub(crate) fn new(source: Arc<SourceFile>) -> Option<Self> {
        let count = source.line_count();
        if source.is_binary() || count > params::MAX_FILE_LINES {
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

    /// Size of the text in a cache, in lines.
    ///
    /// A file with very long lines counts for more lines than it has, because it takes more memory.
    pub(crate) fn size(&self) -> usize {
        self.len()
            .max(self.source.bytes().len() / params::BYTES_A_LINE)
            + 1
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

    pub(crate) fn alike(&self, at: usize) -> usize {
        usize::from(self.alike[at])
    }

    /// Returns true if the line is blank or has only punctuation, so that being equal to another
    /// such line means nothing.
    pub(crate) fn is_trivial(&self, at: usize) -> bool {
        self.letters[at] == 0
    }

    /// Returns the lines that have this key, in order.
    pub(crate) fn lines_like(&self, key: u64) -> &[u32] {
        let first = self.sorted.partition_point(|known| *known < key);
        let alike = self.sorted[first..].partition_point(|known| *known == key);
        &self.by_key[first..first + alike]
    }

    /// Finds up to `limit` locations at which the lines of `wanted` follow each other, and returns
    /// the first line of each.
    pub(crate) fn places_of(&self, wanted: &[u64], limit: usize) -> Vec<usize> {
        // Each occurrence of one of the lines has to be verified. With the rarest line, that's much
        // cheaper than with a line such as `return;`.
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

    /// Returns the number of letters and digits in `lines`, counting equal lines once.
    pub(crate) fn information(&self, lines: Range) -> u32 {
        let mut own: Vec<(u64, u32)> = lines
            .iter()
            .map(|at| (self.keys[at], self.letters(at)))
            .collect();
        own.sort_unstable();
        own.dedup();
        own.iter().map(|(_, letters)| letters).sum()
    }

    /// Returns the non-trivial lines above `at`, nearest first.
    pub(crate) fn telling_above(&self, at: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        Part::new(self, Range::new(0, at)).telling().rev()
    }

    /// Returns the non-trivial lines from `at` to the end.
    pub(crate) fn telling_below(&self, at: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        Part::new(self, Range::new(at, self.len())).telling()
    }

    /// Returns the bytes of a line. Secret values in it are replaced.
    pub(crate) fn bytes(&self, at: usize) -> Vec<u8> {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        self.source
            .hashed_line(number)
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default()
    }
}

/// Range of lines, counted from 0. `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Range {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub(crate) fn iter(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

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

    /// Extends the range so that it contains line `at`.
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

/// Weighs a line that has `letters` letters and digits and occurs `alike` times in its text.
fn weight(letters: u8, alike: u16) -> u32 {
    match u32::from(letters) {
        0 => 0,
        // Even a very short line has some weight. A line that occurs more than 16 times isn't any
        // lighter than one that occurs 16 times.
        letters => ((letters + 4) * 8 / u32::from(alike.min(16))).max(1),
    }
}

/// Hashes a line without its blanks, and counts its letters and digits. `said` is a scratch buffer.
fn key(line: &[u8], said: &mut Vec<u8>) -> (u64, u8) {
    said.clear();
    said.extend(line.iter().filter(|byte| !byte.is_ascii_whitespace()));
    let letters = said.iter().filter(|byte| is_letter(byte)).count();
    let mut hasher = DefaultHasher::new();
    hasher.write(said);
    letters.hash(&mut hasher);
    (
        hasher.finish(),
        letters.min(params::MAX_LINE_INFORMATION) as u8,
    )
}

/// Returns true if `byte` belongs to a letter or a digit. Bytes that are not ASCII count as
/// letters.
pub(crate) fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
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
