use serde_json::Value;

use crate::next_action::shell_word;

/// Who is told what to call next, and how they make calls, where that is not plainly from the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// From elsewhere, and names the root of the repository, as here: any call is about another one otherwise.
    FromElsewhere(String),
    /// From a folder of the repository, with the way up from there (`../..`): calls that name files mean those
    /// of that folder otherwise.
    FromBelow(String),
}

impl Caller {
    /// The root of the repository as the caller named it.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::FromElsewhere(root) => Some(root),
            Self::FromBelow(_) => None,
        }
    }
}

/// `text` with each command of this program in it naming the `root` of the repository.
#[must_use]
pub fn name_root(text: &str, root: &str) -> String {
    let root = shell_word(&Value::from(root));
    text.replace("`windlass ", &format!("`windlass --root {root} "))
}
