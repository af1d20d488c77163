//! Edits real code by a script, creates git repositories for that, and scores judgements about the
//! result.
//!
//! Please don't use other parts of the zoo in here. The drift benchmark in `windlass-evidence`
//! includes this folder by its path, so that it can be built without the whole library.

mod case;
mod commits;
mod draw;
pub(crate) mod git;
mod kinds;
pub(crate) mod sample;
mod score;
mod written;

use std::path::Path;

pub(crate) use case::{Case, Changes, Files, Target};
pub(crate) use commits::{commit, commit_each, commit_first};
pub use draw::Draw;
pub(crate) use git::git;
pub(crate) use kinds::{KINDS, SECRET};
pub(crate) use score::{Label, Score, Truth, score};
pub(crate) use written::{MAX_LINES as MAX_WRITTEN_LINES, is_written};

/// An error of git, the file system or a parser. All we need is the message.
pub(crate) type Error = Box<dyn std::error::Error>;

/// We don't commit files with more bytes than this.
pub(crate) const MAX_FILE: u64 = 4 << 20;

/// Minimum number of lines in a span.
const MIN_LINES: usize = 4;
const MAX_LINES: usize = 40;

/// Picks a span. Returns `None` if it isn't suitable, for example because the same text is in the
/// file twice.
pub(crate) fn target<'a>(files: &'a Files, draw: &mut Draw) -> Option<Target<'a>> {
    let (file, span) = sample::spans(files, |_| true, 1, draw).into_iter().next()?;
    let target = Target {
        files,
        file,
        start: span.start() as usize - 1,
        end: span.end() as usize,
    };
    let text = target.text();
    let letters = text
        .iter()
        .flat_map(|line| line.chars())
        .filter(|c| c.is_alphanumeric());
    let begins =
        |line: Option<&String>| line.is_some_and(|line| line.chars().any(char::is_alphanumeric));
    let copies = target
        .lines()
        .windows(text.len())
        .filter(|lines| *lines == text);
    let fits = (MIN_LINES..=MAX_LINES).contains(&text.len())
        && target.lines().len() >= text.len() * 2
        && begins(text.first())
        && begins(text.last())
        && letters.count() >= 80
        && copies.count() == 1;
    fits.then_some(target)
}

#[expect(clippy::disallowed_methods, reason = "a clone of the zoo's own")]
pub(crate) fn write(dir: &Path, changes: &Changes, line_end: &str) -> Result<(), Error> {
    for (path, lines) in changes {
        let path = dir.join(path);
        match lines {
            Some(lines) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                std::fs::write(path, commits::joined(lines, line_end))?;
            }
            None => std::fs::remove_file(path)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::git::text;
    use super::*;

    #[test]
    fn what_was_written_is_committed_one_after_the_other() {
        let lines = |text: &str| Some(vec![text.to_owned(), "end".to_owned()]);
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        git(dir, &["init", "-q"]).unwrap();
        let first: Changes = vec![("a/one.rs".to_owned(), lines("one"))];
        write(dir, &first, "\n").unwrap();
        commit_first(dir).unwrap();
        assert_eq!(text(dir, &["status", "--porcelain"]).unwrap(), "");
        let moved: Changes = vec![
            ("a/one.rs".to_owned(), None),
            ("two words.rs".to_owned(), lines("one")),
        ];
        let ends: Changes = vec![("b.rs".to_owned(), lines("b"))];
        let all = [(&moved, "\n"), (&ends, "\r\n")];
        for (changes, line_end) in all {
            write(dir, changes, line_end).unwrap();
        }
        commit_each(dir, &all).unwrap();
        assert_eq!(text(dir, &["status", "--porcelain"]).unwrap(), "");
        let told = text(dir, &["log", "--format=%s", "--name-status", "-M"]).unwrap();
        let told: Vec<&str> = told.split_whitespace().collect();
        let newest_first = "x A b.rs x R100 a/one.rs two words.rs x A a/one.rs";
        assert_eq!(told.join(" "), newest_first);
        assert_eq!(git(dir, &["show", "HEAD:b.rs"]).unwrap(), b"b\r\nend\r\n");
    }
}
