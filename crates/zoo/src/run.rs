//! Runs the zoo on the samples. Each sample is generated, questioned, refreshed and edited, in
//! parallel with the others.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass::Workspace;
use windlass::engine::{Observer, Stop};
use windlass_base::did_you_mean;

use crate::edits::SECRET;
use crate::folder::{environment, lay_out, own_folder};
use crate::history::{self, Judge};
use crate::questions::Asking;
use crate::recipe::{Question, Recipe, SHIPPED, Sample};
use crate::refresh::{self, Folders};
use crate::results::{CaseResult, Measured, Results};
use crate::run_plan::{self, Doing};
use crate::system::{Ask, Plain, System};
use crate::{OURS, ZooError, edited_during_run};

/// Maximum number of questions a quick run asks about a repository.
pub(crate) const QUICK_QUESTIONS: usize = 12;
/// Maximum size in bytes of a sample in a quick run, unless the request names the archetype.
const QUICK_BYTES: usize = 1 << 20;

/// Options for a run.
pub struct ZooRequest {
    /// Archetypes to measure. If empty, all are measured.
    pub archetypes: Vec<String>,
    /// Name of the only case to measure, or `None` for all cases.
    pub case: Option<String>,
    /// True for a quick run, which measures only some of the cases.
    pub quick: bool,
    /// Questions about the user's repository, or `None` to mine them from its commit messages.
    pub cases: Option<Vec<Question>>,
    /// The systems to ask. Cases without a question measure Windlass only.
    pub systems: Vec<Box<dyn System>>,
    /// Judges evidence.
    pub judge: Judge,
    /// Monotonic clock for measuring durations.
    pub clock: fn() -> Duration,
    /// The run's start time. It's recorded with the results, but no value depends on it.
    pub now: SystemTime,
    /// Maximum number of pieces to measure at the same time.
    pub threads: NonZeroUsize,
}

impl ZooRequest {
    /// Checks that the systems have distinct names.
    ///
    /// # Errors
    ///
    /// Returns an error if two systems have the same name.
    pub(crate) fn check_names(&self) -> Result<(), ZooError> {
        let mut names = BTreeSet::new();
        let mut systems = self.systems.iter();
        match systems.find(|system| !names.insert(system.name())) {
            None => Ok(()),
            Some(system) => Err(ZooError::Request(format!(
                "duplicate system name `{}`: give each system its own name",
                system.name()
            ))),
        }
    }

    /// Returns the questions to ask. A quick run asks at most [`QUICK_QUESTIONS`], spread evenly
    /// over the list.
    pub(crate) fn some_of(&self, mut questions: Vec<Question>) -> Vec<Question> {
        if self.quick {
            let every = questions.len().div_ceil(QUICK_QUESTIONS).max(1);
            let mut at = 0..;
            questions.retain(|_| at.next().is_some_and(|at: usize| at.is_multiple_of(every)));
        }
        questions
    }

    fn is_wanted(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|wanted| wanted == case)
    }

    /// Returns the results of the requested cases.
    pub(crate) fn results(&self, mut found: Vec<CaseResult>) -> Results {
        found.retain(|case| self.is_wanted(&case.case));
        Results {
            quick: self.quick,
            run: Some(Measured::at(self.now)),
            ..Results::of(found).with_programs(&self.systems)
        }
    }

    /// Asks every system all requested questions about the archetype.
    ///
    /// # Errors
    ///
    /// Returns an error if the run is stopped.
    pub(crate) fn asked(
        &self,
        (archetype, questions): (&str, &[Question]),
        scene: &Scene<'_>,
        doing: &Doing<'_>,
    ) -> Result<Vec<CaseResult>, ZooError> {
        let mut cases = Vec::new();
        for (at, question) in questions.iter().enumerate() {
            if !self.is_wanted(&question.id) {
                continue;
            }
            (doing.progress)(at as u64, questions.len() as u64);
            let first = scene.ask(scene.workspace, question, doing);
            let order = first.plain.ranked(&question.text).into_iter();
            let asking = Asking {
                archetype,
                question,
                order: order.map(|(file, _)| file).collect(),
                first,
                again: scene.ask(scene.again, question, doing),
                clock: self.clock,
                secrets: &scene.secrets,
            };
            for system in &self.systems {
                let case = asking.answered_by(&**system);
                // An interrupted answer must not count as a result.
                doing.go_on()?;
                cases.push(case);
            }
        }
        Ok(cases)
    }
}

