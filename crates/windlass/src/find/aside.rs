//! Files that speak of other things than they do themselves.

/// Whether what lies at `path` has the words of other files without doing what they say: tests and their data, texts for people,
/// lists of changes.
pub(super) fn is_aside(path: &str) -> bool {
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
    const STEMS: [&str; 7] = [
        "changelog",
        "changes",
        "history",
        "news",
        "releases",
        "test",
        "tests",
    ];
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_one_of =
        |list: &[&str], name: &str| list.iter().any(|one| one.eq_ignore_ascii_case(name));
    let stem = file.split('.').next().unwrap_or_default();
    let marks = |mark: &str| file.contains(&format!(".{mark}."));
    folders.split('/').any(|folder| is_one_of(&FOLDERS, folder))
        || is_one_of(&STEMS, stem)
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
            "CHANGELOG.md",
            "locales/en.yaml",
        ] {
            assert!(is_aside(aside), "{aside}");
        }
        for source in [
            "src/testing_ground.rs",
            "src/latest.rs",
            "contest/main.go",
            "docs/guide.md",
            "attestation.py",
        ] {
            assert!(!is_aside(source), "{source}");
        }
    }
}
