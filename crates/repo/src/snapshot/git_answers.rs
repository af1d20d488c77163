//! Caches the git answers in one snapshot, so that we run each query only once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use windlass_base::{Cancel, lock};

use crate::git::{Git, GitAnswer, GitError, GitQuery, Head};
use crate::repository::Repo;

type Answers = BTreeMap<GitQuery, Option<Arc<GitAnswer>>>;

/// The answers so far. `None` stands for a query that git could not answer.
#[derive(Default)]
pub(super) struct GitAnswers {
    asked: Mutex<Answers>,
    /// `HEAD`, once a query needed it. We look it up only once, so that all queries refer to the
    /// same commit even if the user commits during the run.
    head: Mutex<Option<Head>>,
}

impl GitAnswers {
    pub(super) fn ask(
        &self,
        repo: &Repo,
        query: &GitQuery,
        cancel: &Cancel,
    ) -> Result<Arc<GitAnswer>, GitError> {
        if let Some(answer) = self.known(query) {
            return Ok(answer);
        }
        let git = repo.git();
        let asked = git.and_then(|git| self.run(&git.with_cancel(cancel.clone()), query));
        let mut answers = lock(&self.asked);
        let kept = answers.entry(query.clone()).or_default();
        let answer = asked.map(Arc::new)?;
        // Another thread may have been faster. Use its answer, so that all threads have the same
        // one.
        Ok(Arc::clone(kept.get_or_insert(answer)))
    }

    /// Runs `query` with the ID of the commit in place of `HEAD`, unless there is no commit yet.
    fn run(&self, git: &Git, query: &GitQuery) -> Result<GitAnswer, GitError> {
        let mut query = query.clone();
        match &mut query {
            GitQuery::Head => return Ok(GitAnswer::Head(self.head(git)?)),
            GitQuery::Changes { since } if since == "HEAD" => {
                if lock(&self.head).is_none() {
                    let (head, changes) = git.working_tree().head_and_changes()?;
                    if head.commit.is_some() && self.keep(head.clone()) == head {
                        return Ok(GitAnswer::Changes(changes));
                    }
                }
                if let Some(commit) = self.head(git)?.commit {
                    *since = commit;
                }
            }
            GitQuery::Log { range, .. } if range.is_none() => *range = self.head(git)?.commit,
            _ => {}
        }
        git.ask(&query)
    }

    fn head(&self, git: &Git) -> Result<Head, GitError> {
        let known = lock(&self.head).clone();
        match known {
            Some(head) => Ok(head),
            None => Ok(self.keep(git.revisions().head()?)),
        }
    }

    /// Stores `head` unless another thread was faster, and returns what is stored.
    fn keep(&self, head: Head) -> Head {
        lock(&self.head).get_or_insert(head).clone()
    }

    /// See [`crate::Snapshot::ask_working_state`].
    pub(super) fn ask_working_state(&self, repo: &Repo, cancel: &Cancel) {
        if lock(&self.asked).contains_key(&GitQuery::Head) {
            return;
        }
        let git = repo.git().map(|git| git.with_cancel(cancel.clone()));
        let asked = git.and_then(|git| git.working_tree().head_and_changes());
        // Ignore the error. The queries will be run separately then, and report errors of their
        // own.
        let Ok((head, changes)) = asked else { return };
        let since = head.commit.clone();
        let head = self.keep(head);
        let since = since.map(|since| (GitQuery::Changes { since }, GitAnswer::Changes(changes)));
        let mut answers = lock(&self.asked);
        for (query, answer) in [(GitQuery::Head, GitAnswer::Head(head))]
            .into_iter()
            .chain(since)
        {
            let kept = answers.entry(query).or_default();
            kept.get_or_insert_with(|| Arc::new(answer));
        }
    }

    /// Returns `None` if we have not run `query`, or if git could not answer it.
    pub(super) fn known(&self, query: &GitQuery) -> Option<Arc<GitAnswer>> {
        lock(&self.asked).get(query).cloned().flatten()
    }

    pub(super) fn all(&self) -> Answers {
        lock(&self.asked).clone()
    }
}
