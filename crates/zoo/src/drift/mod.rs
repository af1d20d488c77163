//! How well texts are found again after a repository has moved on: `windlass zoo drift`.
//!
//! Spans are captured at an old commit and judged at a new one, in a clone of its own. Where they went in truth is
//! taken from git's tracking of lines, by two methods that have to agree.

mod git;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod scripted;
mod table;
mod truth;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_base::{Judgement, LineSpan, RepoPath};
use windlass_evidence::{Captured, capture, explain, judge};
use windlass_repo::Repo;

use crate::ZooError;
use crate::stats::Draw;
pub(crate) use git::{git, text};
use score::{Label, Score, States, Truth};
use table::{Clusters, Table};
use truth::Tracking;

/// What can go wrong on the way: git, files, parsing. It is told once, in words.
type Error = Box<dyn std::error::Error>;

/// Who is told what is found, line by line.
pub type Say<'a> = &'a mut dyn FnMut(&str);

/// Files of more lines are not sampled.
const MAX_LINES: usize = 5_000;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct DriftRequest {
    /// The repositories, which are only read.
    pub repos: Vec<PathBuf>,
    /// How far back spans are captured, along first parents.
    pub commits: Vec<u32>,
    /// Between which two revisions, instead.
    pub between: Option<(String, String)>,
    /// How many spans are drawn.
    pub spans: usize,
    /// Another number draws others.
    pub seed: u64,
    /// How many states are judged: the newest, the one 97 commits before, and so on.
    pub ends: u32,
    /// Whether to say how each verdict was reached.
    pub explain: bool,
    /// Spans with which scores or labels are named.
    pub show: Vec<String>,
    /// A folder to keep in where git says that lines went.
    pub keep: Option<PathBuf>,
    /// Whether edits are scripted instead.
    pub scripted: bool,
}

impl Default for DriftRequest {
    /// 200 spans; wrong ones are named.
    fn default() -> Self {
        Self {
            repos: Vec::new(),
            commits: Vec::new(),
            between: None,
            spans: 200,
            seed: 1,
            ends: 1,
            explain: false,
            show: vec!["wrong".to_owned()],
            keep: None,
            scripted: false,
        }
    }
}

/// Measures it, and tells what was found.
///
/// # Errors
/// When nothing is asked for, or scripted edits cannot be made. A repository whose history does not reach so far is told.
pub fn drift(request: &DriftRequest, say: Say<'_>) -> Result<(), ZooError> {
    let asked = usize::from(!request.commits.is_empty())
        + usize::from(request.between.is_some())
        + usize::from(request.scripted);
    if request.repos.is_empty() || asked != 1 {
        let message = "drift needs a repository, and one of: how many commits, two revisions, or scripted edits";
        return Err(ZooError::Request(message.to_owned()));
    }
    check_shown(&request.show)?;
    let mut clusters = Clusters::default();
    for repo in &request.repos {
        let mut table = Table::default();
        if request.scripted {
            let done = scripted::run(repo, request, &mut table, say);
            say(&format!("{}: {}", repo.display(), table.line()));
            done.map_err(|error| ZooError::Drift(error.to_string()))?;
        }
        if let Some((from, to)) = &request.between {
            let done = run(repo, from, to, request, &mut table, say);
            done.map_err(|error| ZooError::Drift(error.to_string()))?;
            say(&format!(
                "{} {from} to {to}: {}",
                repo.display(),
                table.line()
            ));
        }
        for commits in &request.commits {
            for end in 0..request.ends {
                let mut one = Table::default();
                let skipped = end * 97;
                let to = format!("HEAD~{skipped}");
                match run(
                    repo,
                    &format!("{to}~{commits}"),
                    &to,
                    request,
                    &mut one,
                    say,
                ) {
                    Ok(()) => say(&format!(
                        "{} {commits} commits to {to}: {}",
                        repo.display(),
                        one.line()
                    )),
                    Err(error) => say(&format!("{} {commits}: {error}", repo.display())),
                }
                table.add(one);
            }
        }
        clusters.add(table);
    }
    clusters.tell(say);
    Ok(())
}

/// # Errors
/// When places are to be named by something that none has.
fn check_shown(show: &[String]) -> Result<(), ZooError> {
    let scores = Score::ALL.map(|score| format!("{score:?}").to_lowercase());
    let labels = Label::ALL.map(|label| label.word().to_owned());
    let edits = scripted::kinds::KINDS
        .iter()
        .flat_map(|(name, _)| scripted::NAMES.map(|when| format!("{name}, {when}")));
    let mut known = scores.iter().chain(&labels).cloned().chain(edits);
    let Some(name) = show
        .iter()
        .find(|name| !known.clone().any(|one| one == **name))
    else {
        return Ok(());
    };
    let named: Vec<String> = known.by_ref().take(scores.len() + labels.len()).collect();
    Err(ZooError::Unknown {
        what: "score or label",
        name: name.clone(),
        known: named.join(", "),
    })
}

/// A span that was captured.
struct Item {
    file: String,
    span: LineSpan,
    captured: Captured,
}

fn run(
    repo: &Path,
    from: &str,
    to: &str,
    request: &DriftRequest,
    table: &mut Table,
    say: Say<'_>,
) -> Result<(), Error> {
    let source = Repo::open(repo)?;
    let its_git = source.git()?;
    let resolved = |revision: &str| {
        let commit = its_git.commit_id(revision)?;
        commit.ok_or_else(|| Error::from(format!("there is no commit `{revision}`")))
    };
    let (old, new) = (resolved(from)?, resolved(to)?);
    let folder = tempfile::tempdir()?;
    let dir = cloned(&source, folder.path())?;
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
            say(&format!("  {}", told(&item, &truth, &judgement, score)));
            if request.explain {
                let (pointer, capture) = (&item.captured.pointer, &item.captured.capture);
                for step in explain(&snapshot, pointer, Some(capture)).1 {
                    say(&format!("      {}: {}", step.stage, step.found));
                }
            }
        }
    }
    Ok(())
}

/// A clone of `source` in `folder`, with nothing checked out. Objects are shared, which only reads them.
fn cloned(source: &Repo, folder: &Path) -> Result<PathBuf, Error> {
    let dir = folder.join("clone");
    let (from, to) = (source.root().to_string_lossy(), dir.to_string_lossy());
    git(
        folder,
        &["clone", "-q", "--shared", "--no-checkout", &from, &to],
    )?;
    Ok(dir)
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
            && let Ok(text) =
                String::from_utf8(windlass_store::read_file(&path, u64::MAX)?.unwrap_or_default())
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
    request: &DriftRequest,
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
