//! Turns commit messages into questions.
//!
//! The message of a commit is the question, and the lines that it changed are the answer. Since the
//! author wrote both without knowing about this measurement, nobody can have chosen questions that
//! suit us.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Commit, Git, GitError, Repo, Snapshot};

use crate::ZooError;
use crate::edits::is_written;
use crate::metric::says;
use crate::recipe::{Files, Gold, Kind, Question};
use crate::run_plan::Doing;
use crate::user_files::UserFiles;

/// Number of commits that we look at.
const COMMITS: u32 = 400;
/// Maximum number of files in a commit. With more of them, the message does not tell much about
/// each one.
const MAX_FILES: usize = 3;
/// Advice if there is no suitable commit.
const OWN_QUESTIONS: &str = "pass your own questions with `--cases FILE`";

/// Creates up to `most` questions from the history of `repo`. The answers are locations in `files`,
/// the files of the working tree.
///
/// We use a commit if it changed at most [`MAX_FILES`] files, all of which are written by hand and
/// still exist. The message must have at least four words, and must not be about formatting. The
/// answer consists of the lines that the commit wrote and that no later commit has changed. If
/// there is no such line in a file, the file is neutral.
///
/// # Errors
///
/// Returns an error if there is no history or no suitable commit, or if the run is stopped.
pub(crate) fn questions(
    repo: &Repo,
    files: &UserFiles,
    most: usize,
    doing: &Doing<'_>,
) -> Result<Vec<Question>, ZooError> {
    let git = repo.git().map_err(mining_error)?;
    let mut miner = Miner {
        git: git.with_cancel(doing.cancel.clone()),
        snapshot: &files.snapshot,
        files: &files.texts,
        writers: BTreeMap::new(),
    };
    let commits = miner
        .git
        .commits()
        .log(None, &[], COMMITS)
        .map_err(mining_error)?;
    let mut questions = Vec::new();
    for (at, commit) in commits.iter().enumerate() {
        doing.go_on()?;
        (doing.progress)(at as u64, commits.len() as u64);
        if let Some(question) = miner.question(commit)? {
            add(question, &mut questions);
        }
        if questions.len() == most {
            break;
        }
    }
    // If we were stopped, these may not be all questions.
    doing.go_on()?;
    if questions.is_empty() {
        let message =
            "no commit of this repository gives a question (a shallow clone lacks older commits)";
        return Err(ZooError::Data(format!("{message}; {OWN_QUESTIONS}")));
    }
    Ok(questions)
}

fn mining_error(error: GitError) -> ZooError {
    match error {
        GitError::Cancelled { .. } => ZooError::Stopped,
        error => ZooError::Data(format!(
            "cannot mine questions from the history: {error}; {OWN_QUESTIONS}"
        )),
    }
}

/// Adds a question. If the same question was asked before, we only add its answers.
fn add(question: Question, questions: &mut Vec<Question>) {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let asked = words(&question.text);
    match questions.iter_mut().find(|one| words(&one.text) == asked) {
        Some(known) => {
            let gold = question.gold.into_iter();
            let gold: Vec<Gold> = gold.filter(|one| !known.gold.contains(one)).collect();
            let is_answer = |file: &String| gold.iter().any(|one| one.file == *file);
            known.neutral.retain(|file| !is_answer(file));
            known.gold.extend(gold);
        }
        None => questions.push(question),
    }
}

struct Miner<'a> {
    git: Git,
    snapshot: &'a Snapshot,
    files: &'a Files,
    /// For each file that we have looked at, the commits that wrote its lines.
    writers: BTreeMap<RepoPath, BTreeMap<u32, String>>,
}

