//! Scripted edits on real code: `windlass zoo drift --scripted`.
//!
//! A real span of a real file, with one kind of edit done to it in a clone of its own. Where it is then is known by
//! construction. Each edit is judged twice: as it stands in the working tree, and once it is committed.

pub(crate) mod case;
pub(crate) mod kinds;

use std::path::Path;

use windlass_base::RepoPath;
use windlass_evidence::{capture, explain};
use windlass_repo::Repo;

use super::Error;
use super::git::{git, text};
use super::sample;
use super::score::{Truth, score};
use super::table::Table;
use super::{DriftRequest, Item, Say, cloned, files, told};
use crate::stats::Draw;
use case::{Case, Changes, Files, Target};
use kinds::KINDS;

/// When each edit is judged.
pub(super) const NAMES: [&str; 2] = ["not committed", "committed"];

/// How many lines a span has.
const MIN_LINES: usize = 4;
const MAX_LINES: usize = 40;

pub(crate) fn run(
    repo: &Path,
    request: &DriftRequest,
    table: &mut Table,
    say: Say<'_>,
) -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let dir = cloned(&Repo::open(repo)?, folder.path())?;
    git(&dir, &["checkout", "-q", "--force", "HEAD"])?;
    let base = text(&dir, &["rev-parse", "HEAD"])?;
    let files = files(&dir)?;
    let mut draw = Draw::new(request.seed);
    for (name, kind) in KINDS {
        let mut done = 0;
        for _ in 0..request.spans * 8 {
            let Some(target) = target(&files, &mut draw) else {
                continue;
            };
            if let Some(case) = kind(&target, &mut draw) {
                tried(&dir, name, &case, request, table, say)?;
                git(&dir, &["reset", "-q", "--hard", &base])?;
                git(&dir, &["clean", "-q", "-f", "-d"])?;
                done += 1;
            }
            if done == request.spans {
                break;
            }
        }
    }
    Ok(())
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
    table: &mut Table,
    say: Say<'_>,
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
    write(dir, &case.edit, case.line_end)?;
    judged(
        dir,
        &format!("{name}, {}", NAMES[0]),
        &item,
        &case.truth,
        request,
        table,
        say,
    )?;
    commit(dir)?;
    judged(
        dir,
        &format!("{name}, {}", NAMES[1]),
        &item,
        &case.truth,
        request,
        table,
        say,
    )
}

fn judged(
    dir: &Path,
    name: &str,
    item: &Item,
    truth: &Truth,
    request: &DriftRequest,
    table: &mut Table,
    say: Say<'_>,
) -> Result<(), Error> {
    let snapshot = Repo::open(dir)?.snapshot();
    let (pointer, capture) = (&item.captured.pointer, &item.captured.capture);
    let (judgement, steps) = explain(&snapshot, pointer, Some(capture));
    let score = score(truth, &judgement, (&item.file, item.span));
    table.count(truth, &judgement, score);
    table.count_kind(name, score);
    let word = format!("{score:?}").to_lowercase();
    if request
        .show
        .iter()
        .any(|show| *show == word || *show == name)
    {
        say(&format!(
            "  {name}: {}",
            told(item, truth, &judgement, score)
        ));
        if request.explain {
            for step in steps {
                say(&format!("      {}: {}", step.stage, step.found));
            }
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a clone of the zoo's own")]
pub(crate) fn write(dir: &Path, changes: &Changes, line_end: &str) -> Result<(), Error> {
    for (path, lines) in changes {
        let path = dir.join(path);
        match lines {
            Some(lines) => {
                let text: String = lines
                    .iter()
                    .map(|line| format!("{line}{line_end}"))
                    .collect();
                windlass_store::write_shared(&path, text.as_bytes())?;
            }
            None => std::fs::remove_file(path)?,
        }
    }
    Ok(())
}

pub(crate) fn commit(dir: &Path) -> Result<(), Error> {
    git(dir, &["add", "-A"])?;
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
