//! Cached git answers of one snapshot. Each query runs once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::Cancel;

use crate::git::{GitAnswer, GitError, GitQuery};
use crate::repository::Repo;

type Answers = BTreeMap<GitQuery, Option<Arc<GitAnswer>>>;

/// Answers by query, with `None` if git gave no answer.
#[derive(Default)]
pub(super) struct GitAnswers(Mutex<Answers>);

impl GitAnswers {
    /// See [`crate::Snapshot::ask_git`].
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
        let asked = git.and_then(|git| git.with_cancel(cancel.clone()).ask(query));
        let mut answers = self.lock();
        let kept = answers.entry(query.clone()).or_default();
        let answer = asked.map(Arc::new)?;
        // If another thread was faster, use its answer.
        Ok(Arc::clone(kept.get_or_insert(answer)))
    }

    /// See [`crate::Snapshot::ask_working_state`].
    pub(super) fn ask_working_state(&self, repo: &Repo, cancel: &Cancel) {
        if self.lock().contains_key(&GitQuery::Head) {
            return;
        }
        let git = repo.git().map(|git| git.with_cancel(cancel.clone()));
        let asked = git.and_then(|git| git.working_tree().head_and_changes());
        // After a failure, store nothing. Each query then runs separately and reports its own
        // error.
        let Ok((head, changes)) = asked else { return };
        let since = head.commit.clone();
        let since = since.map(|since| (GitQuery::Changes { since }, GitAnswer::Changes(changes)));
        let mut answers = self.lock();
        for (query, answer) in [(GitQuery::Head, GitAnswer::Head(head))]
            .into_iter()
            .chain(since)
        {
            let kept = answers.entry(query).or_default();
            kept.get_or_insert_with(|| Arc::new(answer));
        }
    }

    /// Returns the answer to `query`, or `None` if we haven't asked git or it gave no answer.
    pub(super) fn known(&self, query: &GitQuery) -> Option<Arc<GitAnswer>> {
        self.lock().get(query).cloned().flatten()
    }

    pub(super) fn all(&self) -> Answers {
        self.lock().clone()
    }

    /// Locks the answers. Ignore poisoning: every change of the map is a single call, so a
    /// panicking thread leaves it complete.
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
