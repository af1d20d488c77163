//! Measurement of drift: how reliably captured spans are found again after a repository has
//! changed.
//!
//! Spans are captured at an old commit and judged at a new one, in a separate clone. The true
//! location is known from git's line tracking, by two methods that must agree, or from scripted
//! edits whose effect is known. If both methods lose all lines of a span, its words are compared,
//! because a rewrapped paragraph is not deleted (`rewrapped`). If the old commit is not among the
//! first parents of the new one, it is grafted below them (`commit_line`). Only git's answers are
//! cached (`tracking_cache`).

pub(crate) mod ablated;
#[path = "../../../../../xtask/src/ablate/answers.rs"]
mod answers;
mod between;
mod commit_line;
#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the zoo uses the rest"
)]
#[path = "../../../../zoo/src/edits/mod.rs"]
mod edits;
mod fates;
mod found_places;
mod git_names;
mod rewrapped;
mod scripted;
mod table;
mod tracking;
mod tracking_cache;
mod truth;
mod words;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use edits::git::git;
use edits::{Error, KINDS, MAX_FILE, is_written};
use found_places::Told;
use git_names::names;
use table::Table;
use windlass_base::LineSpan;
use windlass_evidence::Captured;
use windlass_repo::Repo;

pub(crate) type Say<'a> = &'a mut dyn FnMut(&str);

type Files = BTreeMap<String, Vec<String>>;

#[derive(Debug, Clone)]
pub(crate) struct DriftRequest {
    /// Repositories to measure. They are only read.
    pub(crate) repos: Vec<PathBuf>,
    /// Distances at which spans are captured, in commits along first parents.
    pub(crate) commits: Vec<u32>,
    /// Old and new revision to measure between, in place of distances.
    pub(crate) between: Option<(String, String)>,
    pub(crate) spans: usize,
    pub(crate) seed: u64,
    /// Number of new states in which spans are judged. The first is the newest, and each further
    /// one is 97 commits older.
    pub(crate) ends: u32,
    pub(crate) explain: bool,
    /// Scores or labels whose spans are listed.
    pub(crate) show: Vec<String>,
    /// True to measure scripted edits in place of commits.
    pub(crate) scripted: bool,
    /// Folder in which git's line tracking is cached.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) jobs: NonZeroUsize,
}

impl Default for DriftRequest {
    /// Returns a request for 200 spans that lists wrong verdicts and caches nothing.
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
            scripted: false,
            cache: None,
            jobs: NonZeroUsize::MIN,
        }
    }
}

/// Number of commits between two states in which spans are judged.
const APART: u32 = 97;

#[derive(Debug, Clone)]
struct Asked {
    repo: PathBuf,
    /// Title of the results, and below the title of a failure.
    title: String,
    missing: String,
    /// True if a repository may lack the commits for it.
    may_be_missing: bool,
}

#[derive(Debug, Clone)]
enum Work {
    /// Captures spans at the first revision and judges them at the second.
    Between(String, String),
    /// Makes scripted edits of each kind.
    Edits,
}

#[derive(Debug)]
pub(crate) struct Drift {
    found: Vec<(Asked, Told)>,
}

/// Runs all measurements of `request` on `request.jobs` threads.
///
/// # Errors
/// Returns an error if the request is empty, if scripted edits cannot be made, or if nothing could
/// be measured. A repository with too short a history is only reported, as long as another one can
/// be measured.
pub(crate) fn drift(request: &DriftRequest) -> Result<Drift, Error> {
    let asked = usize::from(!request.commits.is_empty())
        + usize::from(request.between.is_some())
        + usize::from(request.scripted);
    if request.repos.is_empty() || asked != 1 {
        return Err("drift needs --repo, and one of --commits, --between or --scripted".into());
    }
    check_shown(&request.show)?;
    let asked = asked_for(request);
    let pieces = pieces(&asked, request.jobs);
    let told = in_parallel(&pieces, request.jobs, |piece| piece.found(request));
    let owners: Vec<usize> = pieces.iter().map(|piece| piece.of).collect();
    let mut found: Vec<(Asked, Told)> = asked
        .into_iter()
        .map(|(asked, _)| (asked, Told::default()))
        .collect();
    for (of, told) in owners.into_iter().zip(told) {
        found[of].1.add(told);
    }
    for (_, told) in &mut found {
        *told = std::mem::take(told).unless_empty();
    }
    // If a repository's history is too short, that's no reason to fail unless there's nothing else
    // to measure.
    let has_none = found.iter().all(|(_, told)| told.failure.is_some());
    let fatal = found
        .iter()
        .filter(|(asked, _)| has_none || !asked.may_be_missing);
    match fatal.filter_map(|(_, told)| told.failure.clone()).next() {
        Some(why) => Err(format!("the drift cannot be measured: {why}").into()),
        None => Ok(Drift { found }),
    }
}

/// Splits the measurements into pieces of work. If there is only one piece, it gets all threads.
fn pieces(asked: &[(Asked, Work)], jobs: NonZeroUsize) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (of, (asked, work)) in asked.iter().enumerate() {
        let kinds = match work {
            Work::Edits => KINDS.len(),
            Work::Between(..) => 1,
        };
        pieces.extend((0..kinds).map(|kind| Piece {
            of,
            repo: &asked.repo,
            work,
            kind,
            threads: NonZeroUsize::MIN,
        }));
    }
    if let [alone] = &mut pieces[..] {
        alone.threads = jobs;
    }
    pieces
}

