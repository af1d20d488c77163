//! Files that speak of other things than they do themselves, by their paths.

/// One line for each thing that the memory of a repository holds.
pub const MEMORY_IMPRESSIONS: &str = "memory/impressions.jsonl";
/// The outcomes of recalls of that memory.
pub const MEMORY_FEEDBACK: &str = "memory/recall-feedback.jsonl";
/// A map from topics to records of that memory.
pub const MEMORY_INDEX: &str = "memory/index.md";

/// The role of such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Tests and their data, translations, what somebody else wrote, forms to be filled in: it has the words of other files without doing what they say. So has
    /// a record of the memory, which `memory recall` finds.
    Beside,
    /// A list of changes, or of records: somebody wrote one line about anything that was ever asked, in the words in which it is asked, and
    /// what does it stands elsewhere.
    Changes,
}

/// The role of what lies at `path`, if it speaks of other things than it does itself.
#[must_use]
pub fn role_of(path: &str) -> Option<FileRole> {
    match () {
        () if is_list_of_changes(path) || is_list_of_records(path) => Some(FileRole::Changes),
        () if is_other(path) || is_record(path) => Some(FileRole::Beside),
        () => None,
    }
}

/// The name of a file in its folders, and its ending.
fn parts(path: &str) -> (&str, &str, &str) {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    (folders, stem, ending)
}

/// Lists of changes go by a few names, as one file or a folder of them, and are prose: `history.rs` is none.
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
    const PROSE: [&str; 8] = [
        "", "md", "markdown", "mdx", "rst", "txt", "adoc", "asciidoc",
    ];
    let (folders, stem, ending) = parts(path);
    let named = |name: &str| {
        let plain = name.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = plain.map(|c| c.to_ascii_lowercase()).collect();
        NAMES.contains(&plain.as_str())
    };
    let ending = ending.rsplit('.').next().unwrap_or_default();
    let is_prose = PROSE.iter().any(|one| one.eq_ignore_ascii_case(ending));
    is_prose && (named(stem) || folders.split('/').any(named))
}

fn is_list_of_records(path: &str) -> bool {
    [MEMORY_INDEX, MEMORY_IMPRESSIONS, MEMORY_FEEDBACK].contains(&path)
}

/// A record of the memory; notes and the summary are about the project, as any document.
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

/// True if it is a form for what somebody wants to say, as sites of repositories show them: it asks for anything that may be said.
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
    fn tests_texts_and_lists_are_told_from_what_they_speak_of() {
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
