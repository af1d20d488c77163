//! Redacts the names and texts in a pack.

use std::collections::BTreeSet;

use windlass_base::RepoPath;
use windlass_redact::redact_under;

/// Splits off the files that have a secret in their name, because a pack must not name them.
pub(super) fn nameable(files: Vec<RepoPath>) -> (Vec<RepoPath>, BTreeSet<RepoPath>) {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let all = names.join("\n");
    // There's hardly ever a secret in a name, so try all names at once first.
    if safe(&all) == all {
        return (files, BTreeSet::new());
    }
    let (named, unnameable): (Vec<_>, Vec<_>) = files.into_iter().partition(is_nameable);
    (named, unnameable.into_iter().collect())
}

pub(super) fn is_nameable(path: &RepoPath) -> bool {
    safe(path.as_str()) == path.as_str()
}

pub(crate) fn safe(text: &str) -> String {
    redact_under(None, text)
}

/// Like [`safe`], but for a field. A value may be secret just because the field is called
/// `password`, for example.
pub(super) fn safe_under(name: &str, text: &str) -> String {
    redact_under(Some(name), text)
}
