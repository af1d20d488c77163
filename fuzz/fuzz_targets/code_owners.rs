//! `CODEOWNERS`: a file without rules has no owners, and an appended rule for everything always
//! wins.

use windlass_repo::CodeOwners;

const PATHS: [&str; 4] = ["a", "src/main.rs", "docs/a b.md", "deep/er/\u{e9}/x.y"];

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let owners = CodeOwners::read(&text);
    let last = CodeOwners::read(&format!("{text}\n* @last\n"));
    for path in PATHS {
        if !owners.of(path).is_empty() {
            assert!(text.lines().any(CodeOwners::names_somebody) || !text.contains('@'));
        }
        assert_eq!(last.of(path), ["@last"], "{path}");
    }
}