/// The files the questions are about, in the forms needed by the systems.
pub(crate) struct Scene<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The same files in another folder, opened with a different number of threads, for repeating
    /// questions.
    pub(crate) again: &'a Workspace,
    /// Folder with a copy of the files for measured programs, or `None` if we need no copy.
    pub(crate) alone: Option<&'a Path>,
    pub(crate) plain: &'a Plain,
    /// Index of the memory files alone, given to every system for questions about the memory.
    pub(crate) of_memory: &'a Plain,
    /// Secret values in the files, which a system must not print.
    pub(crate) secrets: Vec<&'static str>,
}

impl<'a> Scene<'a> {
    fn ask(
        &'a self,
        workspace: &'a Workspace,
        question: &'a Question,
        doing: &Doing<'a>,
    ) -> Ask<'a> {
        let plain = match question.is_of_memory {
            true => self.of_memory,
            false => self.plain,
        };
        Ask {
            root: workspace.site().repo().root(),
            alone: self.alone,
            workspace,
            files: plain.files(),
            plain,
            is_of_memory: question.is_of_memory,
            question: &question.text,
            budget: crate::metric::BUDGET,
            cancel: doing.cancel,
        }
    }
}

/// Returns the name and title of each available archetype.
///
/// # Errors
///
/// Returns an error if a shipped recipe is invalid.
pub fn archetypes() -> Result<Vec<(String, String)>, ZooError> {
    let recipes = chosen(&[])?.into_iter();
    Ok(recipes.map(|recipe| (recipe.id, recipe.title)).collect())
}

fn chosen(names: &[String]) -> Result<Vec<Recipe>, ZooError> {
    let is_known = |name: &&String| SHIPPED.iter().any(|(known, _)| known == *name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(ZooError::Unknown {
            what: "archetype",
            name: name.clone(),
            known: SHIPPED.map(|(known, _)| known).join(", "),
        });
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let shipped = SHIPPED.iter().filter(|(name, _)| wanted(name));
    shipped
        .map(|(name, text)| Recipe::read(&format!("eval-zoo/{name}.toml"), text))
        .collect()
}

/// Runs the zoo as a plan. `observer` receives the progress, and `stop` ends the run.
///
/// # Errors
///
/// Returns an error if an archetype or case is unknown, a folder cannot be created, or the run is stopped. A
/// failure of a system is a failed case instead.
pub async fn run(
    request: Arc<ZooRequest>,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    let (mut pieces, mut known) = (Vec::new(), BTreeSet::new());
    let is_cut = request.quick && request.archetypes.is_empty();
    for recipe in chosen(&request.archetypes)? {
        let sample = recipe.make()?;
        if is_cut && size(&sample) > QUICK_BYTES {
            continue;
        }
        let sample = Arc::new(Sample {
            questions: request.some_of(sample.questions),
            ..sample
        });
        for part in [Part::Reads, Part::History, Part::Meanwhile] {
            let cases = part.cases(&sample);
            if cases.iter().any(|case| request.is_wanted(case)) {
                pieces.push(Piece {
                    request: Arc::clone(&request),
                    sample: Arc::clone(&sample),
                    part,
                });
            }
            known.extend(cases);
        }
    }
    // Start the longest pieces first, or one of them could run alone at the end.
    pieces.sort_by_key(|piece| std::cmp::Reverse((piece.part == Part::Reads, size(&piece.sample))));
    if pieces.is_empty() {
        let name = request.case.as_deref().unwrap_or_default();
        return Err(unknown_case(name, &known));
    }
    let found = run_plan::done(pieces, request.threads, observer, stop).await?;
    Ok(request.results(found.concat()))
}

/// Returns the total size of a sample's files in bytes.
fn size(sample: &Sample) -> usize {
    let lines = sample.files.values().flatten();
    lines.map(|line| line.len() + 1).sum()
}

/// Returns an error for an unknown case. It names the most similar case, or all cases if none is
/// similar.
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

/// A part of the work for an archetype. The parts run independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The questions and the runbook, which leave the files unchanged.
    Reads,
    /// Judgements about evidence whose files are edited.
    History,
    /// The runbook, with edits to the files during its run.
    Meanwhile,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Self::Reads => "questions",
            Self::History => "history",
            Self::Meanwhile => "meanwhile",
        }
    }

    /// Returns the names of the cases in this part, of which there are none if `sample` doesn't
    /// have the part.
    fn cases(self, sample: &Sample) -> Vec<String> {
        let has_files = !sample.remembers_alone();
        match self {
            Self::Reads => {
                let questions = sample.questions.iter().map(|question| question.id.clone());
                let runbook = has_files.then(|| refresh::CASE.to_owned());
                questions.chain(runbook).collect()
            }
            Self::History => history::cases().filter(|_| has_files).collect(),
            Self::Meanwhile => {
                let case = sample
                    .recipe
                    .edited_while_read
                    .then_some(edited_during_run::CASE);
                case.into_iter().map(str::to_owned).collect()
            }
        }
    }
}

