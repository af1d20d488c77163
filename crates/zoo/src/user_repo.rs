//! Runs the zoo on a user's repository.
//!
//! The questions come from commit messages or from a file of cases. They're split into pieces that
//! run in parallel.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use windlass::engine::{Observer, Stop};
use windlass::{Environment, Workspace};
use windlass_base::Cancel;
use windlass_repo::Owner;

use crate::cases::CASES;
use crate::file_names::within;
use crate::isolated_copy::IsolatedCopy;
use crate::recipe::{Files, Question};
use crate::results::{CaseResult, Origin, Results};
use crate::run::{QUICK_QUESTIONS, Scene, ZooRequest, unknown_case};
use crate::run_plan::{self, Doing};
use crate::subject::Subject;
use crate::system::Plain;
use crate::user_files::UserFiles;
use crate::{ZooError, mined};

/// Number of pieces to split the questions into. Pieces run in parallel.
const PIECES: usize = 8;
/// Maximum number of questions to mine from commit messages.
const MINED: usize = 40;
/// Archetype name for a user's repository. It's fixed, so that results don't depend on the folder's
/// name.
const ARCHETYPE: &str = "repository";

/// A user's repository and the questions about it.
struct Own {
    request: Arc<ZooRequest>,
    workspace: Workspace,
    /// Second workspace for the same repository, opened with a different number of threads. It
    /// checks that answers don't depend on that number.
    again: Workspace,
    questions: Vec<Question>,
    plain: Plain,
    /// A copy of the files for measured programs, or `None` if no program is measured.
    alone: Option<IsolatedCopy>,
}

/// Measures a user's repository with the questions in the request or, if there are none, with
/// questions mined from commit messages. See [`crate::run`].
///
/// # Errors
///
/// Returns an error if the repository cannot be opened, no question can be mined, or the run is stopped.
pub async fn run_repo(
    request: Arc<ZooRequest>,
    root: &Path,
    environment: Environment,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    // Repeat answers in a workspace with a different number of threads, to show that the result
    // doesn't depend on it.
    let threads = match environment.threads {
        NonZeroUsize::MIN => NonZeroUsize::MIN.saturating_add(3),
        _ => NonZeroUsize::MIN,
    };
    let again = Environment {
        threads,
        ..environment.clone()
    };
    let workspace = Workspace::open(root, environment)?;
    let again = Workspace::open(root, again)?;
    let snapshot = workspace.site().snapshot();
    let mut origin = Origin {
        root: workspace.site().repo().root().display().to_string(),
        commit: snapshot.head_commit(&Cancel::default()),
        ..Origin::default()
    };
    let (asks, cancel) = (Arc::clone(&request), stop.flag().clone());
    let mining = tokio::task::spawn_blocking(move || {
        let doing = Doing {
            cancel: &cancel,
            progress: &|_, _| {},
        };
        Own::of(asks, workspace, again, &doing)
    });
    let own = mining.await.map_err(windlass::Error::internal)??;
    let own = Arc::new(own);
    let lineage = Owner::of(own.workspace.site().repo(), None).lineage;
    origin.subject = Some(Subject::of(lineage, &own.questions));
    let pieces = (0..PIECES).map(|part| Piece {
        own: Arc::clone(&own),
        part,
    });
    let found = run_plan::done(pieces.collect(), request.threads, observer, stop).await?;
    Ok(Results {
        origin: Some(origin),
        ..request.results(found.concat())
    })
}

