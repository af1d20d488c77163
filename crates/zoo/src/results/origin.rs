use serde::{Deserialize, Serialize};
use windlass_base::shell_word;

/// A user's repository at the time of the measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The name of the folder, without the path to it.
    pub name: String,
    /// The commit that was checked out, or `None` if there was none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The file of cases, as the user named it. `None` if the questions come from commit messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<String>,
}

impl Origin {
    /// Returns the name and the commit in words.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.commit {
            Some(commit) => {
                let short: String = commit.chars().take(10).collect();
                format!("{} at commit {short}", self.name)
            }
            None => self.name.clone(),
        }
    }

    /// The options for measuring this repository again, when called in its folder.
    pub(super) fn typed(&self) -> String {
        let cases = self.cases.as_deref();
        let cases = cases.map(|file| format!(" --cases {}", shell_word(file)));
        format!(" --repo .{}", cases.unwrap_or_default())
    }
}
