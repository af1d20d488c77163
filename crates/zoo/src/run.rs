//! Runs the zoo on the samples: each sample is generated, asked questions, refreshed and edited, in
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

/// Maximum number of questions that a quick run asks about a repository.
pub(crate) const QUICK_QUESTIONS: usize = 12;
/// A quick run skips samples with more bytes than this, unless the user has named the archetype.
const QUICK_BYTES: usize = 1 << 20;

/// Options for a run.
pub struct ZooRequest {
    /// Archetypes to measure. If there are none, we measure all of them.
    pub archetypes: Vec<String>,
    /// Name of the only case to measure, or `None` to measure all of them.
    pub case: Option<String>,
    /// True for a quick run, which only measures some of the cases.
    pub quick: bool,
    /// Questions about the user's repository, or `None` to mine them from the commit messages.
    pub cases: Option<Vec<Question>>,
    /// The systems to ask. A case that isn't a question only measures Windlass.
    pub systems: Vec<Box<dyn System>>,
    /// The function that judges evidence. Tests pass one that's wrong.
    pub judge: Judge,
    /// A monotonic clock, for measuring durations.
    pub clock: fn() -> Duration,
    /// Time at which the run started. It's recorded in the results, but doesn't affect them.
    pub now: SystemTime,
    /// Maximum number of pieces that we measure at the same time.
    pub threads: NonZeroUsize,
}

impl ZooRequest {
    /// Checks that no two systems have the same name.
    ///
    /// # Errors
    ///
    /// Returns an error if they do.
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

    /// Returns the names of the archetypes that this run measures.
    ///
    /// # Errors
    ///
    /// Returns an error if we don't know a requested archetype.
    pub fn measured(&self) -> Result<Vec<String>, ZooError> {
        let samples = self.samples()?.into_iter();
        Ok(samples.map(|sample| sample.recipe.id).collect())
    }

    fn samples(&self) -> Result<Vec<Sample>, ZooError> {
        let recipes = chosen(&self.archetypes)?;
        let samples: Result<Vec<Sample>, _> = recipes.into_iter().map(Recipe::make).collect();
        let mut samples = samples?;
        let is_cut = self.quick && self.archetypes.is_empty();
        samples.retain(|sample| !is_cut || size(sample) <= QUICK_BYTES);
        Ok(samples)
    }

    /// Picks the questions to ask. In a quick run, these are at most [`QUICK_QUESTIONS`], spread
    /// evenly over the list.
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

    pub(crate) fn results(&self, mut found: Vec<CaseResult>) -> Results {
        found.retain(|case| self.is_wanted(&case.case));
        Results {
            quick: self.quick,
            run: Some(Measured::at(self.now)),
            ..Results::of(found).with_programs(&self.systems)
        }
    }

    /// Asks every system the requested questions about an archetype.
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
                // If the run was stopped, the answer may be incomplete.
                doing.go_on()?;
                cases.push(case);
            }
        }
        Ok(cases)
    }
}

/// The files that questions are about, in the forms that the systems need.
pub(crate) struct Scene<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The same files in another folder, opened with another number of threads. We ask each
    /// question there as well, to see if the answer is the same.
    pub(crate) again: &'a Workspace,
    /// A folder with a copy of the files, for programs that we measure. `None` if we don't need
    /// one.
    pub(crate) alone: Option<&'a Path>,
    pub(crate) plain: &'a Plain,
    /// An index with nothing but files of the memory. For questions about the memory, each system
    /// gets this one.
    pub(crate) of_memory: &'a Plain,
    /// Secrets in the files, which no system may print.
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

/// Returns the name and the title of each archetype.
///
/// # Errors
///
/// Returns an error if one of our recipes is invalid.
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

/// Runs the zoo as a plan. `observer` gets to know the progress, and `stop` ends the run. For a
/// user's repository, see [`crate::run_repo`].
///
/// # Errors
///
/// Returns an error if we don't know an archetype or a case, if a folder can't be created, or if
/// the run is stopped. If a system fails, that's just a failed case.
pub async fn run(
    request: Arc<ZooRequest>,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    let (mut pieces, mut known) = (Vec::new(), BTreeSet::new());
    for sample in request.samples()? {
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
    // Start the longest pieces first. If such a piece started late, it'd be running alone in the
    // end.
    pieces.sort_by_key(|piece| std::cmp::Reverse((piece.part == Part::Reads, size(&piece.sample))));
    if pieces.is_empty() {
        let name = request.case.as_deref().unwrap_or_default();
        return Err(unknown_case(name, &known));
    }
    let found = run_plan::done(pieces, request.threads, observer, stop).await?;
    Ok(request.results(found.concat()))
}

fn size(sample: &Sample) -> usize {
    let lines = sample.files.values().flatten();
    lines.map(|line| line.len() + 1).sum()
}

/// Creates the error for an unknown case. It suggests the most similar name or, if there's none,
/// all names.
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

/// A part of the work for an archetype. The parts don't depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The questions and the runbook. They don't change any files.
    Reads,
    /// Judging evidence after its files have been edited.
    History,
    /// The runbook, while files are edited.
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

    /// Returns the names of the cases in this part. If `sample` doesn't have what the part
    /// measures, there are none.
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
            // Without a folder, we can't measure anything, and it's not the fault of any system.
            Err(error @ (ZooError::Stopped | ZooError::Folder(_))) => Err(error),
            // Anything else is a failed case, so the other pieces go on.
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
    /// Measures the questions and the runbook, in two folders with the same files.
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
