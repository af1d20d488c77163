//! Scripted edits on real code: `windlass zoo drift --scripted`.
//!
//! A real span of a real file, with one kind of edit done to it in a clone of its own. Where it is then is known by
//! construction. Each edit is judged twice: as it stands in the working tree, and once it is committed.

pub(crate) mod case;
pub(crate) mod kinds;

use std::path::Path;

use windlass_base::RepoPath;
use windlass_evidence::capture;
use windlass_repo::Repo;

use super::between::verdict;
use super::found_places::Told;
use super::made_commits::{commit, joined};
use super::zoo_git::{git, git_unless};
use super::{DriftRequest, Error, Item, clone_into, files, sample};
use crate::folder::own_folder;
use crate::run_plan::Doing;
use crate::stats::Draw;
use case::{Case, Changes, Files, Target};
use kinds::KINDS;

/// When each edit is judged.
pub(super) const NAMES: [&str; 2] = ["not committed", "committed"];

/// How many lines a span has.
const MIN_LINES: usize = 4;
const MAX_LINES: usize = 40;

/// Does edits of the kind with this number in a clone of `repo`, each judged as it stands in the working tree, and once it is committed.
///
/// # Errors
/// The reason why that cannot be done.
pub(super) fn edits(
    request: &DriftRequest,
    repo: &Path,
    kind: usize,
    doing: &Doing<'_>,
) -> Result<Told, Error> {
    let (source, folder) = (Repo::open(repo)?, own_folder()?);
    let base = source.git()?.revisions().commit_id("HEAD")?;
    let base = base.ok_or("there is no commit yet")?;
    let dir = folder.path().join("clone");
    clone_into(&source, &dir, doing.cancel)?;
    git_unless(&dir, &["checkout", "-q", "--force", &base], doing.cancel)?;
    let files = files(&dir)?;
    // Each kind draws for itself, so that it finds the same whatever else is done.
    let mut draw = Draw::new(request.seed ^ ((kind as u64 + 1) << 32));
    let ((name, make), spans) = (KINDS[kind], request.spans);
    let (mut told, mut done) = (Told::default(), 0);
    for _ in 0..spans * 8 {
        doing.go_on()?;
        (doing.progress)(done as u64, spans as u64);
        let Some(target) = target(&files, &mut draw) else {
            continue;
        };
        if let Some(case) = make(&target, &mut draw) {
            tried(&dir, name, &case, request, &mut told)?;
            git(&dir, &["reset", "-q", "--hard", &base])?;
            git(&dir, &["clean", "-q", "-f", "-d"])?;
            done += 1;
        }
        if done == spans {
            break;
        }
    }
    Ok(told)
}

/// A span of a drawn file that its file has once.
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

fn tried(
    dir: &Path,
    name: &str,
    case: &Case,
    request: &DriftRequest,
    told: &mut Told,
) -> Result<(), Error> {
    if !case.before.is_empty() {
        write(dir, &case.before, "\n")?;
        commit(dir)?;
    }
    let snapshot = Repo::open(dir)?.snapshot();
    let Ok(captured) = capture(&snapshot, &RepoPath::parse(&case.file)?, case.span) else {
        return Ok(());
    };
    let item = Item {
        file: case.file.clone(),
        span: case.span,
        captured,
    };
    let mut judged = |when: &str| -> Result<(), Error> {
        let snapshot = Repo::open(dir)?.snapshot();
        let (judgement, steps) = verdict(&snapshot, &item, request.explain);
        let edit = format!("{name}, {when}");
        told.count(
            request,
            (&item, Some(edit.as_str())),
            &case.truth,
            &judgement,
            &steps,
        );
        Ok(())
    };
    write(dir, &case.edit, case.line_end)?;
    judged(NAMES[0])?;
    commit(dir)?;
    judged(NAMES[1])
}

#[expect(clippy::disallowed_methods, reason = "a clone of the zoo's own")]
pub(crate) fn write(dir: &Path, changes: &Changes, line_end: &str) -> Result<(), Error> {
    for (path, lines) in changes {
        let path = dir.join(path);
        match lines {
            Some(lines) => crate::folder::put(&path, &joined(lines, line_end))?,
            None => std::fs::remove_file(path)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::made_commits::{commit_each, commit_first};
    use crate::drift::zoo_git::text;

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
