//! A run: every piece of work by itself, as many at once as there are processors, each kept when it is done.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass::engine::{Observer, Stop};
use windlass::{Environment, Workspace};
use windlass_base::Cancel;
use windlass_memory::FOLDER;

use crate::drift::scripted::kinds::SECRET;
use crate::folder::{environment, lay_out};
use crate::history::{self, Judge};
use crate::kept::{self, Kept};
use crate::plan::{self, Doing};
use crate::questions;
use crate::recipe::{Files, Question, Recipe, SHIPPED, Sample};
use crate::refresh::{self, Folders};
use crate::results::{CaseResult, Results};
use crate::system::{Another, Ask, System};
use crate::{ZooError, mined};

/// What to run.
pub struct ZooRequest {
    /// The archetypes; all if empty.
    pub archetypes: Vec<String>,
    /// Only this case.
    pub case: Option<String>,
    /// What is measured; ours is asked of everything else, too.
    pub systems: Vec<Box<dyn System>>,
    /// Where a runbook is run again, to see whether that gives the same; in this process if not said. Systems have their own.
    pub another: Option<Another>,
    /// What says what became of evidence.
    pub judge: Judge,
    /// Where results are kept, for the next time; nowhere if not said.
    pub cache: Option<PathBuf>,
    /// What makes the results beside the samples: the digest of the program, names of systems.
    pub program: String,
    /// How much time has passed.
    pub clock: fn() -> Duration,
    /// How many pieces of work at once.
    pub threads: NonZeroUsize,
}

/// A part of the work of an archetype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Questions,
    Runbook,
    History,
}

struct Piece {
    request: Arc<ZooRequest>,
    sample: Arc<Sample>,
    part: Part,
}

/// A repository of the user's.
struct Mined {
    request: Arc<ZooRequest>,
    name: String,
    workspace: Workspace,
    /// The same, opened anew.
    again: Workspace,
}

/// Where questions are asked.
struct Scene<'a> {
    workspace: &'a Workspace,
    /// The same files elsewhere, opened anew, with other threads.
    again: &'a Workspace,
    /// Its home, where that is not the user's.
    home: Option<&'a Path>,
    files: &'a Files,
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
    let mut pieces = Vec::new();
    for recipe in chosen(&request.archetypes)? {
        let sample = Arc::new(recipe.make()?);
        for part in [Part::History, Part::Questions, Part::Runbook] {
            let asked_for = request.case.as_deref();
            if part.is_of(&sample) && asked_for.is_none_or(|case| part.has(case, &sample)) {
                pieces.push(Piece {
                    request: Arc::clone(&request),
                    sample: Arc::clone(&sample),
                    part,
                });
            }
        }
    }
    if pieces.is_empty() {
        let name = request.case.clone().unwrap_or_default();
        let known = "those that `windlass zoo run --format json` names".to_owned();
        return Err(ZooError::Unknown {
            what: "case",
            name,
            known,
        });
    }
    let cases = plan::done(pieces, request.threads, observer, stop).await?;
    Ok(request.wanted(cases.concat()))
}

impl ZooRequest {
    /// # Errors
    /// When two systems have one name: nobody could tell them apart.
    fn check_names(&self) -> Result<(), ZooError> {
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

    /// Of `cases` those that are asked for.
    fn wanted(&self, mut cases: Vec<CaseResult>) -> Results {
        cases.retain(|case| self.case.as_ref().is_none_or(|name| case.case == *name));
        Results::of(cases)
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
    fn word(self) -> &'static str {
        match self {
            Self::Questions => "questions",
            Self::Runbook => "runbook",
            Self::History => "history",
        }
    }

    /// Whether there is such a part of `sample` at all.
    fn is_of(self, sample: &Sample) -> bool {
        self == Self::Questions || !sample.remembers()
    }

    fn has(self, case: &str, sample: &Sample) -> bool {
        match self {
            Self::Questions => sample.questions.iter().any(|question| question.id == case),
            Self::Runbook => case == "runbook",
            Self::History => case.starts_with("history-"),
        }
    }
}

impl plan::Piece for Piece {
    type Found = Vec<CaseResult>;

    fn name(&self) -> String {
        format!("{}-{}", self.sample.recipe.id, self.part.word())
    }

