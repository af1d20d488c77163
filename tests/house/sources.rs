//! The workspace's source files.

use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders that have no sources of ours.
const SKIPPED: &[&str] = &["target", "node_modules", "fixtures", "snapshots"];

/// Returns the Rust files below `folder` in path order, without following links.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_symlink() {
                continue;
            }
            let path = entry.path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() {
                if !SKIPPED.contains(&&*name) && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

/// Returns the name of the crate that a file belongs to: `crates/NAME/…`, or the top folder.
pub(crate) fn crate_of(path: &Path) -> String {
    let shown = shown(path);
    let mut parts = shown.split('/');
    let top = parts.next().unwrap();
    match (top, parts.next()) {
        ("crates", Some(name)) => name.to_owned(),
        _ => top.to_owned(),
    }
}

/// Returns true if the file at `path` is shipped, so it isn't a test, benchmark, fuzz target or
/// example.
pub(crate) fn is_shipped(path: &str) -> bool {
    let mut parts = path.split('/').collect::<Vec<_>>();
    let name = parts.pop().unwrap();
    let is_beside = |part: &&str| ["tests", "fuzz", "benches", "examples"].contains(part);
    !parts.iter().any(is_beside) && !name.starts_with("tests")
}

/// Returns the part of `text` before an inline module of tests.
pub(crate) fn without_tests(text: &str) -> &str {
    let mut end = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_module = |next: &&str| next.contains("mod ") && next.trim_end().ends_with('{');
        if line.trim_start().starts_with("#[cfg(test)]") && lines.peek().is_some_and(is_module) {
            break;
        }
        end += line.len();
    }
    &text[..end]
}
