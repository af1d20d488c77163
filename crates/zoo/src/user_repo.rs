//! Runs the zoo on a user's repository.
//!
//! The questions come from commit messages or from a file of cases. We split them into pieces,
//! which run in parallel.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use windlass::engine::{Observer, Stop};
use windlass::{Environment, Workspace};
use windlass_base::Cancel;

use crate::cases::CASES;
use crate::folder::{own_folder, put_bytes};
use crate::recipe::{Files, Question};
use crate::results::{CaseResult, Origin, Results};
use crate::run::{QUICK_QUESTIONS, Scene, ZooRequest, unknown_case};
use crate::run_plan::{self, Doing};
use crate::system::Plain;
use crate::user_files::UserFiles;
use crate::{ZooError, mined};

const PIECES: usize = 8;
/// Number of questions that we create from commits.
const MINED: usize = 40;
/// Stands for the archetype. We do not use the name of the folder, because the results must not
/// depend on it.
const ARCHETYPE: &str = "repository";

/// A user's repository, and questions about it.
struct Own {
    request: Arc<ZooRequest>,
    workspace: Workspace,
    /// The same repository, opened with another number of threads. The answers must be the same.
    again: Workspace,
    questions: Vec<Question>,
    plain: Plain,
    /// A copy of the files that may be searched, for programs that we measure (if any). It has
    /// neither the history, in which the questions are commit messages, nor the file of cases,
    /// which has the answers.
    alone: Option<TempDir>,
}

/// Measures a user's repository. If the request has no questions, we create some from commit
/// messages. For the samples, see [`crate::run`].
///
/// # Errors
///
/// Returns an error if the repository cannot be opened, if we do not find any questions, or if the
/// run is stopped.
pub async fn run_repo(
    request: Arc<ZooRequest>,
    root: &Path,
    environment: Environment,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Results, ZooError> {
    request.check_names()?;
    // Answers must not depend on the number of threads, so use another one.
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
    let name = workspace.site().repo().root().file_name();
    let origin = Origin {
        name: name
            .map_or_else(|| "/".into(), |name| name.to_string_lossy())
            .into_owned(),
        commit: snapshot.head_commit(&Cancel::default()),
        cases: None,
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
                cases.clone()
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
        let mut systems = request.systems.iter();
        let is_for_programs = systems.any(|system| system.typed().is_some());
        let alone = is_for_programs.then(|| copied(&files, doing)).transpose()?;
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

/// Checks that the file of cases is not among the files that are searched, since it has the
/// answers.
///
/// # Errors
///
/// Returns an error if it is.
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

/// Copies all files to a temporary folder, without their secrets.
fn copied(files: &UserFiles, doing: &Doing<'_>) -> Result<TempDir, ZooError> {
    let folder = own_folder()?;
    for (path, shown) in files.shown() {
        doing.go_on()?;
        put_bytes(&folder.path().join(path.as_str()), &shown)?;
    }
    Ok(folder)
}

/// One of [`PIECES`] pieces. It has the question at index `part`, and every [`PIECES`]th one after
/// that.
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
            alone: own.alone.as_ref().map(TempDir::path),
            plain: &own.plain,
            of_memory: &own.plain.of_memory(),
            // There are no planted secrets here.
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
