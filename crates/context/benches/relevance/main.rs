//! Measures whether `find` and context packs name the files that a commit changed, given its
//! message.
//!
//! Each repository is checked out at an earlier commit, and the messages of the commits since then
//! are the questions. A question's answer is the modified files, without tests and changelogs. So
//! neither the tree nor its history has the answer.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a tool for developers: it reads repositories that it is given, and prints"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use windlass_base::{Cancel, RepoPath};
use windlass_context::{BuildPack, PackService};
use windlass_find::{Others, find_in};
use windlass_repo::{FileRole, ListQuery, Snapshot, role_of};
use windlass_site::Site;

#[expect(dead_code, reason = "a place is a proposal, so none is wrong")]
#[path = "../../../../xtask/src/ablate/answers.rs"]
mod answers;
#[path = "../../../../tests/support/bench_site.rs"]
mod bench_site;

use answers::{MISSING, NAMED, RIGHT};
use bench_site::{environment, git};

type Error = Box<dyn std::error::Error>;

const USAGE: &str = "usage: cargo xtask relevance find|pack [--ablate] --repo DIR…";

/// Number of commits between the tree and the newest commit, or half of a shorter history.
const COMMITS: usize = 300;
/// Maximum number of commits to ask about per repository, those next to the tree.
const MAX_ASKED: usize = 100;
/// Maximum number of files that a commit modified. A larger one is about many things.
const MAX_MODIFIED: usize = 8;
/// Minimum length of the text below the first line to ask for the whole message, in bytes.
const MIN_BODY: usize = 200;
/// A file counts as named if it is among this many first ones.
const FIRST: usize = 5;
/// Token budget of `find`.
const MAX_TOKENS: usize = 4_000;

/// A commit message, or its first line, and the files that the commit modified.
struct Question {
    class: &'static str,
    text: String,
    modified: BTreeSet<String>,
}

/// An earlier tree of a repository, with questions from the commits that follow.
struct Tree {
    site: Site,
    snapshot: Snapshot,
    files: Vec<RepoPath>,
    questions: Vec<Question>,
    _folder: tempfile::TempDir,
}

#[derive(Clone, Copy)]
enum Asked {
    Find,
    Pack,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Error> {
    // Cargo passes `--bench` to every benchmark.
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let (mut asked, mut is_ablation, mut repos) = (None, false, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "find" => asked = Some(Asked::Find),
            "pack" => asked = Some(Asked::Pack),
            "--ablate" => is_ablation = true,
            "--repo" => repos.push(PathBuf::from(args.next().ok_or(USAGE)?)),
            _ => return Err(USAGE.into()),
        }
    }
    let asked = asked.ok_or(USAGE)?;
    let trees = repos.iter().map(|repo| Tree::of(repo));
    let trees = trees.collect::<Result<Vec<_>, _>>()?;
    if is_ablation {
        return answer_requests(&trees, asked);
    }
    for (repo, tree) in repos.iter().zip(&trees) {
        println!("{}", repo.display());
        tree.report(asked)?;
    }
    Ok(())
}

/// Answers requests on stdin for measurements with heuristics turned off.
fn answer_requests(trees: &[Tree], asked: Asked) -> Result<(), Error> {
    let questions = trees.iter().flat_map(|tree| &tree.questions);
    let classes: Vec<String> = questions
        .map(|question| question.class.to_owned())
        .collect();
    let turn_off = |names: &[&str]| windlass_base::turn_off(names.iter().copied());
    let measure = || {
        let mut results = String::new();
        for tree in trees {
            for rank in tree.ranks(asked)? {
                results.push(match rank {
                    Some(0) => RIGHT,
                    Some(rank) if rank < FIRST => NAMED,
                    _ => MISSING,
                });
            }
        }
        Ok(results)
    };
    let ends = (std::io::stdin().lock(), &mut std::io::stdout());
    answers::answer(&classes, turn_off, measure, ends)
}

