//! A run: every piece of work by itself, as many at once as there are processors, each kept when it is done.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, SystemTime};

use windlass::Workspace;
use windlass::engine::{Observer, Stop};
use windlass_base::{Cancel, Digest, did_you_mean};

use crate::drift::scripted::kinds::SECRET;
use crate::folder::{environment, lay_out};
use crate::history::{self, Judge};
use crate::meanwhile;
use crate::measured_cache::{self, MeasuredCache};
use crate::own_folder::{OwnFolder, sweep};
use crate::questions::Asking;
use crate::recipe::{Files, Question, Recipe, SHIPPED, Sample};
use crate::refresh::{self, Folders};
use crate::results::{Batch, CaseResult, Results, stamp};
use crate::run_plan::{self, Doing};
use crate::shared_sample::{Shared, Use};
use crate::system::{Another, Ask, Plain, System};
use crate::{OURS, ZooError};

/// The answers to so many questions are kept together.
const FEW: usize = 4;

/// What to run.
pub struct ZooRequest {
    /// The archetypes; all if empty.
    pub archetypes: Vec<String>,
    /// Only this case.
    pub case: Option<String>,
    /// What a repository of the user's is asked; what its commits say if not said.
    pub cases: Option<Vec<Question>>,
    /// What is measured; ours is asked of everything else, too.
    pub systems: Vec<Box<dyn System>>,
    /// Where a runbook is run again, to see whether that gives the same; in this process if not said. Systems have their own.
    pub another: Option<Another>,
    /// What says what became of evidence.
    pub judge: Judge,
    /// Where results are kept, for the next time; nowhere if not said.
    pub cache: Option<PathBuf>,
    /// Counts the results that were kept there; others may look at it while it runs.
    pub saved: Arc<AtomicUsize>,
    /// What makes the results beside the samples: the digest of the program, names of systems.
    pub program: String,
    /// How much time has passed.
    pub clock: fn() -> Duration,
    /// When the run began: it is told of what it measures, no part of which follows from it.
    pub now: SystemTime,
    /// How many pieces of work at once.
    pub threads: NonZeroUsize,
}

/// A part of the work of an archetype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Questions,
    Runbook,
    History,
    /// The runbook, while its files are edited.
    Meanwhile,
}

struct Piece {
    request: Arc<ZooRequest>,
    sample: Arc<Sample>,
    /// Where those parts find it that only read it.
    shared: Arc<Shared>,
    part: Part,
}

/// Where questions are asked.
pub(crate) struct Scene<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The same files elsewhere, opened anew, with other threads.
    pub(crate) again: &'a Workspace,
    /// Its home, where that is not the user's.
    pub(crate) home: Option<&'a Path>,
    /// Its files alone, where programs that are measured are given these.
    pub(crate) alone: Option<&'a Path>,
    pub(crate) plain: &'a Plain,
    /// The files of its memory alone: who asks that looks nowhere else, whatever with.
    pub(crate) of_memory: &'a Plain,
    /// The secret values that stand in its files.
    pub(crate) secrets: Vec<&'static str>,
}

/// The archetypes there are: the name of each, and what it is like.
///
/// # Errors
/// When a shipped recipe is wrong.
pub fn archetypes() -> Result<Vec<(String, String)>, ZooError> {
    let recipes = SHIPPED.iter().map(|(name, text)| Recipe::read(name, text));
    recipes
        .map(|recipe| recipe.map(|recipe| (recipe.id, recipe.title)))
        .collect()
}

/// Runs the zoo as a plan: `observer` hears how far it is, and `stop` ends it.
///
/// # Errors
/// When there is no such archetype or case, a folder cannot be made, or it was stopped. A system that fails is a failed case.
pub async fn run(
    request: Arc<ZooRequest>,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    sweep();
    let (mut pieces, mut known) = (Vec::new(), BTreeSet::new());
    for recipe in chosen(&request.archetypes)? {
        let sample = Arc::new(recipe.make()?);
        let mut parts = Part::ALL.to_vec();
        parts.retain(|part| {
            if !part.is_of(&sample) {
                return false;
            }
            let cases = part.cases(&sample);
            let asked_for = request.case.as_ref();
            let is_meant = asked_for.is_none_or(|case| cases.contains(case));
            known.extend(cases);
            is_meant
        });
        let readers = parts.iter().filter(|part| part.only_reads()).count();
        let shared = Arc::new(Shared::new(&sample, readers));
        pieces.extend(parts.into_iter().map(|part| Piece {
            request: Arc::clone(&request),
            sample: Arc::clone(&sample),
            shared: Arc::clone(&shared),
            part,
        }));
    }
    // What takes longest comes first, so that no processor has nothing to do while another has the longest piece before it.
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.weighs()));
    if pieces.is_empty() {
        let name = request.case.as_deref().unwrap_or_default();
        return Err(unknown_case(name, &known));
    }
    let found = run_plan::done(pieces, request.threads, observer, stop).await?;
    Ok(request.wanted(found.concat()))
}

