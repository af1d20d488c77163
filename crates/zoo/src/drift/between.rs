//! What became of places between two states of a repository: captured at the old one, judged at the new one, in a clone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_base::{Judgement, RepoPath};
use windlass_evidence::{capture, explain, judge};
use windlass_repo::{Repo, Snapshot};

use super::commit_line::follow;
use super::lives::Lives;
use super::score::{self, States};
use super::truth::Tracking;
use super::zoo_git::{git_unless, names, text};
use super::{DriftRequest, Error, Files, Item, Told, clone_into, counts, files, sample};
use crate::ZooError;
use crate::measured_cache::{MeasuredCache, key};
use crate::own_folder::OwnFolder;
use crate::run_plan::Doing;
use crate::stats::Draw;

/// In how many pieces it is asked who wrote the lines of files.
pub(super) const BLAMES: usize = 8;
/// How many places a piece judges.
pub(super) const PLACES: usize = 25;
/// The version of what is kept of git's answers, which do not depend on this program otherwise.
const TRACKING: &str = "tracking 4";

/// Two states, and what is known of them so far.
pub(super) struct Between {
    pub(super) request: Arc<DriftRequest>,
    pub(super) repo: PathBuf,
    pub(super) from: String,
    pub(super) to: String,
    /// What git says, for any version of this program.
    pub(super) tracked: MeasuredCache,
    /// What this program finds.
    pub(super) kept: MeasuredCache,
    state: Mutex<State>,
}

/// How far it is.
#[derive(Default)]
enum State {
    #[default]
    Nothing,
    Ready(Arc<Prepared>),
    /// All is known, or it is known why it cannot be.
    Told(Told),
}

/// What the pieces work on, and what they found.
struct Prepared {
    /// Holds the clone.
    _folder: OwnFolder,
    dir: PathBuf,
    old: String,
    new: String,
    before: Files,
    after: Files,
    changed: BTreeSet<String>,
    /// Those of them that are there in the new state.
    blamed: Vec<String>,
    items: Vec<Item>,
    snapshot: Snapshot,
    apart: Option<(u32, i64)>,
    found: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    tracking: Vec<Tracking>,
    verdicts: BTreeMap<usize, Vec<Verdict>>,
}

/// What was said of a place, and how that was reached, where somebody wants to know.
#[derive(Clone, Serialize, Deserialize)]
struct Verdict {
    judgement: Judgement,
    steps: Vec<String>,
}

impl Between {
    pub(super) fn new(
        request: &Arc<DriftRequest>,
        repo: &Path,
        (from, to): (&str, &str),
        (tracked, kept): (&MeasuredCache, &MeasuredCache),
    ) -> Self {
        Self {
            request: Arc::clone(request),
            repo: repo.to_path_buf(),
            from: from.to_owned(),
            to: to.to_owned(),
            tracked: tracked.clone(),
            kept: kept.clone(),
            state: Mutex::default(),
        }
    }

