//! A run over a repository of the user's: questions are mined from what its commits say, or were written down, and asked in several
//! pieces.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use windlass::engine::{Observer, Stop};
use windlass::{Environment, Workspace};
use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{Owner, Snapshot};

use crate::alone::Alone;
use crate::cases::CASES;
use crate::file_names::within;
use crate::own_files::OwnFiles;
use crate::own_folder::sweep;
use crate::recipe::{Files, Question};
use crate::results::{Batch, Origin, Results};
use crate::run::{Scene, ZooRequest, asked, unknown_case};
use crate::run_plan::{self, Doing};
use crate::subject::Subject;
use crate::system::Plain;
use crate::{ZooError, mined};

/// In how many pieces questions are asked.
const PIECES: usize = 8;
/// What stands for the archetype: what is found is the same, whatever the folder is called.
const ARCHETYPE: &str = "repository";

/// A repository of the user's.
struct Own {
    request: Arc<ZooRequest>,
    /// What its folder is called.
    name: String,
    workspace: Workspace,
    /// The same, opened anew.
    again: Workspace,
    mined: OnceLock<Mined>,
}

/// What is asked, and of what.
struct Mined {
    questions: Vec<Question>,
    plain: Plain,
    /// The files alone, where a program is measured.
    alone: Option<Alone>,
    /// What answers follow from that are found.
    files: String,
    /// What answers follow from that are recalled.
    remembered: String,
}

/// What there is to do.
#[derive(Clone, Copy)]
enum Work {
    Mine,
    Ask(usize),
}

struct Piece {
    own: Arc<Own>,
    work: Work,
}

/// Measures a repository of the user's: questions are those of the request, or mined from what its commits say. See [`crate::run`].
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
    sweep();
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
    let own = Arc::new(Own {
        request: Arc::clone(&request),
        name,
        workspace: Workspace::open(root, environment)?,
        again: Workspace::open(root, again)?,
        mined: OnceLock::new(),
    });
    let mut origin = origin_of(&own.workspace);
    let works = std::iter::once(Work::Mine).chain((0..PIECES).map(Work::Ask));
    let pieces = works.map(|work| Piece {
        own: Arc::clone(&own),
        work,
    });
    let found = run_plan::done(pieces.collect(), request.threads, observer, stop).await?;
    origin.subject = own.mined.get().map(|mined| {
        let lineage = Owner::of(own.workspace.site().repo(), None).lineage;
        Subject::of(lineage, &mined.questions)
    });
    Ok(request.wanted(found.concat()).of_repository(origin))
}

/// The repository of `workspace`, as it is now; nothing was asked yet.
#[must_use]
pub fn origin_of(workspace: &Workspace) -> Origin {
    let snapshot = workspace.site().snapshot();
    let commit = snapshot.head_commit(&Cancel::default());
    Origin {
        root: workspace.site().repo().root().display().to_string(),
        changes: commit
            .as_deref()
            .and_then(|commit| changes(&snapshot, commit)),
        commit,
        cases: None,
        subject: None,
    }
}

/// The digest of the files that are not as `commit` has them; nothing where all are, or git cannot say. What is hidden no search reads.
fn changes(snapshot: &Snapshot, commit: &str) -> Option<String> {
    let changes = snapshot
        .repo()
        .git()
        .ok()?
        .working_tree()
        .changes_since(commit)
        .ok()?;
    let is_hidden = |path: &RepoPath| path.as_str().split('/').any(|part| part.starts_with('.'));
    let mut said = String::new();
    for file in &changes.files {
        if is_hidden(&file.path) && file.from.as_ref().is_none_or(is_hidden) {
            continue;
        }
        let now = snapshot.read(&file.path).ok();
        let now = now.map(|source| source.content_hash().hex());
        said += &format!("{}\0{}\n", file.path, now.unwrap_or_default());
    }
    (!said.is_empty()).then(|| Digest::of_bytes(said.as_bytes()).hex())
}

impl run_plan::Piece for Piece {
    type Found = Vec<Batch>;

    fn name(&self) -> String {
        match self.work {
            Work::Mine => "commits".to_owned(),
            Work::Ask(part) => format!("questions-{part}"),
        }
    }

    fn needs(&self) -> Vec<usize> {
        match self.work {
            Work::Mine => Vec::new(),
            Work::Ask(_) => vec![0],
        }
    }

    fn found(&self, doing: &Doing<'_>) -> Result<Vec<Batch>, ZooError> {
        match self.work {
            Work::Mine => self.own.mine(doing).map(|()| Vec::new()),
            Work::Ask(part) => self.own.ask(part, doing),
        }
    }
}

