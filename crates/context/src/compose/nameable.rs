//! What may be named and said in a pack: nothing with a secret value.

use std::collections::BTreeSet;

use windlass_base::RepoPath;
use windlass_redact::redact_under;

/// The files that a pack may name, and those that it may not.
pub(super) fn nameable(files: Vec<RepoPath>) -> (Vec<RepoPath>, BTreeSet<RepoPath>) {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let all = names.join("\n");
    // Hardly any repository has one: all names are looked through at once first.
    if safe(&all) == all {
        return (files, BTreeSet::new());
    }
    let (named, unnameable): (Vec<_>, Vec<_>) = files.into_iter().partition(is_nameable);
    (named, unnameable.into_iter().collect())
}

/// Whether a pack may name a file.
pub(super) fn is_nameable(path: &RepoPath) -> bool {
    safe(path.as_str()) == path.as_str()
}

/// `text` without secret values.
pub(crate) fn safe(text: &str) -> String {
    redact_under(None, text)
}

/// `text` without secret values, one of which it is itself where `name` says so.
pub(super) fn safe_under(name: &str, text: &str) -> String {
    redact_under(Some(name), text)
}
