//! Files about the project rather than the work: licenses, lists of authors, changelogs, lock
//! files, pictures, issue forms, and translated introductions. They mention all sorts of things,
//! and so have some words in common with any goal.

use std::collections::BTreeSet;

use crate::compose::goal_words::words_of;
use windlass_base::RepoPath;

use windlass_repo::is_form;

/// Names without an extension, in lower case and with underscores.
const NAMES: [&str; 17] = [
    "authors",
    "change_log",
    "changelog",
    "changes",
    "code_of_conduct",
    "contributors",
    "copying",
    "copyright",
    "history",
    "licence",
    "license",
    "maintainers",
    "news",
    "notice",
    "release_notes",
    "releases",
    "security",
];
/// Extensions of documents. With any other extension, a file called like that is code.
const ENDINGS: [&str; 7] = ["", "adoc", "markdown", "md", "org", "rst", "txt"];
/// Lock files whose names do not end with `.lock`.
const LOCKS: [&str; 5] = [
    "bun.lockb",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
];

/// Pictures, sounds and fonts.
const PICTURES: [&str; 20] = [
    "avif", "bmp", "eot", "gif", "icns", "ico", "jpeg", "jpg", "mp3", "mp4", "otf", "pdf", "png",
    "psd", "svg", "ttf", "webm", "webp", "woff", "woff2",
];

/// True for a file that is not about the work. If one of the `wanted` words is about the file, it
/// is part of the work after all, unless it is a lock file.
pub(super) fn is_aside(path: &RepoPath, wanted: &BTreeSet<String>) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_lock = LOCKS.contains(&name.as_str()) || ending == "lock";
    if is_lock {
        return true;
    }
    let stem = stem.replace(['-', '.'], "_");
    let speaks_of = |text: &str| words_of(text).iter().any(|word| wanted.contains(word));
    if is_form(path.as_str()) {
        return !speaks_of("template");
    }
    if PICTURES.contains(&ending) {
        return !speaks_of(&stem);
    }
    if ENDINGS.contains(&ending) && is_translated_readme(&stem) {
        return !speaks_of("translation");
    }
    let is_it = |known: &&str| {
        let rest = stem.strip_prefix(known);
        // There may be several licenses, e.g. `LICENSE-MIT`.
        let is_one_of = known.starts_with("licen") && rest.is_some_and(|it| it.starts_with('_'));
        rest == Some("") || is_one_of
    };
    let own = NAMES.iter().find(|known| is_it(known));
    let is_named = own.is_some_and(|own| speaks_of(own));
    ENDINGS.contains(&ending) && own.is_some() && !is_named
}

/// True for `readme_zh`, `readme_pt_br` and the like.
fn is_translated_readme(stem: &str) -> bool {
    let Some(language) = stem.strip_prefix("readme_") else {
        return false;
    };
    let mut parts = language.split('_');
    let is_code = |part: &str, most: usize| {
        (2..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let language = parts.next().is_some_and(|part| is_code(part, 2));
    let region = parts.next().is_none_or(|part| is_code(part, 4));
    language && region && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_work_are_told_by_their_names() {
        let none = BTreeSet::new();
        for (path, wanted) in [
            ("LICENSE", true),
            ("docs/license-mit.txt", true),
            ("AUTHORS.rst", true),
            ("CODE_OF_CONDUCT.md", true),
            ("ChangeLog", true),
            ("History.md", true),
            ("uv.lock", true),
            ("web/package-lock.json", true),
            ("doc/logo-header.svg", true),
            ("doc/README-zh.md", true),
            ("README.pt-BR.md", true),
            ("readme_setup.md", false),
            (".github/PULL_REQUEST_TEMPLATE.md", true),
            (".github/ISSUE_TEMPLATE/bug-report.yml", true),
            (".github/workflows/ci.yml", false),
            ("src/templates/issue.html", false),
            ("README.md", false),
            ("src/history.rs", false),
            ("lib/changes.js", false),
            ("license_check.py", false),
            ("news_reader.md", false),
            ("docs/guide.md", false),
            ("package.json", false),
        ] {
            let path = RepoPath::parse(path).unwrap();
            assert_eq!(is_aside(&path, &none), wanted, "{path}");
        }
        let changelog = RepoPath::parse("CHANGELOG.md").unwrap();
        assert!(!is_aside(&changelog, &words_of("say so in the changelog")));
    }
}
