//! Measurement of repair after a repository has moved on: `windlass zoo drift`.
//!
//! Spans are captured at an old commit and judged at a new one, in a separate clone. The true location comes
//! from git's line tracking, by two methods that must agree, or from scripted edits whose effect is known. An
//! old commit that is not among the first parents of the new one is grafted below them (`commit_line`). Only
//! git's answers are cached (`tracking_cache`).

mod between;
mod commit_line;
mod drift_report;
mod drift_words;
mod fates;
mod found_places;
pub(crate) mod made_commits;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod scripted;
mod table;
mod tracking_cache;
mod truth;
mod zoo_git;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass::engine::{Observer, Stop};
use windlass_base::{Cancel, LineSpan};
use windlass_evidence::Captured;
use windlass_repo::Repo;

use crate::ZooError;
use crate::run_plan::{self, Doing};
use crate::written::is_written;
pub use drift_report::DriftReport;
pub use drift_words::{Word, words as drift_words};
use found_places::Told;
use score::{Label, Score};
use table::Table;
use zoo_git::names;
pub(crate) use zoo_git::{git, git_unless};

/// What can go wrong on the way: git, files, parsing. It is told once, in words.
type Error = Box<dyn std::error::Error>;

/// Who is told what is found, line by line.
pub type Say<'a> = &'a mut dyn FnMut(&str);

/// The lines of files, by path.
type Files = BTreeMap<String, Vec<String>>;

/// Larger files are not read, in bytes.
const MAX_FILE: u64 = 4 << 20;

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
    /// Whether edits are scripted instead.
    pub scripted: bool,
    /// Where it is kept where git says that lines went, for the next time; nowhere if not said.
    pub cache: Option<PathBuf>,
    /// How many pieces of work at once.
    pub jobs: NonZeroUsize,
}

impl Default for DriftRequest {
    /// 200 spans; wrong ones are named, and nothing is kept.
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

/// How many commits lie between the states that are judged.
const APART: u32 = 97;

/// Something that was asked for, of one repository.
#[derive(Debug, Clone)]
struct Asked {
    repo: PathBuf,
    /// What it is called where something is found, and where it is not.
    title: String,
    missing: String,
    /// Whether a repository may be without it.
    may_be_missing: bool,
}

/// Work that it needs.
#[derive(Debug, Clone)]
enum Work {
    /// Places are captured at the one revision and judged at the other.
    Between(String, String),
    /// Edits of each kind are done.
    Edits,
}

/// What was found.
#[derive(Debug)]
pub struct Drift {
    /// In the order in which it was asked for.
    found: Vec<(Asked, Told)>,
}

/// Measures it as a plan: `observer` hears how far it is, and `stop` ends it.
///
/// # Errors
/// When nothing is asked for, scripted edits cannot be made, nothing at all could be measured, or it was stopped. A repository whose
/// history does not reach so far is told, where another's does.
pub async fn drift(
    request: Arc<DriftRequest>,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Drift, ZooError> {
    let asked = usize::from(!request.commits.is_empty())
        + usize::from(request.between.is_some())
        + usize::from(request.scripted);
    if request.repos.is_empty() || asked != 1 {
        let message = "drift needs a repository, and one of: how many commits, two revisions, or scripted edits";
        return Err(ZooError::Request(message.to_owned()));
    }
    check_shown(&request.show)?;
    let asked = asked_for(&request);
    let mut pieces = Vec::new();
    for (of, (asked, work)) in asked.iter().enumerate() {
        let kinds = match work {
            Work::Edits => scripted::kinds::KINDS.len(),
            Work::Between(..) => 1,
        };
        pieces.extend((0..kinds).map(|kind| Piece {
            of,
            kind,
            repo: asked.repo.clone(),
            work: work.clone(),
            threads: NonZeroUsize::MIN,
            request: Arc::clone(&request),
        }));
    }
    if let [alone] = &mut pieces[..] {
        alone.threads = request.jobs;
    }
    let owners: Vec<usize> = pieces.iter().map(|piece| piece.of).collect();
    let told = run_plan::done(pieces, request.jobs, observer, stop).await?;
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
    let has_none = found.iter().all(|(_, told)| told.failure.is_some());
    for (asked, told) in &found {
        if let Some(why) = told
            .failure
            .as_ref()
            .filter(|_| has_none || !asked.may_be_missing)
        {
            return Err(ZooError::Drift(why.clone()));
        }
    }
    Ok(Drift { found })
}

/// All that `request` asks for, in its order.
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
        // Who asks twice for one distance has measured it once.
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

/// A piece of the work.
struct Piece {
    /// Which of those that were asked for it belongs to.
    of: usize,
    repo: PathBuf,
    work: Work,
    /// Kind of the edits.
    kind: usize,
    threads: NonZeroUsize,
    request: Arc<DriftRequest>,
}

impl run_plan::Piece for Piece {
    type Found = Told;

    fn name(&self) -> String {
        let word = match self.work {
            Work::Between(..) => "places",
            Work::Edits => "edits",
        };
        format!("{word}-{}-{}", self.of + 1, self.kind + 1)
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Told, ZooError> {
        let found = match &self.work {
            Work::Between(from, to) => {
                between::between(&self.request, &self.repo, (from, to), self.threads, doing)
            }
            Work::Edits => scripted::edits(&self.request, &self.repo, self.kind, doing),
        };
        doing.go_on()?;
        Ok(found.unwrap_or_else(|error| Told::failed(&*error)))
    }
}

impl Drift {
    /// How much of what was asked for could not be measured, and of how much.
    #[must_use]
    pub fn missing(&self) -> (usize, usize) {
        let missing = self.found.iter().filter(|(_, told)| told.failure.is_some());
        (missing.count(), self.found.len())
    }

    /// Tells what was found: the places that are named, a line for all that was asked for, and what that proves.
    pub fn tell(&self, say: Say<'_>) {
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

/// # Errors
/// When places are to be named by something that none has.
fn check_shown(show: &[String]) -> Result<(), ZooError> {
    let scores = Score::ALL.map(|score| score.word().to_owned());
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

/// Clones `source` into `dir`, which is made, with nothing checked out. Objects are shared, which only reads them.
fn clone_into(source: &Repo, dir: &Path, cancel: &Cancel) -> Result<(), Error> {
    let (from, to) = (source.root().to_string_lossy(), dir.to_string_lossy());
    let how = ["clone", "-q", "--shared", "--no-checkout", &from, &to];
    git_unless(dir.parent().unwrap_or(dir), &how, cancel).map(drop)
}

/// The lines of all files that are sampled or moved to.
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

/// How many lines each of `files` has.
fn counts(files: &Files) -> BTreeMap<String, u32> {
    let count = |(file, lines): (&String, &Vec<String>)| (file.clone(), lines.len() as u32);
    files.iter().map(count).collect()
}
