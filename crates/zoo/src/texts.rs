//! Looks up texts, since the cost of an answer depends on their size.

use windlass_base::RepoPath;

use crate::recipe::Files;
use crate::system::{Answer, Ask};

/// The lines of the files given to every system, and of further files named in an answer. Further
/// files may be ignored, hidden, in a worktree, or too large for plain tools. Without their lines,
/// naming them would cost nothing.
pub(crate) struct Texts<'a> {
    given: &'a Files,
    beside: Files,
}

impl<'a> Texts<'a> {
    /// Creates the texts from the files given to every system, and no others.
    pub(crate) fn given(given: &'a Files) -> Self {
        Self {
            given,
            beside: Files::new(),
        }
    }

    /// Creates the texts from the files given to every system and those named by `answer`.
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

    /// Returns the lines of `file`.
    pub(crate) fn lines(&self, file: &str) -> Option<&[String]> {
        let lines = self.given.get(file).or_else(|| self.beside.get(file));
        lines.map(Vec::as_slice)
    }
}

/// Returns the lines of a file that not every system gets, or `None` if it isn't a readable text
/// file.
pub(crate) fn beside(ask: &Ask<'_>, file: &str) -> Option<Vec<String>> {
    let path = RepoPath::parse(file).ok()?;
    let source = ask.workspace.site().snapshot().read(&path).ok()?;
    if source.why_no_text().is_some() {
        return None;
    }
    let text = String::from_utf8_lossy(&source.shown().bytes()).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}