impl Own {
    fn of(
        request: Arc<ZooRequest>,
        workspace: Workspace,
        again: Workspace,
        doing: &Doing<'_>,
    ) -> Result<Self, ZooError> {
        let repo = workspace.site().repo();
        let files = UserFiles::of(workspace.site().snapshot(), doing)?;
        let mut questions = match &request.cases {
            Some(cases) => {
                hidden(cases, &files.texts)?;
                named_from(repo.root(), cases)?
            }
            None => {
                let most = if request.quick {
                    QUICK_QUESTIONS
                } else {
                    MINED
                };
                mined::questions(repo, &files, most, doing)?
            }
        };
        questions = request.some_of(questions);
        if let Some(case) = &request.case {
            let known: BTreeSet<String> = questions.iter().map(|one| one.id.clone()).collect();
            questions.retain(|one| one.id == *case);
            if questions.is_empty() {
                return Err(unknown_case(case, &known));
            }
        }
        let name = repo.root().file_name().unwrap_or("repository".as_ref());
        let mut systems = request.systems.iter();
        let is_for_programs = systems.any(|system| system.typed().is_some());
        let alone = is_for_programs
            .then(|| IsolatedCopy::of(&files, &name.to_string_lossy(), doing))
            .transpose()?;
        Ok(Self {
            questions,
            alone,
            plain: Plain::of(Arc::new(files.texts)),
            request,
            workspace,
            again,
        })
    }
}

/// Checks that no search can find the file of cases, since it also contains the answers.
///
/// # Errors
///
/// Returns an error if the file of cases is one of `files`.
fn hidden(cases: &[Question], files: &Files) -> Result<(), ZooError> {
    let has = |lines: &[String], text: &str| lines.iter().any(|line| line.contains(text));
    let is_it = |lines: &Vec<String>| {
        has(lines, "[[case]]") && cases.iter().all(|case| has(lines, &case.text))
    };
    match files.iter().find(|(_, lines)| is_it(lines)) {
        Some((path, _)) => Err(ZooError::Data(format!(
            "`{path}` contains the questions, so every search would find it: move it to a hidden folder, such as `{CASES}`"
        ))),
        None => Ok(()),
    }
}

/// Returns `cases` with the paths of their answers converted by [`within`].
fn named_from(root: &Path, cases: &[Question]) -> Result<Vec<Question>, ZooError> {
    let mut cases = cases.to_vec();
    for case in &mut cases {
        for gold in &mut case.gold {
            let invalid = |why| ZooError::Data(format!("case `{}`: {why}", case.id));
            gold.file = within(root, &gold.file).map_err(invalid)?;
        }
    }
    Ok(cases)
}

/// A piece of a run: every [`PIECES`]th question, starting at index `part`.
struct Piece {
    own: Arc<Own>,
    part: usize,
}

impl run_plan::Piece for Piece {
    type Found = Vec<CaseResult>;

    fn name(&self) -> String {
        format!("questions-{}", self.part)
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Vec<CaseResult>, ZooError> {
        let own = &*self.own;
        let questions = own.questions.iter().skip(self.part).step_by(PIECES);
        let questions: Vec<Question> = questions.cloned().collect();
        let scene = Scene {
            workspace: &own.workspace,
            again: &own.again,
            alone: own.alone.as_ref().map(IsolatedCopy::root),
            plain: &own.plain,
            of_memory: &own.plain.of_memory(),
            // Secrets are planted only in samples.
            secrets: Vec::new(),
        };
        own.request.asked((ARCHETYPE, &questions), &scene, doing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::read_cases;

    #[test]
    fn searchable_file_of_cases_is_refused() {
        let text =
            "schema_version = 1\n[[case]]\nid = \"a\"\nquestion = \"who ends idle sessions\"\n";
        let cases = read_cases("cases.toml", text).unwrap();
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let mut files = Files::from([("FAQ.md".to_owned(), lines("# who ends idle sessions"))]);
        assert!(
            hidden(&cases, &files).is_ok(),
            "a heading with the same words is no file of cases"
        );
        files.insert("eval/cases.toml".to_owned(), lines(text));
        let why = hidden(&cases, &files).unwrap_err().to_string();
        assert!(
            why.contains("`eval/cases.toml`") && why.contains(CASES),
            "{why}"
        );
    }
}
