use std::borrow::Cow;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use crate::texts::layout::{FEEDBACK, IMPRESSIONS};
use crate::texts::line_bytes;

/// Effect of a change on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file to write. It's in the memory's folder, except for `.gitignore` and `AGENTS.md`.
    pub path: RepoPath,
    /// The contents before the change, or `None` for a new file.
    pub before: Option<Arc<Source>>,
    /// Text after the change.
    pub text: String,
}

impl Change {
    /// Returns the bytes of the file on disk before the change. They're the same as the text in
    /// `before`, unless the file isn't valid UTF-8.
    #[must_use]
    pub fn bytes_before(&self) -> Option<Cow<'_, [u8]>> {
        let before = self.before.as_ref()?;
        Some(match self.has_odd_bytes() {
            true => line_bytes::of_text(before.text()),
            false => Cow::Borrowed(before.text().as_bytes()),
        })
    }

    /// True if the old text has placeholder characters in place of bytes that aren't valid UTF-8.
    #[must_use]
    pub(crate) fn has_odd_bytes(&self) -> bool {
        let before = self.before.as_ref();
        let is_lines = matches!(self.path.as_str(), IMPRESSIONS | FEEDBACK);
        is_lines && before.is_some_and(|before| line_bytes::has_mark(before.text()))
    }
}
