//! Finds the lines of the files that an answer names. This is what the answer costs to read.

use windlass_base::RepoPath;

use crate::recipe::Files;
use crate::system::{Answer, Ask};

/// The files that every system gets, and other files that an answer names.
///
/// The latter may be ignored, hidden, in a worktree, or too large for plain tools. If we ignored
/// them, it would not cost anything to name such files.
pub(crate) struct Texts<'a> {
    given: &'a Files,
    beside: Files,
}

impl<'a> Texts<'a> {
    /// Just the files that every system gets.
    pub(crate) fn given(given: &'a Files) -> Self {
        Self {
            given,
            beside: Files::new(),
        }
    }

    /// Adds the files that `answer` names.
    pub(crate) fn of(ask: &Ask<'a>, answer: &Answer) -> Self {
        let mut texts = Self::given(ask.files);
        for file in answer.leads_to() {
            if texts.lines(file).is_none()
                && let Some(lines) = beside(ask, file)
            {
                texts.beside.insert(file.to_owned(), lines);
            }
        }
        texts
    }

    /// Returns the lines of a file, or `None` if we do not know the file.
    pub(crate) fn lines(&self, file: &str) -> Option<&[String]> {
        let lines = self.given.get(file).or_else(|| self.beside.get(file));
        lines.map(Vec::as_slice)
    }
}

/// Returns the lines of a file that not every system gets, or `None` if we cannot read it as text.
pub(crate) fn beside(ask: &Ask<'_>, file: &str) -> Option<Vec<String>> {
    let path = RepoPath::parse(file).ok()?;
    let source = ask.workspace.site().snapshot().read(&path).ok()?;
    if source.why_no_text().is_some() {
        return None;
    }
    let text = String::from_utf8_lossy(&source.shown().bytes()).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}
