//! Paths of a memory's files.

pub use windlass_repo::{
    MEMORY_FEEDBACK as FEEDBACK, MEMORY_IMPRESSIONS as IMPRESSIONS, MEMORY_INDEX as INDEX,
};

/// The memory's folder, relative to the repository root.
pub const FOLDER: &str = "memory";
/// Path of the project summary, the first thing to read.
pub const SUMMARY: &str = "memory/summary.md";

/// Path of the journal for a change to several files. It exists only while the change is being
/// written.
pub(crate) const JOURNAL: &str = "memory/.change.json";
/// Files outside the folder that a change to the memory may write.
const BESIDE: [&str; 2] = [".gitignore", "AGENTS.md"];

/// Returns true if a change to the memory may write `path`. Anyone could have committed the
/// journal, so recovery must not write any other file.
pub(crate) fn is_of_change(path: &str) -> bool {
    let is_inside = path.starts_with("memory/") && path != JOURNAL;
    is_inside || BESIDE.contains(&path)
}

/// Private paths, in the notation of ignore files. They must not be committed.
pub const PRIVATE: [&str; 5] = [
    "memory/private/",
    "memory/local/",
    "memory/raw/",
    "memory/transcripts/",
    "memory/**/*.secret.*",
];

/// Returns true if `path` is private and must not be shared.
#[must_use]
pub(crate) fn is_private(path: &str) -> bool {
    let in_folder = PRIVATE
        .iter()
        .any(|pattern| pattern.ends_with('/') && path.starts_with(pattern));
    let name = path.rsplit('/').next().unwrap_or(path);
    in_folder || (path.starts_with("memory/") && name.contains(".secret."))
}

/// Returns true if `path` is a temporary file left behind by an interrupted writer.
#[must_use]
pub(crate) fn is_leftover(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = name.strip_prefix(".tmp-");
    // Earlier versions used six random characters instead of sixteen.
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
