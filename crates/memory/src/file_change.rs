use std::borrow::Cow;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use crate::texts::layout::{FEEDBACK, IMPRESSIONS};
use crate::texts::line_bytes;

/// A file as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub path: RepoPath,
    /// Its text before; none where it was not there.
    pub before: Option<Arc<Source>>,
    /// Its text afterwards.
    pub text: String,
}

impl Change {
    /// What the file was, as it lies on the disk.
    #[must_use]
    pub fn bytes_before(&self) -> Option<Cow<'_, [u8]>> {
        let before = self.before.as_ref()?;
        Some(match self.has_odd_bytes() {
            true => line_bytes::of_text(before.text()),
            false => Cow::Borrowed(before.text().as_bytes()),
        })
    }

    /// Whether bytes that are no UTF-8 stand in its text as characters.
    #[must_use]
    pub(crate) fn has_odd_bytes(&self) -> bool {
        let before = self.before.as_ref();
        let is_lines = matches!(self.path.as_str(), IMPRESSIONS | FEEDBACK);
        is_lines && before.is_some_and(|before| line_bytes::has_mark(before.text()))
    }
}
