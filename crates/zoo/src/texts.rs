//! The texts that answers are weighed by.

use windlass_base::RepoPath;

use crate::recipe::Files;
use crate::system::{Answer, Ask};

/// The lines of files: those that everybody is given, and those that an answer names besides (what an ignore file leaves out, a worktree,
/// a hidden folder, a file that is too large to be given to plain tools), so that these cost what they weigh.
pub(crate) struct Texts<'a> {
    given: &'a Files,
    beside: Files,
}

impl<'a> Texts<'a> {
    /// Those that everybody is given, alone.
    pub(crate) fn given(given: &'a Files) -> Self {
        Self {
            given,
            beside: Files::new(),
        }
    }

    /// Those that everybody is given, and those that `answer` names besides.
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

    /// The lines of `file`.
    pub(crate) fn lines(&self, file: &str) -> Option<&[String]> {
        let lines = self.given.get(file).or_else(|| self.beside.get(file));
        lines.map(Vec::as_slice)
    }
}

/// The lines of a file that nobody is given; nothing where it is no text, or none that may be read.
pub(crate) fn beside(ask: &Ask<'_>, file: &str) -> Option<Vec<String>> {
    let path = RepoPath::parse(file).ok()?;
    let source = ask.workspace.site().snapshot().read(&path).ok()?;
    if source.why_no_text().is_some() {
        return None;
    }
    let text = String::from_utf8_lossy(&source.shown().bytes()).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}
