//! How well texts are found again after a repository has moved on: `cargo xtask drift`.
//!
//! Spans are captured at an old commit and judged at a new one, in a clone of its own. Where they went in truth is
//! taken from git's tracking of lines, by two methods that have to agree.

mod git;
mod sample;
mod score;
mod scripted;
mod table;
mod truth;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_base::{Judgement, LineSpan, RepoPath};
use windlass_evidence::{Captured, capture, explain, judge};
use windlass_repo::Repo;

use crate::Error;
use git::{git, text};
use sample::Draw;
use score::{Score, States, Truth};
use table::{Clusters, Table};
use truth::Tracking;

/// Files of more lines are not sampled.
const MAX_LINES: usize = 5_000;

/// What is asked for.
#[derive(Debug)]
struct Request {
    repos: Vec<PathBuf>,
    commits: Vec<u32>,
    spans: usize,
    seed: u64,
    ends: u32,
    explain: bool,
    show: Vec<String>,
    keep: Option<PathBuf>,
    scripted: bool,
}

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let request = Request::of(args)?;
    let mut clusters = Clusters::default();
    for repo in &request.repos {
        let mut table = Table::default();
        if request.scripted {
            let done = scripted::run(repo, &request, &mut table);
            println!("{}: {}", repo.display(), table.line());
            done?;
        }
        for commits in &request.commits {
            for end in 0..request.ends {
                let mut one = Table::default();
                let skipped = end * 97;
                match run(repo, *commits, skipped, &request, &mut one) {
                    Ok(()) => println!(
                        "{} {commits} commits to HEAD~{skipped}: {}",
                        repo.display(),
                        one.line()
                    ),
                    Err(error) => println!("{} {commits}: {error}", repo.display()),
                }
                table.add(one);
            }
        }
        clusters.add(table);
    }
    clusters.print();
    Ok(ExitCode::SUCCESS)
}

impl Request {
    fn of(args: Vec<String>) -> Result<Self, Error> {
        let mut request = Self {
            repos: Vec::new(),
            commits: Vec::new(),
            spans: 200,
            seed: 1,
            ends: 1,
            explain: false,
            show: vec!["wrong".to_owned()],
            keep: None,
            scripted: false,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--repo" => request.repos.push(value()?.into()),
                "--commits" => request.commits.push(value()?.parse()?),
                "--spans" => request.spans = value()?.parse()?,
                "--seed" => request.seed = value()?.parse()?,
                "--ends" => request.ends = value()?.parse()?,
                "--show" => request.show.push(value()?),
                "--keep" => request.keep = Some(value()?.into()),
                "--explain" => request.explain = true,
                "--scripted" => request.scripted = true,
                _ => return Err(format!("`{arg}` is no option of drift").into()),
            }
        }
        if request.repos.is_empty() || request.commits.is_empty() != request.scripted {
            return Err(
                "drift needs `--repo DIR`, and either `--commits N` or `--scripted`".into(),
            );
        }
        Ok(request)
    }
}

/// A span that was captured.
struct Item {
    file: String,
    span: LineSpan,
    captured: Captured,
}

fn run(
    repo: &Path,
    commits: u32,
    skipped: u32,
    request: &Request,
    table: &mut Table,
) -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().join("clone");
    let (from, to) = (repo.to_string_lossy(), dir.to_string_lossy());
    git(
        Path::new("."),
        &["clone", "-q", "--shared", "--no-checkout", &from, &to],
    )?;
    let new = text(&dir, &["rev-parse", &format!("HEAD~{skipped}")])?;
    let old = text(&dir, &["rev-parse", &format!("{new}~{commits}")])?;
    git(&dir, &["checkout", "-q", "--force", &old])?;
    let before = files(&dir)?;
    let counts: BTreeMap<String, u32> = before
        .iter()
        .map(|(file, lines)| (file.clone(), lines.len() as u32))
        .collect();
    let tracking = Tracking::of(&dir, &old, &new, &counts, request.keep.as_deref())?;
    let items = captured(&dir, &before, &tracking, request)?;
    git(&dir, &["checkout", "-q", "--force", &new])?;
    let after = files(&dir)?;
    let snapshot = Repo::open(&dir)?.snapshot();
    let states = States {
        old: &|file| before.get(file).map(Vec::as_slice),
        new: &|file| after.get(file).map(Vec::as_slice),
    };
    for item in items {
        let Some(truth) = score::truth(&tracking, &states, &item.file, item.span) else {
            table.disagreed += 1;
            continue;
        };
        let judgement = judge(
            &snapshot,
            &item.captured.pointer,
            Some(&item.captured.capture),
        );
        let score = score::score(&truth, &judgement, (&item.file, item.span));
        table.count(&truth, &judgement, score);
        let word = format!("{score:?}").to_lowercase();
        let wanted = |show: &String| word == *show || truth.label.word() == show;
        if request.show.iter().any(wanted) {
            println!("  {}", told(&item, &truth, &judgement, score));
            if request.explain {
                let (pointer, capture) = (&item.captured.pointer, &item.captured.capture);
                for step in explain(&snapshot, pointer, Some(capture)).1 {
                    println!("      {}: {}", step.stage, step.found);
                }
            }
        }
    }
    Ok(())
}

fn told(item: &Item, truth: &Truth, judgement: &Judgement, score: Score) -> String {
    let new = judgement
        .repair
        .as_ref()
        .and_then(|repair| repair.evidence.as_ref());
    format!(
        "{score:?}: {}:{} {} at {}:{:?} in {:?}; said {} {} {}",
        item.file,
        item.span,
        truth.label.word(),
        truth.file,
        truth.inner,
        truth.outer,
        judgement.status.as_str(),
        judgement.outcome().map_or("", |outcome| outcome.as_str()),
        new.map(ToString::to_string).unwrap_or_default(),
    )
}

/// The lines of all files that are sampled or moved to.
fn files(dir: &Path) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let names = text(dir, &["ls-files"])?;
    let mut files = BTreeMap::new();
    for name in names.lines().filter(|name| sample::is_source(name)) {
        let path = dir.join(name);
        if path.symlink_metadata()?.is_file()
            && let Ok(text) = String::from_utf8(std::fs::read(&path)?)
        {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if !lines.is_empty() && lines.len() <= MAX_LINES && !text.contains('\0') {
                files.insert(name.to_owned(), lines);
            }
        }
    }
    Ok(files)
}

fn captured(
    dir: &Path,
    files: &BTreeMap<String, Vec<String>>,
    tracking: &Tracking,
    request: &Request,
) -> Result<Vec<Item>, Error> {
    let snapshot = Repo::open(dir)?.snapshot();
    let mut draw = Draw::new(request.seed);
    let changed = |file: &str| tracking.changed.contains(file);
    let mut items = Vec::new();
    for (file, span) in sample::spans(files, changed, request.spans, &mut draw) {
        if let Ok(captured) = capture(&snapshot, &RepoPath::parse(&file)?, span) {
            items.push(Item {
                file,
                span,
                captured,
            });
        }
    }
    Ok(items)
}