/// # Errors
/// When the file of cases is one of `files`: whoever looks for a question finds it there, word for word.
fn hidden(cases: &[Question], files: &Files) -> Result<(), ZooError> {
    let has = |lines: &[String], text: &str| lines.iter().any(|line| line.contains(text));
    let is_it = |lines: &Vec<String>| {
        has(lines, "[[case]]") && cases.iter().all(|case| has(lines, &case.text))
    };
    match files.iter().find(|(_, lines)| is_it(lines)) {
        Some((path, _)) => Err(ZooError::Data(format!(
            "`{path}` has the questions in it, and would be found for each of them; keep them where nobody looks, as in `{CASES}`"
        ))),
        None => Ok(()),
    }
}

impl Own {
    fn mine(&self, doing: &Doing<'_>) -> Result<(), ZooError> {
        let files = OwnFiles::of(self.workspace.site().snapshot(), doing)?;
        let mut questions = match &self.request.cases {
            Some(cases) => {
                hidden(cases, &files.texts)?;
                self.named_from_root(cases)
            }
            None => mined::questions(self.workspace.site().repo(), &files, doing)?,
        };
        if let Some(case) = &self.request.case {
            let known: BTreeSet<String> = questions.iter().map(|one| one.id.clone()).collect();
            questions.retain(|one| one.id == *case);
            if questions.is_empty() {
                return Err(unknown_case(case, &known));
            }
        }
        let mut systems = self.request.systems.iter();
        let is_for_programs = systems.any(|system| system.typed().is_some());
        let alone = is_for_programs
            .then(|| Alone::of(&files, &self.name, doing))
            .transpose()?;
        let is_of_memory = questions.iter().any(|one| one.is_of_memory);
        let remembered = is_of_memory.then(|| files.remembered()).transpose()?;
        let _ = self.mined.set(Mined {
            alone,
            remembered: remembered.unwrap_or_default(),
            questions,
            files: files.digest,
            plain: Plain::of(Arc::new(files.texts)),
        });
        Ok(())
    }

    /// `cases`, whose files are named as everything here names them; those that cannot be are wrong, which is told when they are asked.
    fn named_from_root(&self, cases: &[Question]) -> Vec<Question> {
        let root = self.workspace.site().repo().root();
        let mut cases = cases.to_vec();
        for case in &mut cases {
            for gold in &mut case.gold {
                match within(root, &gold.file) {
                    Ok(file) => gold.file = file,
                    Err(why) => case.wrong = case.wrong.take().or(Some(why)),
                }
            }
        }
        cases
    }

    /// Asks every `PIECES`th question, from that of number `part`.
    fn ask(&self, part: usize, doing: &Doing<'_>) -> Result<Vec<Batch>, ZooError> {
        let Some(mined) = self.mined.get() else {
            return Ok(Vec::new());
        };
        let own = mined.questions.iter().skip(part).step_by(PIECES);
        let (of_memory, of_files): (Vec<Question>, Vec<Question>) =
            own.cloned().partition(|one| one.is_of_memory);
        let found = self.answers(mined, &of_files, &mined.files, doing)?;
        let recalled = self.answers(mined, &of_memory, &mined.remembered, doing)?;
        Ok([found, recalled].concat())
    }

    /// What is answered to `questions`, which follows from `files`.
    fn answers(
        &self,
        mined: &Mined,
        questions: &[Question],
        files: &str,
        doing: &Doing<'_>,
    ) -> Result<Vec<Batch>, ZooError> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let of = ["own", files];
        let of_memory = mined.plain.of_memory();
        let scene = Scene {
            workspace: &self.workspace,
            again: &self.again,
            home: None,
            alone: mined.alone.as_ref().map(Alone::root),
            plain: &mined.plain,
            of_memory: &of_memory,
            // Whatever is secret here, nobody planted it.
            secrets: Vec::new(),
        };
        let request = &self.request;
        request.answers(&of, questions, doing, |few, systems, doing| {
            asked((ARCHETYPE, few), systems, request, &scene, doing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::read_cases;

    #[test]
    fn cases_that_would_be_found_for_themselves_are_refused() {
        let text =
            "schema_version = 1\n[[case]]\nid = \"a\"\nquestion = \"who ends idle sessions\"\n";
        let cases = read_cases("cases.toml", text).unwrap();
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let mut files = Files::from([("FAQ.md".to_owned(), lines("# who ends idle sessions"))]);
        assert!(
            hidden(&cases, &files).is_ok(),
            "what asks the same is no file of cases"
        );
        files.insert("eval/cases.toml".to_owned(), lines(text));
        let why = hidden(&cases, &files).unwrap_err().to_string();
        assert!(
            why.contains("`eval/cases.toml`") && why.contains(CASES),
            "{why}"
        );
    }
}