impl ZooRequest {
    /// # Errors
    /// When two systems have one name: nobody could tell them apart.
    pub(crate) fn check_names(&self) -> Result<(), ZooError> {
        let mut names = BTreeSet::new();
        let twice = self
            .systems
            .iter()
            .find(|system| !names.insert(system.name()));
        twice.map_or(Ok(()), |system| {
            let name = system.name();
            Err(ZooError::Request(format!(
                "two systems are called `{name}`: give each a name of its own"
            )))
        })
    }

    /// Of `found` the cases that are asked for.
    pub(crate) fn wanted(&self, mut found: Vec<Batch>) -> Results {
        let is_wanted =
            |case: &CaseResult| self.case.as_ref().is_none_or(|name| case.case == *name);
        for batch in &mut found {
            batch.cases.retain(is_wanted);
        }
        Results::of_batches(found, &self.program).with_programs(&self.systems)
    }
}

/// That there is no case called `name` among the `known`: the one is named that comes nearest, or all.
pub(crate) fn unknown_case(name: &str, known: &BTreeSet<String>) -> ZooError {
    let all: Vec<&str> = known.iter().map(String::as_str).collect();
    let told = match (did_you_mean(name, all.iter().copied()), all.len()) {
        (Some(near), 2..) => format!("{near}, and {} more", all.len() - 1),
        _ => all.join(", "),
    };
    ZooError::Unknown {
        what: "case",
        name: name.to_owned(),
        known: told,
    }
}

fn chosen(names: &[String]) -> Result<Vec<Recipe>, ZooError> {
    for name in names {
        if !SHIPPED.iter().any(|(known, _)| known == name) {
            let known: Vec<&str> = SHIPPED.iter().map(|(known, _)| *known).collect();
            return Err(ZooError::Unknown {
                what: "archetype",
                name: name.clone(),
                known: known.join(", "),
            });
        }
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let shipped = SHIPPED.iter().filter(|(name, _)| wanted(name));
    shipped
        .map(|(name, text)| Recipe::read(&format!("eval-zoo/{name}.toml"), text))
        .collect()
}

impl Part {
    const ALL: [Self; 4] = [
        Self::Questions,
        Self::History,
        Self::Runbook,
        Self::Meanwhile,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Questions => "questions",
            Self::Runbook => "runbook",
            Self::History => "history",
            Self::Meanwhile => "meanwhile",
        }
    }

    /// Whether there is such a part of `sample` at all.
    fn is_of(self, sample: &Sample) -> bool {
        match self {
            Self::Questions => true,
            Self::History | Self::Runbook => !sample.remembers_alone(),
            Self::Meanwhile => sample.recipe.edited_while_read,
        }
    }

    /// Whether it leaves the files of the sample as they are.
    fn only_reads(self) -> bool {
        matches!(self, Self::Questions | Self::Runbook)
    }

    /// The names of its cases.
    fn cases(self, sample: &Sample) -> Vec<String> {
        match self {
            Self::Questions => {
                let questions = sample.questions.iter();
                questions.map(|question| question.id.clone()).collect()
            }
            Self::Runbook => vec![refresh::CASE.to_owned()],
            Self::History => history::cases().collect(),
            Self::Meanwhile => vec![meanwhile::CASE.to_owned()],
        }
    }
}

impl Piece {
    /// About how long it takes, beside others: how often all files are read or written.
    fn weighs(&self) -> usize {
        let size: usize = self.sample.files.values().map(Vec::len).sum();
        size * match self.part {
            Part::Questions => self.sample.questions.len() * self.request.systems.len().max(1),
            Part::History => 40,
            Part::Runbook | Part::Meanwhile => 10,
        }
    }
}

impl run_plan::Piece for Piece {
    type Found = Vec<Batch>;

    fn name(&self) -> String {
        format!("{}-{}", self.sample.recipe.id, self.part.word())
    }

    /// What was kept, or is found now.
    fn found(&self, doing: &Doing<'_>) -> Result<Vec<Batch>, ZooError> {
        let reads = self.part.only_reads().then(|| self.shared.begin());
        match self.known_or_measured(reads.as_ref(), doing) {
            // Without a place to work in, nothing can be measured here, which says nothing of what is measured.
            Err(error @ (ZooError::Stopped | ZooError::Folder(_))) => Err(error),
            // The rest goes on.
            Err(error) => Ok(vec![self.failed(&error)]),
            found => found,
        }
    }
}