    /// How many pieces judge places.
    pub(super) fn judges(&self) -> usize {
        self.request.spans.div_ceil(PLACES)
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn ready(&self) -> Option<Arc<Prepared>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(prepared) => Some(Arc::clone(prepared)),
            State::Nothing | State::Told(_) => None,
        }
    }

    /// Clones it, and draws places; not where all is known already.
    ///
    /// # Errors
    /// When it is stopped.
    pub(super) fn prepare(&self, doing: &Doing<'_>) -> Result<(), ZooError> {
        let state = self.prepared(doing);
        doing.go_on()?;
        self.set(state.unwrap_or_else(|error| State::Told(Told::failed(&*error))));
        Ok(())
    }

    fn prepared(&self, doing: &Doing<'_>) -> Result<State, Error> {
        let source = Repo::open(&self.repo)?;
        let its_git = source.git()?;
        let resolved = |revision: &str| {
            let commit = its_git.revisions().commit_id(revision)?;
            let missing = || {
                let why = "check the name, or fetch it (a shallow clone lacks older commits)";
                Error::from(format!("there is no commit `{revision}`: {why}"))
            };
            commit.ok_or_else(missing)
        };
        let (old, new) = (resolved(&self.from)?, resolved(&self.to)?);
        if let Some(told) = self.kept.get(&self.key("told", &old, &new)) {
            return Ok(State::Told(told));
        }
        let folder = OwnFolder::new()?;
        let dir = folder.path().join("clone");
        clone_into(&source, &dir, doing.cancel)?;
        git_unless(&dir, &["checkout", "-q", "--force", &old], doing.cancel)?;
        follow(&dir, (&old, &new), doing.cancel)?;
        let before = files(&dir)?;
        let diff = ["diff", "--name-only", "--no-renames", "-z", &old, &new];
        let changed: BTreeSet<String> = names(&dir, &diff)?.collect();
        let items = captured(&dir, &before, &changed, &self.request, doing)?;
        git_unless(&dir, &["checkout", "-q", "--force", &new], doing.cancel)?;
        let listed = ["ls-tree", "-r", "--name-only", "-z", &new];
        let there: BTreeSet<String> = names(&dir, &listed)?.collect();
        let blamed = changed.iter().filter(|file| there.contains(*file));
        Ok(State::Ready(Arc::new(Prepared {
            blamed: blamed.cloned().collect(),
            after: files(&dir)?,
            snapshot: Repo::open(&dir)?.snapshot(),
            apart: apart(&dir, (&old, &new)),
            _folder: folder,
            dir,
            old,
            new,
            before,
            changed,
            items,
            found: Mutex::default(),
        })))
    }

    /// What a part of it is kept by.
    fn key(&self, part: &str, old: &str, new: &str) -> String {
        let request = &self.request;
        let how = format!("{} {} {}", request.spans, request.seed, request.explain);
        let program = request.program.as_deref().unwrap_or_default();
        key(&[program, part, old, new, &how, &request.show.join("\0")])
    }

    /// What `git blame` says of a part of the files.
    ///
    /// # Errors
    /// When it is stopped.
    pub(super) fn blame(&self, part: usize, doing: &Doing<'_>) -> Result<(), ZooError> {
        let Some(ready) = self.ready() else {
            return Ok(());
        };
        let own: Vec<&String> = ready.blamed.iter().skip(part).step_by(BLAMES).collect();
        let key = key(&[TRACKING, &ready.old, &ready.new, &format!("blame {part}")]);
        self.track(&ready, &key, doing, || {
            let ends = (ready.old.as_str(), ready.new.as_str());
            let all = own.len() as u64;
            let next = |at| (doing.progress)(at as u64, all);
            Ok(Tracking::blamed(&ready.dir, ends, &own, doing.cancel, next))
        })
    }

    /// What the differences of all commits say.
    ///
    /// # Errors
    /// When it is stopped.
    pub(super) fn replay(&self, doing: &Doing<'_>) -> Result<(), ZooError> {
        let Some(ready) = self.ready() else {
            return Ok(());
        };
        let key = key(&[TRACKING, &ready.old, &ready.new, "replay"]);
        self.track(&ready, &key, doing, || {
            let ends = (ready.old.as_str(), ready.new.as_str());
            let counts = counts(&ready.before);
            Tracking::replayed(&ready.dir, ends, &counts, &ready.changed, doing.cancel)
        })
    }

    fn track(
        &self,
        ready: &Prepared,
        key: &str,
        doing: &Doing<'_>,
        ask: impl FnOnce() -> Result<Tracking, Error>,
    ) -> Result<(), ZooError> {
        let known: Option<String> = self.tracked.get(key);
        let known = known.and_then(|text| Tracking::read(&text).ok());
        let part = match known {
            Some(part) => Ok(part),
            None => ask().inspect(|part| {
                // What was broken off is not all there is.
                if doing.go_on().is_ok() {
                    self.tracked.put(key, &part.written());
                }
            }),
        };
        doing.go_on()?;
        match part {
            Ok(part) => ready.add(|found| found.tracking.push(part)),
            Err(error) => self.set(State::Told(Told::failed(&*error))),
        }
        Ok(())
    }

    /// Judges a part of the places.
    ///
    /// # Errors
    /// When it is stopped.
    pub(super) fn judge(&self, part: usize, doing: &Doing<'_>) -> Result<(), ZooError> {
        let Some(ready) = self.ready() else {
            return Ok(());
        };
        let key = self.key(&format!("judge {part}"), &ready.old, &ready.new);
        let known: Option<Vec<Verdict>> = self.kept.get(&key);
        let verdicts = match known {
            Some(verdicts) => verdicts,
            None => {
                let verdicts = self.judged(part, &ready, doing)?;
                self.kept.put(&key, &verdicts);
                verdicts
            }
        };
        ready.add(|found| drop(found.verdicts.insert(part, verdicts)));
        Ok(())
    }

    fn judged(
        &self,
        part: usize,
        ready: &Prepared,
        doing: &Doing<'_>,
    ) -> Result<Vec<Verdict>, ZooError> {
        let own = ready.items.iter().skip(part * PLACES).take(PLACES);
        let all = own.len() as u64;
        let mut verdicts = Vec::new();
        for (at, item) in own.enumerate() {
            doing.go_on()?;
            (doing.progress)(at as u64, all);
            let (pointer, capture) = (&item.captured.pointer, Some(&item.captured.capture));
            let (judgement, steps) = match self.request.explain {
                true => explain(&ready.snapshot, pointer, capture),
                false => (judge(&ready.snapshot, pointer, capture), Vec::new()),
            };
            let steps = steps
                .iter()
                .map(|step| format!("{}: {}", step.stage, step.found));
            verdicts.push(Verdict {
                judgement,
                steps: steps.collect(),
            });
        }
        Ok(verdicts)
    }

    /// Holds the verdicts against where the lines went in truth.
    ///
    /// # Errors
    /// When it is stopped.
    pub(super) fn score(&self, doing: &Doing<'_>) -> Result<Told, ZooError> {
        let state = std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        let ready = match state {
            State::Told(told) => return Ok(told),
            State::Nothing => return Ok(Told::default()),
            State::Ready(ready) => ready,
        };
        let told = self.scored(&ready, doing)?;
        self.kept
            .put(&self.key("told", &ready.old, &ready.new), &told);
        Ok(told)
    }

    fn scored(&self, ready: &Prepared, doing: &Doing<'_>) -> Result<Told, ZooError> {
        let found = std::mem::take(&mut *ready.lock());
        let tracking = Tracking::of_parts(found.tracking);
        let states = States {
            old: &|file| ready.before.get(file).map(Vec::as_slice),
            new: &|file| ready.after.get(file).map(Vec::as_slice),
        };
        let mut told = Told {
            apart: ready.apart,
            ..Told::default()
        };
        let mut lives = ready.drawn_from();
        let verdicts = found.verdicts.into_values().flatten();
        for (item, Verdict { judgement, steps }) in ready.items.iter().zip(verdicts) {
            doing.go_on()?;
            match score::truth(&tracking, &states, &item.file, item.span) {
                Some(truth) => {
                    let request = &self.request;
                    let fate = told.count(request, (item, None), &truth, &judgement, &steps);
                    lives.count(ready.changed.contains(&item.file), fate);
                }
                None => told.table.disagreed += 1,
            }
        }
        told.lives = Some(lives);
        Ok(told)
    }
}

