//! Recognizes files about other files (tests, changelogs, records) by their paths.
//!
//! A question such as "where are retries handled?" should lead to the implementation. Tests and
//! changelogs use the same words, often more of them, so if we ranked files by words alone, they
//! would come first.
//!
//! All of this is guessed from names. That is good enough for a ranking, but for nothing else.

/// Memory records, one per line.
pub const MEMORY_IMPRESSIONS: &str = "memory/impressions.jsonl";
/// Outcomes of earlier recalls.
pub const MEMORY_FEEDBACK: &str = "memory/recall-feedback.jsonl";
/// Memory records, listed by topic.
pub const MEMORY_INDEX: &str = "memory/index.md";

/// The role of a file about other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// A test, fixture, translation, vendored file, form or memory record. Such a file uses the
    /// words of other files without implementing anything, so it is a poor answer to a question
    /// about behavior. (Memory records can be found with `memory recall`.)
    Beside,
    /// A changelog or a list of records, which mentions every subject but implements none of them.
    Changes,
}

/// Returns the role of the file at `path`, or `None` if the file is just itself.
#[must_use]
pub fn role_of(path: &str) -> Option<FileRole> {
    match () {
        () if is_list_of_changes(path) || is_list_of_records(path) => Some(FileRole::Changes),
        () if is_other(path) || is_record(path) => Some(FileRole::Beside),
        () => None,
    }
}

fn parts(path: &str) -> (&str, &str, &str) {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    (folders, stem, ending)
}

/// True for a prose file with a name such as `CHANGES`, or in a folder with such a name. We require
/// prose, since `history.rs`, for example, is source code.
fn is_list_of_changes(path: &str) -> bool {
    const NAMES: [&str; 12] = [
        "changelog",
        "changelogs",
        "changelogd",
        "changes",
        "history",
        "news",
        "newsfragments",
        "releasehistory",
        "releasenotes",
        "releases",
        "relnotes",
        "whatsnew",
    ];
    let (folders, stem, _) = parts(path);
    let named = |name: &str| {
        // `Release-Notes` and `release_notes` are the same name here.
        let plain = name.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = plain.map(|c| c.to_ascii_lowercase()).collect();
        NAMES.contains(&plain.as_str())
    };
    is_prose(path) && (named(stem) || folders.split('/').any(named))
}

/// Returns true for Markdown, other markup, plain text, and files without an extension.
#[must_use]
pub fn is_prose(path: &str) -> bool {
    const ENDINGS: [&str; 8] = [
        "", "md", "markdown", "mdx", "rst", "txt", "adoc", "asciidoc",
    ];
    let (_, _, ending) = parts(path);
    let ending = ending.rsplit('.').next().unwrap_or_default();
    ENDINGS.iter().any(|one| one.eq_ignore_ascii_case(ending))
}

fn is_list_of_records(path: &str) -> bool {
    [MEMORY_INDEX, MEMORY_IMPRESSIONS, MEMORY_FEEDBACK].contains(&path)
}

/// True for a memory record. Notes and the summary do not count, since they describe the project
/// like any other document.
fn is_record(path: &str) -> bool {
    const FOLDERS: [&str; 4] = ["context", "decisions", "open-loops", "events"];
    let inside = path.strip_prefix("memory/");
    let (Some((folder, _)), Some((_, ending))) = (
        inside.and_then(|inside| inside.split_once('/')),
        path.rsplit_once('.'),
    ) else {
        return false;
    };
    ending.eq_ignore_ascii_case("md") && FOLDERS.contains(&folder)
}

/// Returns true for the template of an issue or pull request. Templates mention all kinds of
/// subjects without saying anything about them.
#[must_use]
pub fn is_form(path: &str) -> bool {
    const NAMES: [&str; 2] = ["issue_template", "pull_request_template"];
    let (folders, stem, _) = parts(path);
    let mut names = folders.split('/').chain([stem]);
    names.any(|name| NAMES.iter().any(|one| one.eq_ignore_ascii_case(name)))
}

fn is_other(path: &str) -> bool {
    const FOLDERS: [&str; 15] = [
        "test",
        "tests",
        "__tests__",
        "spec",
        "specs",
        "testdata",
        "testing",
        "fixtures",
        "bench",
        "benches",
        "locale",
        "locales",
        "i18n",
        "translations",
        "vendor",
    ];
    let (folders, stem, ending) = parts(path);
    let is_folder = |name: &str| FOLDERS.iter().any(|one| one.eq_ignore_ascii_case(name));
    // The mark comes before the last extension, as in `button.test.tsx`.
    let marks = |mark: &str| ending.split('.').rev().skip(1).any(|part| part == mark);
    folders.split('/').any(is_folder)
        || ["test", "tests"]
            .iter()
            .any(|one| one.eq_ignore_ascii_case(stem))
        || is_form(path)
        || marks("test")
        || marks("spec")
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "Test", "Tests", "Spec"]
            .iter()
            .any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_of_aside_and_source_paths() {
        for aside in [
            "tests/it/main.rs",
            "src/peer/pause_test.go",
            "app/idle.test.ts",
            "src/test/java/Totals.java",
            "TotalsTest.java",
            "test_total.py",
            "locales/en.yaml",
            "memory/decisions/backoff.md",
            ".github/PULL_REQUEST_TEMPLATE.md",
            ".github/ISSUE_TEMPLATE/bug.yml",
        ] {
            assert_eq!(role_of(aside), Some(FileRole::Beside), "{aside}");
        }
        for list in [
            "CHANGELOG.md",
            "CHANGES",
            "docs/release-notes.md",
            "docs/Whats_New.rst",
            "changelog.d/1234.fix.md",
            "HISTORY.md",
            "memory/index.md",
            "memory/impressions.jsonl",
        ] {
            assert_eq!(role_of(list), Some(FileRole::Changes), "{list}");
        }
        for source in [
            "src/testing_ground.rs",
            "src/latest.rs",
            "contest/main.go",
            "docs/guide.md",
            "attestation.py",
            "src/history.rs",
            "app/news/feed.py",
            "memory/summary.md",
            "memory/decisions/arena.rs",
            "src/memory/decisions/arena.md",
        ] {
            assert_eq!(role_of(source), None, "{source}");
        }
    }
}
