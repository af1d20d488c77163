//! Commits many states of a repository quickly. The files of the last state must be on disk
//! already.

use std::path::Path;

use super::git::{git, git_fed, text};
use super::{Changes, Error, MAX_FILE};

pub(super) fn joined(lines: &[String], line_end: &str) -> String {
    lines
        .iter()
        .map(|line| format!("{line}{line_end}"))
        .collect()
}

pub(crate) fn commit(dir: &Path) -> Result<(), Error> {
    git(dir, &["add", "-A", "--", "."])?;
    let who = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "core.autocrlf=false",
    ];
    let what = ["commit", "-q", "--allow-empty", "--no-verify", "-m", "x"];
    git(dir, &[&who[..], &what].concat()).map(drop)
}

/// Like [`commit`], but for a repository without a commit, and faster: git writes a single pack
/// instead of thousands of files.
pub(crate) fn commit_first(dir: &Path) -> Result<(), Error> {
    let names = git(dir, &["ls-files", "-z", "--others", "--exclude-standard"])?;
    let names = String::from_utf8(names)?;
    let mut stream = head(&branch(dir)?).into_bytes();
    let root = windlass_store::RootedPath::new(dir);
    for name in names.split_terminator('\0') {
        let bytes = windlass_store::read_file(&root.join(name), MAX_FILE)?;
        put_file(name, &bytes.unwrap_or_default(), &mut stream);
    }
    import(dir, &stream)
}

/// Creates a commit for each of `all`, with its changes and its line ending, on top of the current
/// branch. The files must be on disk already.
///
/// For any number of commits, this takes one process of git, and two more to update the index.
pub(crate) fn commit_each(dir: &Path, all: &[(&Changes, &str)]) -> Result<(), Error> {
    let branch = branch(dir)?;
    let mut from = format!("from {branch}^0\n");
    let mut stream = Vec::new();
    for (changes, line_end) in all {
        stream.extend_from_slice(head(&branch).as_bytes());
        stream.extend_from_slice(from.as_bytes());
        from.clear();
        for (path, lines) in *changes {
            match lines {
                Some(lines) => put_file(path, joined(lines, line_end).as_bytes(), &mut stream),
                None => stream.extend_from_slice(format!("D {path}\n").as_bytes()),
            }
        }
    }
    import(dir, &stream)
}

fn branch(dir: &Path) -> Result<String, Error> {
    text(dir, &["symbolic-ref", "HEAD"])
}

/// Formats the header of a commit for `git fast-import`.
fn head(branch: &str) -> String {
    format!("commit {branch}\ncommitter a <a@b> now\ndata 1\nx\n")
}

fn put_file(path: &str, bytes: &[u8], stream: &mut Vec<u8>) {
    let length = bytes.len();
    stream.extend_from_slice(format!("M 100644 inline {path}\ndata {length}\n").as_bytes());
    stream.extend_from_slice(bytes);
    stream.push(b'\n');
}

/// Imports commits, and updates the index so that it matches the files on disk.
fn import(dir: &Path, stream: &[u8]) -> Result<(), Error> {
    let how = ["fast-import", "--quiet", "--date-format=now"];
    git_fed(dir, &how, stream)?;
    git(dir, &["reset", "-q", "--mixed"])?;
    git(dir, &["update-index", "-q", "--refresh"]).map(drop)
}