impl Miner<'_> {
    /// Returns the question for a commit, or `None` if the commit is not suitable.
    fn question(&mut self, commit: &Commit) -> Result<Option<Question>, ZooError> {
        let message = commit.subject.as_str();
        let says_little = message.split_whitespace().count() < 4 || is_about_form(message);
        if commit.parents.len() > 1 || says_little {
            return Ok(None);
        }
        // If git can't tell what has changed, we don't know the answer.
        let Ok(step) = self.snapshot.history().step_of(&commit.id) else {
            return Ok(None);
        };
        let changed: Option<Vec<&RepoPath>> = step
            .changes
            .iter()
            .map(|change| Some(&change.to.as_ref()?.path))
            .collect();
        let asks = |file: &&RepoPath| {
            let lines = self.files.get(file.as_str());
            lines.is_some_and(|lines| is_written(file.as_str(), lines))
        };
        let changed = changed.filter(|changed| {
            step.complete && changed.len() <= MAX_FILES && changed.iter().all(asks)
        });
        let (mut gold, mut neutral) = (Vec::new(), Vec::new());
        for file in changed.into_iter().flatten() {
            let lines = self.files.get(file.as_str()).map_or(0, Vec::len) as u32;
            let written = self.written_by(file, lines, &commit.id)?;
            let text = self.files.get(file.as_str());
            let says_something = |(first, last): &(u32, u32)| {
                let lines = text.and_then(|text| text.get(*first as usize - 1..*last as usize));
                lines.is_some_and(|lines| lines.iter().any(|line| says(line)))
            };
            let places: Vec<(u32, u32)> = ranges(&written)
                .into_iter()
                .filter(says_something)
                .collect();
            // There's nothing left of what the commit wrote to this file. A system may or may not
            // name it.
            if places.is_empty() {
                neutral.push(file.to_string());
            }
            gold.extend(places.into_iter().map(|(start_line, end_line)| Gold {
                file: file.to_string(),
                start_line,
                end_line,
            }));
        }
        let lines = gold.iter().map(|one| one.end_line - one.start_line + 1);
        Ok((2..=120).contains(&lines.sum::<u32>()).then(|| Question {
            id: commit.id.chars().take(10).collect(),
            kind: Kind::Mined,
            is_of_memory: false,
            text: message.to_owned(),
            gold,
            neutral,
        }))
    }

    /// The lines of `file` that nobody has changed after `commit`. `lines` is the number of all
    /// lines.
    fn written_by(
        &mut self,
        file: &RepoPath,
        lines: u32,
        commit: &str,
    ) -> Result<Vec<u32>, ZooError> {
        if !self.writers.contains_key(file) {
            let all: Vec<u32> = (1..=lines).collect();
            let writers = self
                .git
                .blame()
                .writers_of(file, &all)
                .map_err(mining_error)?;
            self.writers.insert(file.clone(), writers);
        }
        let writers = self.writers.get(file).into_iter().flatten();
        let own = writers.filter(|(_, writer)| *writer == commit);
        Ok(own.map(|(line, _)| *line).collect())
    }
}

/// True if the message is about formatting or spelling rather than about some place in the code. We
/// only look for typical words, so we probably miss some messages.
fn is_about_form(message: &str) -> bool {
    const WORDS: &str = "clippy fmt gofmt golint lint linter linters linting lints prettier rustfmt typo typos whitespace";
    let mut words = message.split(|c: char| !c.is_alphanumeric());
    words.any(|word| WORDS.split(' ').any(|own| own == word.to_lowercase()))
}

/// Joins consecutive line numbers.
fn ranges(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for at in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *at => *last = *at,
            _ => ranges.push((*at, *at)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_commits_ask_nothing() {
        for message in [
            "go fmt the whole of it",
            "cargo: Clippy is content again",
            "fix a few typos in docs",
            "style: run prettier over all files",
        ] {
            assert!(is_about_form(message), "{message}");
        }
        assert!(!is_about_form("format dates as the reader expects"));
        assert!(!is_about_form("splinter groups are merged at night"));
    }

    #[test]
    fn repeated_message_is_one_question() {
        let question = |id: &str, text: &str, file: &str| Question {
            id: id.to_owned(),
            kind: Kind::Mined,
            is_of_memory: false,
            text: text.to_owned(),
            gold: vec![Gold {
                file: file.to_owned(),
                start_line: 1,
                end_line: 2,
            }],
            neutral: vec!["b.rs".to_owned()],
        };
        let mut questions = Vec::new();
        add(
            question("1", "Update the list of projects", "a.rs"),
            &mut questions,
        );
        add(
            question("2", "update the  list of projects", "b.rs"),
            &mut questions,
        );
        add(
            question("3", "update the list of people", "c.rs"),
            &mut questions,
        );
        let ids: Vec<&str> = questions.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["1", "3"]);
        let gold = questions[0].gold.iter();
        let files: Vec<&str> = gold.map(|one| one.file.as_str()).collect();
        assert_eq!(files, ["a.rs", "b.rs"]);
        assert!(questions[0].neutral.is_empty(), "it answers the question");
    }

    #[test]
    fn lines_join_into_ranges() {
        assert_eq!(ranges(&[3, 4, 6]), [(3, 4), (6, 6)]);
        assert_eq!(ranges(&[]), []);
    }
}
