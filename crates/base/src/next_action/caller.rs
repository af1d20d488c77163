//! The callers to whom we suggest commands.

use super::{NextAction, shell_word};

/// The reader of the next actions, if it is not a shell at the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A shell outside of the repository, whose commands have to name this root.
    FromElsewhere(String),
    /// A shell in a subfolder of the repository, with the path up to the root, such as `../..`.
    /// File names in its commands are relative to the subfolder.
    FromBelow(String),
    /// A client that calls tools instead of commands.
    ByTools(Tools),
}

impl Caller {
    /// Returns the root as named by the caller, or `None` if commands need not name it.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::FromElsewhere(root) => Some(root),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => tools.root.as_deref(),
        }
    }

    /// Replaces each call of this program in `text` by an equivalent for this caller. Returns
    /// `None` if the text is fine as it is.
    #[must_use]
    pub fn told(&self, text: &str) -> Option<String> {
        match self {
            Self::FromElsewhere(root) => Some(name_root(text, root)),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => Some((tools.told)(text, self.root())),
        }
    }
}

/// Converts commands to tool calls, for callers without a shell.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The root as named by the caller, if at all.
    pub root: Option<String>,
    /// Converts a command to the equivalent tool call in the named repository, or returns `None` if
    /// there is no such tool.
    pub translate: fn(&NextAction, Option<&str>) -> Option<NextAction>,
    /// Replaces each command in backticks by the equivalent tool call.
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

/// Adds `--root` to each command of this program in `text`. We only find commands right after a
/// backtick, which is how our messages quote them.
#[must_use]
pub fn name_root(text: &str, root: &str) -> String {
    let root = shell_word(root);
    text.replace("`windlass ", &format!("`windlass --root {root} "))
}
