use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::RepoPath;

use crate::git::GitQuery;
use crate::search::SearchQuery;
use crate::walk::ListQuery;

/// The queries made through one handle to a snapshot.
#[derive(Debug, Default)]
pub(super) struct Asked {
    questions: Mutex<BTreeSet<Question>>,
    /// Queries of the handle this one was created from. They include the queries of this handle.
    outer: Option<Arc<Asked>>,
}

/// A query to a [`Snapshot`](crate::Snapshot).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Reads the contents of a file.
    File(RepoPath),
    /// Lists files.
    List(ListQuery),
    /// Searches files.
    Search(SearchQuery),
    /// Queries git.
    Git(GitQuery),
}

impl Asked {
    pub(super) fn within(outer: Option<Arc<Self>>) -> Self {
        Self {
            outer,
            ..Self::default()
        }
    }

    pub(super) fn note(&self, question: &Question) {
        let mut at = Some(self);
        while let Some(asked) = at {
            let mut questions = asked.questions();
            if !questions.contains(question) {
                questions.insert(question.clone());
            }
            at = asked.outer.as_deref();
        }
    }

    pub(super) fn questions(&self) -> MutexGuard<'_, BTreeSet<Question>> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
