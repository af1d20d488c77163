use std::borrow::Cow;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use crate::texts::layout::{FEEDBACK, IMPRESSIONS};
use crate::texts::line_bytes;

/// A pending change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file's path, which may be outside the memory.
    pub path: RepoPath,
    /// Contents before the change, or `None` if the file is new.
    pub before: Option<Arc<Source>>,
    /// Text after the change.
    pub text: String,
}

impl Change {
    /// Returns the file's bytes on disk before the change.
    #[must_use]
    pub fn bytes_before(&self) -> Option<Cow<'_, [u8]>> {
        let before = self.before.as_ref()?;
        Some(match self.has_odd_bytes() {
            true => line_bytes::of_text(before.text()),
            false => Cow::Borrowed(before.text().as_bytes()),
        })
    }

    /// Returns true if the old text contains placeholder characters for bytes that aren't UTF-8.
    #[must_use]
    pub(crate) fn has_odd_bytes(&self) -> bool {
        let before = self.before.as_ref();
        let is_lines = matches!(self.path.as_str(), IMPRESSIONS | FEEDBACK);
        is_lines && before.is_some_and(|before| line_bytes::has_mark(before.text()))
    }
}