impl Tree {
    fn of(repo: &Path) -> Result<Self, Error> {
        let log = git_output(
            repo,
            &[
                "log",
                "--no-merges",
                "--name-status",
                "--format=%x1e%H%x1f%s%x1f%b%x1f",
            ],
        )?;
        let commits: Vec<Vec<&str>> = log
            .split('\u{1e}')
            .skip(1)
            .map(|entry| entry.split('\u{1f}').collect())
            .collect();
        let at = COMMITS.min(commits.len() / 2);
        let base = commits.get(at).and_then(|commit| commit.first());
        let base = base.ok_or("no commits")?;
        let folder = tempfile::tempdir()?;
        let tree = folder.path().join("tree");
        let (from, to) = (repo.to_string_lossy(), tree.to_string_lossy());
        git(
            folder.path(),
            &["clone", "--quiet", "--no-checkout", &from, &to],
        );
        git(&tree, &["checkout", "--quiet", "--detach", base]);
        let mut environment = environment(folder.path());
        environment.threads = std::thread::available_parallelism()?;
        let site = Site::open(&tree, environment)?;
        let snapshot = site.snapshot();
        let listing = snapshot.list(&ListQuery::default(), &Cancel::default())?;
        let is_there = |path: &str| {
            let path = RepoPath::parse(path);
            path.is_ok_and(|path| listing.files.binary_search(&path).is_ok())
        };
        let mut questions = Vec::new();
        for commit in commits.iter().take(at).rev() {
            let [_, subject, body, changes] = commit[..] else {
                continue;
            };
            let modified = changes.lines().filter_map(|line| line.strip_prefix("M\t"));
            let modified: BTreeSet<String> = modified
                .filter(|path| role_of(path) != Some(FileRole::Changes) && is_there(path))
                .map(str::to_owned)
                .collect();
            if modified.is_empty() || modified.len() > MAX_MODIFIED {
                continue;
            }
            questions.push(Question {
                class: "first line",
                text: subject.to_owned(),
                modified: modified.clone(),
            });
            if body.len() >= MIN_BODY {
                questions.push(Question {
                    class: "whole message",
                    text: format!("{subject}\n\n{body}"),
                    modified,
                });
            }
            if questions.len() >= MAX_ASKED {
                break;
            }
        }
        Ok(Self {
            site,
            snapshot,
            files: listing.files,
            questions,
            _folder: folder,
        })
    }

    /// Returns the place of the first modified file among the files that are named, starting from
    /// zero, for each question.
    fn ranks(&self, asked: Asked) -> Result<Vec<Option<usize>>, Error> {
        let ranks = self.questions.iter().map(|question| {
            let named = match asked {
                Asked::Find => self.found(&question.text)?,
                Asked::Pack => self.relevant(&question.text)?,
            };
            let is_right = |path: &String| question.modified.contains(path);
            Ok(named.iter().position(is_right))
        });
        ranks.collect()
    }

    fn found(&self, text: &str) -> Result<Vec<String>, Error> {
        let files = (&*self.files, &Others::default());
        // A message without any word to search for has no answer.
        let Ok(found) = find_in(&self.snapshot, text, files, MAX_TOKENS, &Cancel::default()) else {
            return Ok(Vec::new());
        };
        let mut named: Vec<String> = Vec::new();
        for place in found.places {
            let path = place.pointer.file.to_string();
            if !named.contains(&path) {
                named.push(path);
            }
        }
        Ok(named)
    }

    fn relevant(&self, text: &str) -> Result<Vec<String>, Error> {
        let request = BuildPack {
            goal: text.to_owned(),
            no_memory: true,
            start: self.site.repo().root().to_owned(),
            ..BuildPack::default()
        };
        let service = PackService::new(&self.site);
        let pack = service.compose(&request, &self.snapshot, &Cancel::default())?;
        let files = pack.relevant_files.into_iter();
        Ok(files.map(|file| file.path).collect())
    }

    /// Prints, for each class, the share of questions with the right file first and among the
    /// first five, and the mean reciprocal rank.
    fn report(&self, asked: Asked) -> Result<(), Error> {
        let ranks = self.ranks(asked)?;
        for class in ["first line", "whole message"] {
            let own = self.questions.iter().zip(&ranks);
            let own = own.filter(|(question, _)| question.class == class);
            let own: Vec<Option<usize>> = own.map(|(_, rank)| *rank).collect();
            if own.is_empty() {
                continue;
            }
            let share = |below: usize| {
                let known = own.iter().flatten().filter(|rank| **rank < below);
                known.count() as f64 / own.len() as f64
            };
            let reciprocal: f64 = own
                .iter()
                .flatten()
                .map(|rank| 1.0 / (rank + 1) as f64)
                .sum();
            println!(
                "  {class:14} {:3} questions, first {:.2}, first five {:.2}, mean reciprocal rank {:.2}",
                own.len(),
                share(1),
                share(FIRST),
                reciprocal / own.len() as f64
            );
        }
        Ok(())
    }
}

fn git_output(folder: &Path, args: &[&str]) -> Result<String, Error> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