impl Prepared {
    /// The files that places are drawn from.
    fn drawn_from(&self) -> Lives {
        let files = self.before.keys();
        let changed = files.filter(|file| self.changed.contains(*file)).count();
        let mut lives = Lives::default();
        lives.changed.files = changed as u32;
        lives.others.files = (self.before.len() - changed) as u32;
        lives
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Parts> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, to: impl FnOnce(&mut Parts)) {
        to(&mut self.lock());
    }
}

/// How many commits and days lie between two states; nothing where git cannot say.
fn apart(dir: &Path, (old, new): (&str, &str)) -> Option<(u32, i64)> {
    const DAY: i64 = 86_400;
    let range = format!("{old}..{new}");
    let commits = text(dir, &["rev-list", "--count", "--first-parent", &range]).ok()?;
    let written = |commit| -> Option<i64> {
        let time = text(dir, &["show", "-s", "--format=%ct", commit]).ok()?;
        time.parse().ok()
    };
    let days = (written(new)? - written(old)?) / DAY;
    Some((commits.parse().ok()?, days))
}

fn captured(
    dir: &Path,
    files: &Files,
    changed: &BTreeSet<String>,
    request: &DriftRequest,
    doing: &Doing<'_>,
) -> Result<Vec<Item>, Error> {
    let snapshot = Repo::open(dir)?.snapshot();
    let mut draw = Draw::new(request.seed);
    let mut items = Vec::new();
    for (file, span) in sample::spans(
        files,
        |file| changed.contains(file),
        request.spans,
        &mut draw,
    ) {
        doing.go_on()?;
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
