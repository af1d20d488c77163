use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::RepoPath;
use windlass_repo::{ListQuery, Withheld};

/// Where to look: the part of the input that `files` and `search` share.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Scope {
    /// Folders and files to stay within; the whole repository if empty.
    #[serde(default)]
    pub(crate) paths: Vec<RepoPath>,
    /// Globs as `rg -g` takes them: `*.rs`, `!target/**`.
    #[serde(default)]
    pub(crate) globs: Vec<String>,
    /// Whether to look at hidden files and folders, such as `.github`.
    #[serde(default)]
    pub(crate) hidden: bool,
}

impl Scope {
    pub(crate) fn query(self, limit: Option<u32>) -> ListQuery {
        ListQuery {
            paths: self.paths,
            globs: self.globs,
            hidden: self.hidden,
            limit,
        }
    }
}

/// What a person should know about files that were found and not looked into.
pub(crate) fn withheld_note(withheld: Withheld) -> Option<String> {
    let parts: Vec<String> = [
        (withheld.secret, "kept secret"),
        (withheld.not_utf8, "with a name that is not UTF-8"),
        (withheld.too_large, "too large"),
        (withheld.unreadable, "not readable"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| format!("{count} {why}"))
    .collect();
    (!parts.is_empty()).then(|| format!("files left out: {}", parts.join(", ")))
}
