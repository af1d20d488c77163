//! Cursors into lists.

use windlass_base::Digest;
use windlass_site::{Error, SiteError};

use super::cursor::Cursor;

/// A list that cursors lead into, as it is: to another one they do not lead.
#[derive(Debug, Clone, Copy)]
pub struct ListCursors {
    key: Digest,
    rows: usize,
}

impl ListCursors {
    /// Those of a list of so many rows, of which `key` is the digest.
    #[must_use]
    pub fn of(key: Digest, rows: usize) -> Self {
        Self { key, rows }
    }

    /// The first row of the page that `cursor` asks for, as it was printed; without one it is the first of all.
    ///
    /// # Errors
    /// When it is no cursor, or of another list.
    pub fn first_row(&self, cursor: Option<&str>) -> Result<usize, Error> {
        let Some(cursor) = cursor else {
            return Ok(0);
        };
        let cursor: Cursor = cursor.parse()?;
        let first = cursor.offset as usize;
        if cursor.key() != Cursor::key_of(&self.key) || first >= self.rows {
            return Err(SiteError::ListChanged.into());
        }
        Ok(first)
    }

    /// The cursor of the page that begins at row `at`.
    #[must_use]
    pub fn at(&self, at: usize) -> String {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        Cursor::new(&self.key, 0, at).to_string()
    }
}