    /// What was kept, or is found now.
    fn found(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let request = &self.request;
        let kept = Kept::within(request.cache.as_deref(), 400, 64 << 20);
        let systems: Vec<&str> = request.systems.iter().map(|system| system.name()).collect();
        let key = kept::key(&[
            &request.program,
            &systems.join(" "),
            &self.sample.digest().hex(),
            self.part.word(),
            &self.sample.recipe.id,
        ]);
        if let Some(cases) = kept.get(&key) {
            return Ok(cases);
        }
        let cases = self.measured(doing)?;
        // One question is not what is measured of all of them.
        if request.case.is_none() || self.part != Part::Questions {
            kept.put(&key, &cases);
        }
        Ok(cases)
    }
}

impl Piece {
    fn measured(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let request = &self.request;
        let folder = tempfile::tempdir().map_err(ZooError::Folder)?;
        let root = folder.path().join("repo");
        let copy = folder.path().join("another/place/repo");
        if self.part == Part::History {
            let new_folder = |at: usize| {
                let root = folder.path().join(at.to_string()).join("repo");
                lay_out(&self.sample, &root, doing).map(|()| root)
            };
            return history::run(&self.sample, &new_folder, request.judge, doing);
        }
        for root in [&root, &copy] {
            lay_out(&self.sample, root, doing)?;
        }
        if self.part == Part::Runbook {
            let environment = |at: &Path| environment(&at.join("../home"), request.clock, 1);
            let folders = Folders {
                first: &root,
                copy: &copy,
                another: request.another.as_ref(),
            };
            let case = refresh::run(&self.sample, &folders, &environment, &[SECRET], doing)?;
            return Ok(vec![case]);
        }
        let open = |root: &Path, threads| {
            let home = root.join("../home");
            Workspace::open(root, environment(&home, request.clock, threads))
        };
        let mut files = self.sample.files.clone();
        // Who asks the memory looks nowhere else, whatever with.
        let of_memory = |path: &str| path.starts_with(FOLDER) || !self.sample.remembers();
        files.retain(|path, _| !path.starts_with('.') && of_memory(path));
        let scene = Scene {
            workspace: &open(&root, 1)?,
            again: &open(&copy, 4)?,
            home: Some(&copy.join("../home")),
            files: &files,
        };
        let questions = &self.sample.questions;
        asked(&self.sample.recipe.id, questions, request, &scene, doing)
    }
}

/// Asks every system every question.
///
/// # Errors
/// When it is stopped.
fn asked(
    archetype: &str,
    questions: &[Question],
    request: &ZooRequest,
    scene: &Scene<'_>,
    doing: &Doing<'_>,
) -> Result<Vec<CaseResult>, ZooError> {
    let wanted = |one: &&Question| request.case.as_ref().is_none_or(|case| one.id == *case);
    let mut cases = Vec::new();
    for (at, question) in questions.iter().filter(wanted).enumerate() {
        (doing.progress)(at as u64, questions.len() as u64);
        for system in &request.systems {
            let of = |workspace| scene.ask(workspace, question, doing.cancel);
            let case = questions::ask(
                archetype,
                question,
                &**system,
                (&of(scene.workspace), &of(scene.again)),
                request.clock,
                &[SECRET],
            );
            // What was broken off is no answer.
            doing.go_on()?;
            cases.push(case);
        }
    }
    Ok(cases)
}

impl<'a> Scene<'a> {
    fn ask(&self, workspace: &'a Workspace, question: &'a Question, cancel: &'a Cancel) -> Ask<'a> {
        Ask {
            root: workspace.repo().root(),
            workspace,
            home: self.home,
            files: self.files,
            is_of_memory: question.is_of_memory,
            question: &question.text,
            budget: crate::metric::BUDGET,
            cancel,
        }
    }
}

/// Measures a repository of the user's: questions are mined from what its commits say. See [`run`].
///
/// # Errors
/// When it cannot be opened, has no commit to ask about, or it was stopped.
pub async fn run_repo(
    request: Arc<ZooRequest>,
    root: &Path,
    environment: Environment,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    let name = root.file_name().map_or_else(
        || "repository".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    // The second answer comes from a workspace with another number of threads.
    let threads = match environment.threads {
        NonZeroUsize::MIN => NonZeroUsize::MIN.saturating_add(3),
        _ => NonZeroUsize::MIN,
    };
    let again = Environment {
        threads,
        ..environment.clone()
    };
    let piece = Mined {
        request: Arc::clone(&request),
        name,
        workspace: Workspace::open(root, environment)?,
        again: Workspace::open(root, again)?,
    };
    let cases = plan::done(vec![piece], NonZeroUsize::MIN, observer, stop).await?;
    Ok(request.wanted(cases.concat()).of_repository())
}

impl plan::Piece for Mined {
    type Found = Vec<CaseResult>;

    fn name(&self) -> String {
        "questions".to_owned()
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let (mut questions, files) = mined::questions(&self.workspace, doing)?;
        if let Some(case) = &self.request.case {
            let known: Vec<String> = questions.iter().map(|one| one.id.clone()).collect();
            questions.retain(|one| one.id == *case);
            if questions.is_empty() {
                return Err(ZooError::Unknown {
                    what: "case",
                    name: case.clone(),
                    known: known.join(", "),
                });
            }
        }
        let scene = Scene {
            workspace: &self.workspace,
            again: &self.again,
            home: None,
            files: &files,
        };
        asked(&self.name, &questions, &self.request, &scene, doing)
    }
}
