use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::RepoPath;

use crate::git::GitQuery;
use crate::search::SearchQuery;
use crate::walk::ListQuery;

/// What a snapshot was asked through one of its handles.
#[derive(Debug, Default)]
pub(super) struct Asked {
    questions: Mutex<BTreeSet<Question>>,
    /// The handle that this one was made from keeps a list as well.
    outer: Option<Arc<Asked>>,
}

/// A question to a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// What a file holds.
    File(RepoPath),
    /// Which files there are.
    List(ListQuery),
    /// Where something stands.
    Search(SearchQuery),
    /// What git says.
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
