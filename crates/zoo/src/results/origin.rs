//! The measured user repository.

use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_base::shell_word;

use crate::subject::Subject;

/// A user's repository in its state during the measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The absolute path of its folder.
    pub root: String,
    /// The checked-out commit, or `None` if there's none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Absolute path of the file of cases, or `None` if the questions were mined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<String>,
    /// Identity of the repository and its questions, which doesn't depend on the path. `None` until
    /// we know the questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
}

impl Origin {
    /// Describes the repository by the name of its folder and its commit.
    #[must_use]
    pub fn place(&self) -> String {
        let name = Path::new(&self.root).file_name();
        let name = name.map_or_else(|| "/".into(), |name| name.to_string_lossy());
        match &self.commit {
            Some(commit) => {
                let short: String = commit.chars().take(10).collect();
                format!("{name} at commit {short}")
            }
            None => name.into_owned(),
        }
    }

    /// Returns the command-line options that select this repository again.
    pub(super) fn typed(&self) -> String {
        let cases = self.cases.as_deref();
        let cases = cases.map(|file| format!(" --cases {}", shell_word(file)));
        format!(
            " --repo {}{}",
            shell_word(&self.root),
            cases.unwrap_or_default()
        )
    }
}
