//! The records of a checkpoint, read in place.

use std::ops::Range;
use std::sync::Arc;

use super::Part;
use super::record_table::{Found, KeptLine};
use crate::stored_record::Record;

/// The bytes of an entry of the index: where name and short form end among their like, and where the line ends.
const ENTRY: usize = 12;
/// Their places in it.
const NAME: usize = 0;
const HEAD: usize = 1;
const LINE: usize = 2;

/// The records of a checkpoint, sorted by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    /// What is read of every checkpoint.
    front: Arc<Vec<u8>>,
    /// Where in it each record has its entry.
    index: Range<usize>,
    /// Where in it names and short forms lie.
    pub(super) heads: Range<usize>,
    pub(super) lines: Part,
}

impl Base {
    /// What [`Table::write`](super::Table::write) made: the index and the short forms, which lie in `front`, and the lines; `None` when it
    /// cannot be.
    pub(crate) fn of(
        front: &Arc<Vec<u8>>,
        index: Range<usize>,
        heads: Range<usize>,
        lines: Part,
    ) -> Option<Self> {
        let is_within = |range: &Range<usize>| range.start <= range.end && range.end <= front.len();
        let base = Self {
            front: Arc::clone(front),
            index,
            heads,
            lines,
        };
        let fits = is_within(&base.index)
            && is_within(&base.heads)
            && base.index.len().is_multiple_of(ENTRY);
        let (head_end, line_end) = (base.end(base.len(), HEAD), base.end(base.len(), LINE));
        (fits && head_end <= base.heads.len() && line_end <= base.lines.len()).then_some(base)
    }

    pub(super) fn len(&self) -> usize {
        self.index.len() / ENTRY
    }

    /// Where the `field` of the record before number `at` ends.
    fn end(&self, at: usize, field: usize) -> usize {
        let Some(before) = at.checked_sub(1) else {
            return 0;
        };
        let from = self.index.start + before * ENTRY + field * 4;
        let four = self.front.get(from..from + 4);
        let four = four.and_then(|four| four.try_into().ok());
        four.map_or(0, |four| u32::from_le_bytes(four) as usize)
    }

    fn head_bytes(&self, range: Range<usize>) -> &[u8] {
        let start = self.heads.start;
        let bytes = self.front.get(start + range.start..start + range.end);
        bytes.unwrap_or_default()
    }

    pub(super) fn id(&self, at: usize) -> &str {
        std::str::from_utf8(self.id_bytes(at)).unwrap_or_default()
    }

    fn id_bytes(&self, at: usize) -> &[u8] {
        self.head_bytes(self.end(at, HEAD)..self.end(at + 1, NAME))
    }

    pub(super) fn entry<R: Record>(&self, at: usize) -> (&str, Found<'_, R>) {
        let line = KeptLine {
            part: &self.lines,
            range: self.end(at, LINE)..self.end(at + 1, LINE),
        };
        let head = self.head_bytes(self.end(at + 1, NAME)..self.end(at + 1, HEAD));
        (self.id(at), Found::Kept { line, head })
    }

    /// The rows in whose lines `pattern` stands, in order.
    pub(super) fn rows_with(&self, pattern: &regex::bytes::Regex) -> Vec<usize> {
        let lines = self.lines.whole();
        let (mut rows, mut from) = (Vec::new(), 0);
        while let Some(hit) = pattern.find_at(lines, from) {
            let row = self.row_at(hit.start());
            rows.push(row);
            from = self.end(row + 1, LINE).max(from + 1);
            if from > lines.len() {
                break;
            }
        }
        rows
    }

    /// The row whose line has byte `at` of all lines.
    fn row_at(&self, at: usize) -> usize {
        let row = self.first_after(|row| self.end(row + 1, LINE) <= at);
        row.min(self.len().saturating_sub(1))
    }

    /// Where `id` is, or would be.
    pub(super) fn position(&self, id: &str) -> Result<usize, usize> {
        // Names are in the order of their bytes, which need not be looked at as text.
        let at = self.first_after(|row| self.id_bytes(row) < id.as_bytes());
        match at < self.len() && self.id_bytes(at) == id.as_bytes() {
            true => Ok(at),
            false => Err(at),
        }
    }

    /// The first row that is not among those that come before.
    fn first_after(&self, comes_before: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match comes_before(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}
