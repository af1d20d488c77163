//! Records of a checkpoint, read in place without decoding the whole table.

use std::ops::Range;
use std::sync::Arc;

use super::Part;
use super::record_table::{Found, StoredLine};
use crate::stored_record::Record;

/// Size of an index entry in bytes. An entry holds the end offsets of the id, the short form and the line, each as a
/// `u32`.
const ENTRY: usize = 12;
/// Position of each offset within an index entry.
const NAME: usize = 0;
const HEAD: usize = 1;
const LINE: usize = 2;

/// The records of one table in a checkpoint, sorted by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    /// Front parts of the checkpoint, which hold the index and the short forms of all tables.
    front: Arc<Vec<u8>>,
    /// Range of the index within `front`.
    index: Range<usize>,
    /// Range of the ids and short forms within `front`.
    pub(super) heads: Range<usize>,
    pub(super) lines: Part,
}

impl Base {
    /// Restores a table that [`Table::write`](super::Table::write) produced. `front` holds the index and the short
    /// forms, and `lines` the records. Returns `None` if the ranges are inconsistent.
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

    /// Returns the end of `field` in the row before `at`, which is where that field begins in row `at`.
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
        let line = StoredLine {
            part: &self.lines,
            range: self.end(at, LINE)..self.end(at + 1, LINE),
        };
        let head = self.head_bytes(self.end(at + 1, NAME)..self.end(at + 1, HEAD));
        (self.id(at), Found::Stored { line, head })
    }

    /// Returns the indices of the rows whose lines match `pattern`, in order.
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

    /// Returns the row whose line contains byte `at`, counted from the start of all lines.
    fn row_at(&self, at: usize) -> usize {
        let row = self.first_after(|row| self.end(row + 1, LINE) <= at);
        row.min(self.len().saturating_sub(1))
    }

    /// Returns the row of `id` as `Ok`, or the row at which it would be inserted as `Err`.
    pub(super) fn position(&self, id: &str) -> Result<usize, usize> {
        // Rows are sorted by the bytes of their ids, so a binary search works.
        let at = self.first_after(|row| self.id_bytes(row) < id.as_bytes());
        match at < self.len() && self.id_bytes(at) == id.as_bytes() {
            true => Ok(at),
            false => Err(at),
        }
    }

    /// Returns the first row for which `comes_before` is false.
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
