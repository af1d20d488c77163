//! Cursors for plain lists, such as a list of anchors.

use windlass_base::Digest;
use windlass_site::{Error, SiteError};

use super::cursor::Cursor;

/// Creates and checks the cursors of a list. They become invalid as soon as the list changes, since
/// a row number would then mean another row.
#[derive(Debug, Clone, Copy)]
pub struct ListCursors {
    key: Digest,
    rows: usize,
}

impl ListCursors {
    /// Creates the cursors for a list with `rows` rows and the digest `key`.
    #[must_use]
    pub fn of(key: Digest, rows: usize) -> Self {
        Self { key, rows }
    }

    /// Returns the first row of the page at `cursor`, or 0 without a cursor.
    ///
    /// # Errors
    /// Returns an error if the text is not a cursor, or if the cursor belongs to another list.
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

    /// Returns the cursor for the page beginning at row `at`.
    #[must_use]
    pub fn at(&self, at: usize) -> String {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        Cursor::new(&self.key, 0, at).to_string()
    }
}
