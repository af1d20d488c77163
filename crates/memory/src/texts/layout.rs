//! Paths of a memory's files.

pub use windlass_repo::{
    MEMORY_FEEDBACK as FEEDBACK, MEMORY_IMPRESSIONS as IMPRESSIONS, MEMORY_INDEX as INDEX,
};

/// The memory's folder, as a path in the repository.
pub const FOLDER: &str = "memory";
/// The summary of the project. Agents should read it first.
pub const SUMMARY: &str = "memory/summary.md";

/// The journal, which only exists while a change to several files is being written.
pub(crate) const JOURNAL: &str = "memory/.change.json";
const BESIDE: [&str; 2] = [".gitignore", "AGENTS.md"];

/// True if a change to the memory may write `path`. Recovery must check this, because anyone could
/// have committed a forged journal.
pub(crate) fn is_of_change(path: &str) -> bool {
    let is_inside = path.starts_with("memory/") && path != JOURNAL;
    is_inside || BESIDE.contains(&path)
}

/// Paths that must not be committed, as patterns of an ignore file.
pub const PRIVATE: [&str; 5] = [
    "memory/private/",
    "memory/local/",
    "memory/raw/",
    "memory/transcripts/",
    "memory/**/*.secret.*",
];

#[must_use]
pub(crate) fn is_private(path: &str) -> bool {
    let in_folder = PRIVATE
        .iter()
        .any(|pattern| pattern.ends_with('/') && path.starts_with(pattern));
    let name = path.rsplit('/').next().unwrap_or(path);
    in_folder || (path.starts_with("memory/") && name.contains(".secret."))
}

/// True for a temporary file that an interrupted writer has left behind.
#[must_use]
pub(crate) fn is_leftover(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = name.strip_prefix(".tmp-");
    // Earlier versions used six random characters, newer ones sixteen.
    let is_ours = |rest: &str| {
        matches!(rest.len(), 6 | 16) && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    path.starts_with("memory/") && rest.is_some_and(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftover_needs_exact_name() {
        assert!(is_leftover("memory/decisions/.tmp-a1B2c3"));
        assert!(is_leftover("memory/.tmp-0123456789abcdef"));
        for own in [
            "src/.tmp-a1B2c3",
            "memory/.tmp-a1B2c3.md",
            "memory/.tmp-abc",
            "memory/tmp-a1B2c3",
        ] {
            assert!(!is_leftover(own), "{own}");
        }
    }

    #[test]
    fn private_paths_match_patterns() {
        for private in [
            "memory/private/a.md",
            "memory/raw/b/c.txt",
            "memory/decisions/x.secret.md",
        ] {
            assert!(is_private(private), "{private}");
        }
        for shared in [
            "memory/summary.md",
            "memory/privateer.md",
            "src/x.secret.rs",
            "memory/a.secret",
        ] {
            assert!(!is_private(shared), "{shared}");
        }
    }
}