/// Runs `work` on each of `items` with `jobs` threads. Returns the results in the order of the
/// items.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.get().min(items.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(item);
                    *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                }
            });
        }
    });
    let results = results.into_iter();
    results
        .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

fn asked_for(request: &DriftRequest) -> Vec<(Asked, Work)> {
    let mut all = Vec::new();
    for repo in &request.repos {
        let shown = repo.display();
        let mut ask = |what: String, missing: String, may_be_missing, work| {
            let asked = Asked {
                repo: repo.clone(),
                title: format!("{shown}{what}"),
                missing: format!("{shown}{missing}"),
                may_be_missing,
            };
            all.push((asked, work));
        };
        if request.scripted {
            ask(String::new(), String::new(), false, Work::Edits);
        }
        if let Some((from, to)) = &request.between {
            let work = Work::Between(from.clone(), to.clone());
            ask(format!(" {from} to {to}"), String::new(), false, work);
        }
        // A distance that is given twice is measured only once.
        let mut seen = std::collections::BTreeSet::new();
        let distances = request.commits.iter();
        for commits in distances.filter(|commits| seen.insert(**commits)) {
            for end in 0..request.ends {
                let before = |commits: u32| match commits {
                    0 => "HEAD".to_owned(),
                    commits => format!("HEAD~{commits}"),
                };
                let to = before(end * APART);
                let what = format!(" {commits} commits to {to}");
                let from = before((end * APART).saturating_add(*commits));
                ask(what, format!(" {commits}"), true, Work::Between(from, to));
            }
        }
    }
    all
}

struct Piece<'a> {
    /// Index of the measurement that it belongs to.
    of: usize,
    repo: &'a Path,
    work: &'a Work,
    kind: usize,
    threads: NonZeroUsize,
}

impl Piece<'_> {
    fn found(&self, request: &DriftRequest) -> Told {
        let found = match self.work {
            Work::Between(from, to) => {
                between::between(request, self.repo, (from, to), self.threads)
            }
            Work::Edits => scripted::edits(request, self.repo, self.kind),
        };
        found.unwrap_or_else(|error| Told::failed(&*error))
    }
}

impl Drift {
    /// Reports the results: the listed spans, a line per measurement, and what the totals prove.
    pub(crate) fn tell(&self, say: Say<'_>) {
        let mut whole = Table::default();
        for of_repo in self.found.chunk_by(|one, other| one.0.repo == other.0.repo) {
            for (asked, told) in of_repo {
                for line in &told.lines {
                    say(line);
                }
                match &told.failure {
                    Some(why) => say(&format!("{}: {why}", asked.missing)),
                    None => say(&format!("{}: {}", asked.title, told.table.line())),
                }
                whole.add(told.table.clone());
            }
            let known = of_repo.iter();
            let known = known.filter_map(|(_, told)| Some((told.apart?, told.table.fates())));
            fates::tell(known.collect(), say);
        }
        whole.tell(say);
    }
}

/// Checks the names in `show`.
///
/// # Errors
/// Returns an error if a name is neither a score nor a label.
fn check_shown(show: &[String]) -> Result<(), Error> {
    let scores = words::SCORES.map(|score| words::score(score).to_owned());
    let labels = words::LABELS.map(|label| label.word().to_owned());
    let edits = KINDS
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
    let named = named.join(", ");
    Err(format!("unknown score or label `{name}`; known: {named}").into())
}

struct Item {
    file: String,
    span: LineSpan,
    captured: Captured,
}

/// Clones `source` into the new folder `dir` without checking anything out. The clone shares the
/// objects of `source`, which are only read.
fn clone_into(source: &Repo, dir: &Path) -> Result<(), Error> {
    let (from, to) = (source.root().to_string_lossy(), dir.to_string_lossy());
    let how = ["clone", "-q", "--shared", "--no-checkout", &from, &to];
    git(dir.parent().unwrap_or(dir), &how).map(drop)
}

/// Reads the lines of all files from which spans are drawn or to which they can move.
fn files(dir: &Path) -> Result<Files, Error> {
    let mut files = BTreeMap::new();
    for name in names(dir, &["ls-files", "-z"])? {
        let path = dir.join(&name);
        let about = path.symlink_metadata()?;
        if about.is_file()
            && about.len() <= MAX_FILE
            && let Some(bytes) = windlass_store::read_file(
                &windlass_store::RootedPath::new(dir).join(&name),
                MAX_FILE,
            )?
            && let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\0')
        {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if is_written(&name, &lines) {
                files.insert(name, lines);
            }
        }
    }
    Ok(files)
}

fn counts(files: &Files) -> BTreeMap<String, u32> {
    let count = |(file, lines): (&String, &Vec<String>)| (file.clone(), lines.len() as u32);
    files.iter().map(count).collect()
}

fn own_folder() -> Result<tempfile::TempDir, Error> {
    Ok(tempfile::Builder::new()
        .prefix("windlass-drift-")
        .tempdir()?)
}
