//! Queries to a snapshot, recorded by handle.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::RepoPath;

use crate::git::GitQuery;
use crate::search::SearchQuery;
use crate::walk::ListQuery;

#[derive(Debug, Default)]
pub(super) struct Asked {
    questions: Mutex<BTreeSet<Question>>,
    /// The record of the parent handle, which includes everything in here.
    outer: Option<Arc<Asked>>,
}

/// A query to a [`Snapshot`](crate::Snapshot), without the answer (see
/// [`ReadRecord`](crate::ReadRecord)).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// A read of a file.
    File(RepoPath),
    /// A listing of files. The limit of the query is ignored.
    List(ListQuery),
    /// A search over files.
    Search(SearchQuery),
    /// A query to git.
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
