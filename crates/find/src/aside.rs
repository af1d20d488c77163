//! Files that speak of other things than they do themselves.

use windlass_memory::{FEEDBACK, IMPRESSIONS, INDEX, RecordKind};

/// What such a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// Tests and their data, translations, what somebody else wrote, forms to be filled in: it has the words of other files without doing what they say. So has
    /// a record of the memory, which `memory recall` finds.
    Other,
    /// A list of changes, or of records: somebody wrote one line about anything that was ever asked, in the words in which it is asked, and
    /// what does it stands elsewhere.
    Changes,
}

/// What lies at `path`, if it speaks of other things than it does itself.
pub fn aside(path: &str) -> Option<Aside> {
    match () {
        () if is_list_of_changes(path) || is_list_of_records(path) => Some(Aside::Changes),
        () if is_other(path) || is_record(path) => Some(Aside::Other),
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
    [INDEX, IMPRESSIONS, FEEDBACK].contains(&path)
}

/// Notes and the summary are about the project, as any document.
fn is_record(path: &str) -> bool {
    use RecordKind::{Context, Decision, Event, OpenLoop};
    matches!(
        RecordKind::of_path(path),
        Some(Context | Decision | OpenLoop | Event)
    )
}

/// A form for what somebody wants to say, as sites of repositories show them: it asks for anything that may be said.
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
            assert_eq!(super::aside(aside), Some(Aside::Other), "{aside}");
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
            assert_eq!(aside(list), Some(Aside::Changes), "{list}");
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
            assert_eq!(aside(source), None, "{source}");
        }
    }
}