impl Piece {
    fn known_or_measured(
        &self,
        reads: Option<&Use<'_>>,
        doing: &Doing<'_>,
    ) -> Result<Vec<Batch>, ZooError> {
        let request = &self.request;
        let (sample, part) = (self.sample.digest().hex(), self.part.word());
        let of = [&sample, part, &self.sample.recipe.id];
        let Some(reads) = reads else {
            return request.once(&request.key("", &of), || match self.part {
                Part::Meanwhile => self.edited_while_read(doing),
                _ => self.edited(doing),
            });
        };
        if self.part == Part::Runbook {
            return request.once(&request.key("", &of), || self.refreshed(reads, doing));
        }
        // It is laid out and opened where somebody has to be asked.
        let mut stage = None;
        let questions = &self.sample.questions;
        request.answers(&of, questions, doing, |few, systems, doing| {
            let stage = match &mut stage {
                Some(stage) => stage,
                none => none.insert(self.stage(reads, doing)?),
            };
            let archetype = &*self.sample.recipe.id;
            asked((archetype, few), systems, request, &stage.scene(), doing)
        })
    }
}

impl ZooRequest {
    /// `cases`, which are measured now.
    fn batch(&self, cases: Vec<CaseResult>) -> Batch {
        let at = stamp(self.now);
        Batch { at, cases }
    }

    fn kept(&self) -> MeasuredCache {
        MeasuredCache::within(self.cache.as_deref(), 4_000, 64 << 20, &self.saved)
    }

    /// What is kept of `system`, and what that is `of`.
    fn key(&self, system: &str, of: &[&str]) -> String {
        measured_cache::key(&[&[&*self.program, system], of].concat())
    }

    /// What is kept, or is found now.
    fn once(
        &self,
        key: &str,
        find: impl FnOnce() -> Result<Vec<CaseResult>, ZooError>,
    ) -> Result<Vec<Batch>, ZooError> {
        let kept = self.kept();
        if let Some(batch) = kept.get(key) {
            return Ok(vec![batch]);
        }
        let batch = self.batch(find()?);
        if is_whole(&batch.cases) {
            kept.put(key, &batch);
        }
        Ok(vec![batch])
    }

    /// What is kept of the answers of all systems to those of `questions` that are wanted, and what those find now of which nothing is. It is
    /// kept for a few questions at a time: who stops a run has no more of it to measure again.
    pub(crate) fn answers(
        &self,
        of: &[&str],
        questions: &[Question],
        doing: &Doing<'_>,
        mut find: impl FnMut(
            &[Question],
            &[&dyn System],
            &Doing<'_>,
        ) -> Result<Vec<CaseResult>, ZooError>,
    ) -> Result<Vec<Batch>, ZooError> {
        let mut batches = Vec::new();
        for (few, done) in questions.chunks(FEW).zip((0..).step_by(FEW)) {
            let asked_for = self.case.as_ref();
            let mut wanted = few.to_vec();
            wanted.retain(|one| asked_for.is_none_or(|case| one.id == *case));
            if wanted.is_empty() {
                continue;
            }
            let asked = Digest::of_bytes(format!("{few:?}").as_bytes()).hex();
            let of = [of, &[&asked]].concat();
            let mut missing = Vec::new();
            for system in &self.systems {
                match self.known(&**system, &of) {
                    Some(known) => batches.push(known),
                    None => missing.push(&**system),
                }
            }
            if missing.is_empty() {
                continue;
            }
            let doing = Doing {
                cancel: doing.cancel,
                progress: &|at, _| (doing.progress)(done + at, questions.len() as u64),
            };
            let found = find(&wanted, &missing, &doing)?;
            // One question is not what is measured of a few.
            if wanted.len() == few.len() {
                self.keep(&missing, &of, &found);
            }
            batches.push(self.batch(found));
        }
        Ok(batches)
    }

    /// What is kept of `system`.
    fn known(&self, system: &dyn System, of: &[&str]) -> Option<Batch> {
        let is_kept = system.is_kept();
        is_kept.then(|| self.kept().get(&self.key(system.name(), of)))?
    }

    /// Keeps what was `found` of each of `systems` that can be kept.
    fn keep(&self, systems: &[&dyn System], of: &[&str], found: &[CaseResult]) {
        for system in systems.iter().filter(|system| system.is_kept()) {
            let own = found.iter().filter(|case| case.system == system.name());
            let own: Vec<CaseResult> = own.cloned().collect();
            if is_whole(&own) {
                self.kept()
                    .put(&self.key(system.name(), of), &self.batch(own));
            }
        }
    }
}

/// Whether nothing failed: what did may not the next time.
fn is_whole(cases: &[CaseResult]) -> bool {
    cases.iter().all(|case| case.failure.is_none())
}

