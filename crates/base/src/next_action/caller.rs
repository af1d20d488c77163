use super::{NextAction, shell_word};

/// The caller next actions are formatted for, unless it's a shell in the repository root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A shell outside of the repository. Its commands must name the root, given here.
    FromElsewhere(String),
    /// A shell in a subfolder of the repository, with the path up to the root (`../..`). File names
    /// in its commands are relative to the subfolder.
    FromBelow(String),
    /// A client that calls tools instead of running commands.
    ByTools(Tools),
}

impl Caller {
    /// Returns the repository's root as named by the caller.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::FromElsewhere(root) => Some(root),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => tools.root.as_deref(),
        }
    }

    /// Replaces each call of this program in `text` by its form for this caller. Returns `None` if
    /// the text doesn't change.
    #[must_use]
    pub fn told(&self, text: &str) -> Option<String> {
        match self {
            Self::FromElsewhere(root) => Some(name_root(text, root)),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => Some((tools.told)(text, self.root())),
        }
    }
}

/// Conversion of commands to tool calls, for callers without a shell.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The repository's root as named by the caller, if given.
    pub root: Option<String>,
    /// Converts a command to the equivalent tool call in the named repository. Returns `None` if
    /// there is none.
    pub translate: fn(&NextAction, Option<&str>) -> Option<NextAction>,
    /// Replaces each command in backticks in a text by the equivalent tool call.
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

/// Adds `--root` with the repository `root` to each command of this program in `text`.
#[must_use]
pub fn name_root(text: &str, root: &str) -> String {
    let root = shell_word(root);
    text.replace("`windlass ", &format!("`windlass --root {root} "))
}
