use serde_json::Value;

use super::{NextAction, shell_word};

/// Who is told what to call next, and how they make calls, where that is not plainly from the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// From a shell, and names the root of the repository, as here: from elsewhere any call is about another one.
    FromElsewhere(String),
    /// From a shell in a folder of the repository, with the way up from there (`../..`): calls that name files mean those
    /// of that folder otherwise.
    FromBelow(String),
    /// By tools, not from a shell.
    ByTools(Tools),
}

impl Caller {
    /// The root of the repository as the caller named it.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::FromElsewhere(root) => Some(root),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => tools.root.as_deref(),
        }
    }

    /// `text` with each call of this program in it as this caller makes it; nothing where it stays as it is.
    #[must_use]
    pub fn told(&self, text: &str) -> Option<String> {
        match self {
            Self::FromElsewhere(root) => Some(name_root(text, root)),
            Self::FromBelow(_) => None,
            Self::ByTools(tools) => Some((tools.told)(text, self.root())),
        }
    }
}

/// The tools that a caller has in place of commands.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The root of the repository as the caller named it, where they did.
    pub root: Option<String>,
    /// The call of a tool that does what a command would, in the repository that was named; nothing where there is
    /// none.
    pub translate: fn(&NextAction, Option<&str>) -> Option<NextAction>,
    /// A text with each command in it, in backticks, as the call of a tool.
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

/// `text` with each command of this program in it naming the `root` of the repository.
#[must_use]
pub fn name_root(text: &str, root: &str) -> String {
    let root = shell_word(&Value::from(root));
    text.replace("`windlass ", &format!("`windlass --root {root} "))
}
