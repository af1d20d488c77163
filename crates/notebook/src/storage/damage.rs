//! Describes damage to the notebook for the user.

use std::fmt;
use std::path::PathBuf;

use windlass_base::counted;

/// Maximum number of damaged parts to describe in a message. The user will open the file anyway.
const MAX_NAMED: usize = 5;

/// Damage to a notebook's file or history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The damaged file or folder.
    pub path: PathBuf,
    /// The unusable parts, in file order.
    pub lost: Vec<Lost>,
    /// State of the damaged file.
    pub state: DamageState,
}

/// State of a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageState {
    /// Some parts are unusable, but they stay in the file even after a write. For example, an
    /// anchor may lack a field.
    Kept,
    /// The file as a whole isn't valid JSON. The next change moves it aside, and writes a new file
    /// with the readable parts.
    Broken,
    /// The file was moved aside, under another name.
    SetAside,
    /// The folder contains revisions of another repository that was at this location before.
    OfAnother,
}

/// An unusable part of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// First line of the part, 1-based.
    pub line: usize,
    /// Column in bytes, 1-based.
    pub column: usize,
    /// Description of the part and its problem.
    pub what: String,
}

impl Lost {
    pub(crate) fn at(text: &[u8], at: usize, what: String) -> Self {
        let before = &text[..at.min(text.len())];
        let start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        Self {
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before.len() - start + 1,
            what,
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.what
        )
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let parts = counted(self.lost.len(), "part");
        match self.state {
            DamageState::OfAnother => write!(
                f,
                "`{path}` holds superseded revisions of the repository that was in this place before"
            )?,
            DamageState::Kept => write!(f, "{parts} of the notebook `{path}` cannot be used:")?,
            DamageState::Broken => write!(f, "{parts} of the notebook `{path}` cannot be read:")?,
            DamageState::SetAside if self.lost.is_empty() => {
                write!(f, "a damaged notebook was set aside as `{path}`")?;
            }
            DamageState::SetAside => write!(
                f,
                "a damaged notebook was set aside as `{path}`; {parts} of it could not be read:"
            )?,
        }
        for lost in self.lost.iter().take(MAX_NAMED) {
            write!(f, "\n  {lost}")?;
        }
        if let Some(more) = self
            .lost
            .len()
            .checked_sub(MAX_NAMED)
            .filter(|more| *more > 0)
        {
            write!(f, "\n  … {more} more")?;
        }
        f.write_str("\n")?;
        f.write_str(match self.state {
            DamageState::OfAnother => {
                "they are ignored; remove them when they are no longer needed"
            }
            DamageState::Kept => {
                "the rest is used; fix the file, or save or delete the entry with `windlass notebook edit`"
            }
            DamageState::Broken => {
                "the rest is used; fix the file, or restore a revision with `windlass notebook history` and `rollback`; the next change sets \
                 the file aside and keeps what could be read"
            }
            DamageState::SetAside => {
                "save what you need of it again, or restore a revision with `windlass notebook history` and `rollback`; then \
                 remove that file"
            }
        })
    }
}
