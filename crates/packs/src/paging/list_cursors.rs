//! Cursors for plain lists, e.g. of anchors.

use windlass_base::Digest;
use windlass_site::{Error, SiteError};

use super::cursor::Cursor;

/// Creates and checks a list's cursors. If the list changes, they become invalid, because a row's
/// number could belong to another row then.
#[derive(Debug, Clone, Copy)]
pub struct ListCursors {
    key: Digest,
    rows: usize,
}

impl ListCursors {
    /// Creates the cursors for a list with this digest and number of rows.
    #[must_use]
    pub fn of(key: Digest, rows: usize) -> Self {
        Self { key, rows }
    }

    /// The first row of the page. Without a cursor, it is the first row of the list.
    ///
    /// # Errors
    /// Returns an error if this is not a cursor, or if it is for another list.
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

    /// The cursor for the page that starts at row `at`.
    #[must_use]
    pub fn at(&self, at: usize) -> String {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        Cursor::new(&self.key, 0, at).to_string()
    }
}
