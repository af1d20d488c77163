//! Redacts the names and texts in a pack.

use std::collections::BTreeSet;

use windlass_base::RepoPath;
use windlass_redact::redact_under;

/// Splits files into those a pack may name, and those whose names contain a secret value.
pub(super) fn nameable(files: Vec<RepoPath>) -> (Vec<RepoPath>, BTreeSet<RepoPath>) {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let all = names.join("\n");
    // Secret values in names are rare, so one scan over all names is usually enough.
    if safe(&all) == all {
        return (files, BTreeSet::new());
    }
    let (named, unnameable): (Vec<_>, Vec<_>) = files.into_iter().partition(is_nameable);
    (named, unnameable.into_iter().collect())
}

/// Returns true if a pack may name the file.
pub(super) fn is_nameable(path: &RepoPath) -> bool {
    safe(path.as_str()) == path.as_str()
}

/// Returns `text` with secret values replaced.
pub(crate) fn safe(text: &str) -> String {
    redact_under(None, text)
}

/// Returns `text` like [`safe`], as the value of a field called `name`. That name alone may mark
/// the value as secret.
pub(super) fn safe_under(name: &str, text: &str) -> String {
    redact_under(Some(name), text)
}