impl Piece {
    /// What stands for all of it where it cannot be measured.
    fn failed(&self, error: &ZooError) -> Batch {
        let part = self.part.word();
        let case = self.request.case.as_deref().unwrap_or(part);
        let failed = CaseResult {
            asked: format!("all of the {part}"),
            failure: Some(error.to_string()),
            ..CaseResult::new(&self.sample.recipe.id, case, OURS)
        };
        self.request.batch(vec![failed])
    }

    /// What becomes of evidence where files are edited.
    fn edited(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let folder = OwnFolder::new().map_err(ZooError::Folder)?;
        let new_folder = |at: usize| {
            let root = folder.path().join(at.to_string()).join("repo");
            lay_out(&self.sample, &root, doing).map(|()| root)
        };
        history::run(&self.sample, &new_folder, self.request.judge, doing)
    }

    /// What its runbook claims while files are edited.
    fn edited_while_read(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let folder = OwnFolder::new().map_err(ZooError::Folder)?;
        let (root, home) = (folder.path().join("repo"), folder.path().join("home"));
        lay_out(&self.sample, &root, doing)?;
        let environment = || environment(&home, self.request.clock, 1);
        Ok(vec![meanwhile::run(
            &self.sample,
            &root,
            &environment,
            doing,
        )?])
    }

    /// What its runbook restores.
    fn refreshed(&self, reads: &Use<'_>, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let request = &self.request;
        let laid = reads.laid(doing)?;
        let environment = |at: &Path| environment(&at.join("../home"), request.clock, 1);
        let folders = Folders {
            first: &laid.root,
            copy: &laid.copy,
            another: request.another.as_ref(),
        };
        let secrets = secrets(&self.sample.files);
        let case = refresh::run(&self.sample, &folders, &environment, &secrets, doing)?;
        Ok(vec![case])
    }

    /// Where its questions are asked.
    fn stage(&self, reads: &Use<'_>, doing: &Doing<'_>) -> Result<Stage, ZooError> {
        let laid = reads.laid(doing)?;
        let open = |root: &Path, threads| {
            let home = root.join("../home");
            Workspace::open(root, environment(&home, self.request.clock, threads))
        };
        let mut files = self.sample.files.clone();
        files.retain(|path, _| !path.starts_with('.'));
        let plain = Plain::of(Arc::new(files));
        Ok(Stage {
            workspace: open(&laid.root, 1)?,
            again: open(&laid.copy, 4)?,
            home: laid.copy.join("../home"),
            of_memory: plain.of_memory(),
            plain,
            secrets: secrets(&self.sample.files),
        })
    }
}

/// A sample, opened for questions.
struct Stage {
    workspace: Workspace,
    again: Workspace,
    home: PathBuf,
    plain: Plain,
    of_memory: Plain,
    secrets: Vec<&'static str>,
}

impl Stage {
    fn scene(&self) -> Scene<'_> {
        Scene {
            workspace: &self.workspace,
            again: &self.again,
            home: Some(&self.home),
            alone: None,
            plain: &self.plain,
            of_memory: &self.of_memory,
            secrets: self.secrets.clone(),
        }
    }
}

/// The secret values that were planted.
fn secrets(files: &Files) -> Vec<&'static str> {
    let mut lines = files.values().flatten();
    let is_there = lines.any(|line| line.contains(SECRET));
    is_there.then_some(SECRET).into_iter().collect()
}

/// Asks every one of `systems` every question of an archetype.
///
/// # Errors
/// When it is stopped.
pub(crate) fn asked(
    (archetype, questions): (&str, &[Question]),
    systems: &[&dyn System],
    request: &ZooRequest,
    scene: &Scene<'_>,
    doing: &Doing<'_>,
) -> Result<Vec<CaseResult>, ZooError> {
    let mut cases = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        (doing.progress)(at as u64, questions.len() as u64);
        let of = |workspace| scene.ask(workspace, question, doing.cancel);
        let first = of(scene.workspace);
        let order = first.plain.ranked(&question.text).into_iter();
        let asking = Asking {
            archetype,
            question,
            order: order.map(|(file, _)| file).collect(),
            first,
            again: of(scene.again),
            clock: request.clock,
            secrets: &scene.secrets,
        };
        for system in systems {
            let case = asking.answered_by(*system);
            // What was broken off is no answer.
            doing.go_on()?;
            cases.push(case);
        }
    }
    Ok(cases)
}

impl<'a> Scene<'a> {
    fn ask(
        &'a self,
        workspace: &'a Workspace,
        question: &'a Question,
        cancel: &'a Cancel,
    ) -> Ask<'a> {
        let plain = match question.is_of_memory {
            true => self.of_memory,
            false => self.plain,
        };
        Ask {
            root: workspace.site().repo().root(),
            alone: self.alone,
            workspace,
            home: self.home,
            files: plain.files(),
            plain,
            is_of_memory: question.is_of_memory,
            question: &question.text,
            budget: crate::metric::BUDGET,
            cancel,
        }
    }
}