struct Piece {
    request: Arc<ZooRequest>,
    sample: Arc<Sample>,
    part: Part,
}

impl run_plan::Piece for Piece {
    type Found = Vec<CaseResult>;

    fn name(&self) -> String {
        format!("{}-{}", self.sample.recipe.id, self.part.word())
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let found = match self.part {
            Part::Reads => self.read(doing),
            Part::History => self.edited(doing),
            Part::Meanwhile => self.edited_while_read(doing),
        };
        match found {
            // Without a folder we can't measure anything. That says nothing about a system, so end
            // the run.
            Err(error @ (ZooError::Stopped | ZooError::Folder(_))) => Err(error),
            // Turn the failure into a failed case, so that the other pieces can continue.
            Err(error) => {
                let part = self.part.word();
                let case = self.request.case.as_deref().unwrap_or(part);
                Ok(vec![CaseResult {
                    asked: format!("all of the {part}"),
                    failure: Some(error.to_string()),
                    ..CaseResult::new(&self.sample.recipe.id, case, OURS)
                }])
            }
            found => found,
        }
    }
}

impl Piece {
    /// Measures the questions and the runbook, on two folders with the same files.
    fn read(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let (request, sample) = (&self.request, &*self.sample);
        let folder = own_folder()?;
        let (root, copy) = (
            folder.path().join("repo"),
            folder.path().join("another/place/repo"),
        );
        lay_out(sample, &root, doing)?;
        lay_out(sample, &copy, doing)?;
        let home = |root: &Path| root.join("../home");
        let open = |root: &Path, threads| {
            Workspace::open(root, environment(&home(root), request.clock, threads))
        };
        let mut files = sample.files.clone();
        let is_planted = files.values().flatten().any(|line| line.contains(SECRET));
        files.retain(|path, _| !path.starts_with('.'));
        let plain = Plain::of(Arc::new(files));
        let scene = Scene {
            workspace: &open(&root, 1)?,
            again: &open(&copy, 4)?,
            alone: None,
            of_memory: &plain.of_memory(),
            plain: &plain,
            secrets: is_planted.then_some(SECRET).into_iter().collect(),
        };
        let questions = (&*sample.recipe.id, &*sample.questions);
        let mut cases = request.asked(questions, &scene, doing)?;
        if !sample.remembers_alone() && request.is_wanted(refresh::CASE) {
            let folders = Folders {
                first: &root,
                copy: &copy,
            };
            let world = |at: &Path| environment(&home(at), request.clock, 1);
            let case = refresh::run(sample, &folders, &world, &scene.secrets, doing)?;
            cases.push(case);
        }
        Ok(cases)
    }

    fn edited(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let folder = own_folder()?;
        let new_folder = |at: usize| -> Result<PathBuf, ZooError> {
            let root = folder.path().join(at.to_string()).join("repo");
            lay_out(&self.sample, &root, doing).map(|()| root)
        };
        history::run(&self.sample, &new_folder, self.request.judge, doing)
    }

    fn edited_while_read(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let folder = own_folder()?;
        let (root, home) = (folder.path().join("repo"), folder.path().join("home"));
        lay_out(&self.sample, &root, doing)?;
        let environment = || environment(&home, self.request.clock, 1);
        edited_during_run::run(&self.sample, &root, &environment, doing).map(|case| vec![case])
    }
}
