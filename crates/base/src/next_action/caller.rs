use super::{NextAction, shell_word};

/// Recipient of next actions, and their way of calling, if other than from the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Shell outside of the repository, which has to name its root as given here.
    FromElsewhere(String),
    /// Shell in a subfolder of the repository, with the path up to its root (`../..`), since file names are
    /// relative to the subfolder.
    FromBelow(String),
    /// Tool calls instead of a shell.
    ByTools(Tools),
}

impl Caller {
    /// Returns the root of the repository as the caller named it.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::FromElsewhere(root) => Some(root),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => tools.root.as_deref(),
        }
    }

    /// Replaces each call of this program in `text` by the form for this caller; `None` if it is unchanged.
    #[must_use]
    pub fn told(&self, text: &str) -> Option<String> {
        match self {
            Self::FromElsewhere(root) => Some(name_root(text, root)),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => Some((tools.told)(text, self.root())),
        }
    }
}

/// Tools available to a caller instead of commands.
#[derive(Debug, Clone)]
pub struct Tools {
    /// Root of the repository as the caller named it, if given.
    pub root: Option<String>,
    /// Converts a command to the equivalent tool call in the named repository; `None` if there is none.
    pub translate: fn(&NextAction, Option<&str>) -> Option<NextAction>,
    /// Replaces each command in backticks in a text by its tool call.
    pub told: fn(&str, Option<&str>) -> String,
}

impl PartialEq for Tools {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
            && std::ptr::fn_addr_eq(self.translate, other.translate)
            && std::ptr::fn_addr_eq(self.told, other.told)
    }
}

impl Eq for Tools {}

/// Replaces each command of this program in `text` by one that names the `root` of the repository.
#[must_use]
pub fn name_root(text: &str, root: &str) -> String {
    let root = shell_word(root);
    text.replace("`windlass ", &format!("`windlass --root {root} "))
}
