//! How well texts are found again after a repository has moved on: `cargo xtask drift`.
//!
//! Spans are captured at an old commit and judged at a new one, in a clone of its own. Where they went in truth is
//! taken from git's tracking of lines, by two methods that have to agree.

mod git;
mod sample;
mod score;
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
use score::{Label, Score, States, Truth};
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
}

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let request = Request::of(args)?;
    let mut table = Table::default();
    for repo in &request.repos {
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
    }
    table.print();
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
                _ => return Err(format!("`{arg}` is no option of drift").into()),
            }
        }
        if request.repos.is_empty() || request.commits.is_empty() {
            return Err("drift needs `--repo DIR` and `--commits N`".into());
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

/// How often each score was reached.
#[derive(Debug, Default)]
struct Table {
    labels: BTreeMap<Label, BTreeMap<Score, u32>>,
    rules: BTreeMap<String, BTreeMap<Score, u32>>,
    disagreed: u32,
}

impl Table {
    fn count(&mut self, truth: &Truth, judgement: &Judgement, score: Score) {
        let by_label = self.labels.entry(truth.label).or_default();
        *by_label.entry(score).or_default() += 1;
        let method = judgement.repair.as_ref().and_then(|repair| repair.method);
        let outcome = judgement
            .outcome()
            .map_or("fresh", |outcome| outcome.as_str());
        let rule = format!("{outcome} {}", method.map_or("", |method| method.as_str()));
        *self
            .rules
            .entry(rule)
            .or_default()
            .entry(score)
            .or_default() += 1;
    }

    fn add(&mut self, other: Self) {
        for (label, scores) in other.labels {
            for (score, count) in scores {
                *self
                    .labels
                    .entry(label)
                    .or_default()
                    .entry(score)
                    .or_default() += count;
            }
        }
        for (rule, scores) in other.rules {
            for (score, count) in scores {
                *self
                    .rules
                    .entry(rule.clone())
                    .or_default()
                    .entry(score)
                    .or_default() += count;
            }
        }
        self.disagreed += other.disagreed;
    }

    fn total(&self, wanted: Score) -> u32 {
        let counts = self
            .labels
            .values()
            .filter_map(|scores| scores.get(&wanted));
        counts.sum()
    }

    fn all(&self) -> u32 {
        self.labels.values().flat_map(BTreeMap::values).sum()
    }

    fn line(&self) -> String {
        format!(
            "{} spans, {} wrong, {} falsely gone, {} gave up ({} without agreed truth)",
            self.all(),
            self.total(Score::Wrong),
            self.total(Score::FalselyGone),
            self.total(Score::GaveUp),
            self.disagreed
        )
    }

    fn print(&self) {
        const SCORES: [Score; 5] = [
            Score::Correct,
            Score::Near,
            Score::GaveUp,
            Score::FalselyGone,
            Score::Wrong,
        ];
        let row = |name: &str, scores: &BTreeMap<Score, u32>| {
            let total: u32 = scores.values().sum();
            let cells = SCORES.map(|score| {
                let count = scores.get(&score).copied().unwrap_or(0);
                let share = f64::from(count) * 100.0 / f64::from(total.max(1));
                format!("{count:>6} {share:>6.2}%")
            });
            println!("{name:32} {total:>6} {}", cells.join(" "));
        };
        println!(
            "\n{:32} {:>6} {:>14} {:>14} {:>14} {:>14} {:>14}",
            "", "n", "correct", "near", "gave up", "falsely gone", "wrong place"
        );
        for (label, scores) in &self.labels {
            row(label.word(), scores);
        }
        let mut all: BTreeMap<Score, u32> = BTreeMap::new();
        for score in SCORES {
            all.insert(score, self.total(score));
        }
        row("all", &all);
        println!();
        for (rule, scores) in &self.rules {
            row(rule, scores);
        }
        let (total, wrong) = (self.all(), self.total(Score::Wrong));
        // One-sided, 95 %: exact for none, close for few.
        let bound = (f64::from(wrong) + 3.0 + 1.7 * f64::from(wrong).sqrt()) * 100.0;
        println!(
            "\nwrong place: {wrong} of {total}; with 95 % confidence below {:.2} %; {} spans had no agreed truth",
            bound / f64::from(total.max(1)),
            self.disagreed
        );
    }
}
