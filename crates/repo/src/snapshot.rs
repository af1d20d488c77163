//! Consistent view of the files of a repository, for a whole run.
//!
//! Each file, listing, search and git answer has one state for the run. Every query is recorded with a hash
//! of its answer ([`ReadRecord`]), and files, listings and searches are checked again at the end. Git's
//! answers are only recorded: they depend on the repository alone, not on its location or on settings of the
//! user (see `git/neutral_settings.rs`).
//!
//! If outputs are stored or reused, each step reads through a handle of its own ([`Snapshot::recorded`]), so
//! that its output states the data it depends on. A step that started a program has read an unknown set of
//! files; [`Snapshot::disturb`] makes the final check cover all of them.

mod git_answers;
mod listings;
mod questions;
mod read_record;
mod survey;

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Cancel, RepoPath};

use self::git_answers::GitAnswers;
use self::listings::Listings;
use self::questions::Asked;
use self::read_record::{
    digest_of_listing, file_record, git_record, listing_record, search_record,
};
use crate::git::{GitAnswer, GitError, GitQuery};
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::search::{SearchError, SearchQuery, SearchResult, Searched, Searches};
use crate::seen_files::SeenFiles;
use crate::source_file::SourceFile;
use crate::walk::{ListError, ListQuery, Listing};

pub use questions::Question;
pub use read_record::{Change, ReadRecord, SecondLook};
pub use survey::Survey;

/// Consistent view of the files of a repository, for a whole run.
///
/// The first read of a file serves all later ones, on any thread; the same holds for listings and searches.
/// All queries are recorded, and can be checked again at the end. Cloning is cheap and shares the state.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
    /// Only set for a handle with its own list.
    asked: Option<Arc<Asked>>,
}

struct State {
    repo: Repo,
    files: SeenFiles,
    listings: Listings,
    searches: Searches,
    git: GitAnswers,
    /// Values that callers derived from this state.
    derived: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Repo {
    /// Creates a view in which every file has one state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.clone())
    }
}

impl Snapshot {
    fn new(repo: Repo) -> Self {
        Self {
            state: Arc::new(State {
                files: SeenFiles::new(repo.clone()),
                repo,
                listings: Listings::default(),
                searches: Searches::default(),
                git: GitAnswers::default(),
                derived: Mutex::default(),
            }),
            asked: None,
        }
    }

    /// Returns a handle to the same state with its own list of queries, from this handle and its descendants:
    /// see [`Snapshot::own_reads`]. Its queries are also in the list of the handle it was created from.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            asked: Some(Arc::new(Asked::within(self.asked.clone()))),
        }
    }

    /// Returns the repository.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.state.repo
    }

    /// Returns the file at `path` in the state in which it was first read. Waits while another thread reads
    /// it.
    ///
    /// # Errors
    /// When the file is missing or may not be read. The error is part of the state, and does not change.
    pub fn read(&self, path: &RepoPath) -> Result<Arc<SourceFile>, Refusal> {
        self.note(|| Question::File(path.clone()));
        self.state.files.read(path)
    }

    /// Returns the value of type `T` that callers cache with this state: one for all handles, dropped with
    /// the state.
    #[must_use]
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let derived = self.state.derived.lock();
        let mut derived = derived.unwrap_or_else(PoisonError::into_inner);
        let kept = derived
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The value stored under a type's id has that type.
        Arc::clone(kept).downcast().unwrap_or_default()
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        if let Some(asked) = &self.asked {
            asked.note(&question());
        }
    }

    /// Returns the files that `query` finds, in path order: the output of `rg --files`, except that only
    /// ignore files within the repository count.
    ///
    /// # Errors
    /// When a path of the query is missing or secret, a glob is invalid, or `cancel` was triggered.
    pub fn list(&self, query: &ListQuery, cancel: &Cancel) -> Result<Listing, ListError> {
        let all = self.list_all(query, cancel)?;
        let mut listing = Listing::clone(&all);
        if let Some(limit) = query.limit {
            listing.files.truncate(limit as usize);
        }
        Ok(listing)
    }

    fn list_all(&self, query: &ListQuery, cancel: &Cancel) -> Result<Arc<Listing>, ListError> {
        self.note(|| Question::List(query.clone()));
        self.state.listings.ask(&self.state.repo, query, cancel)
    }

    /// Returns the matching lines, as `rg` finds them, in order of path and line.
    ///
    /// # Errors
    /// When the pattern is not a regular expression, and as for [`Snapshot::list`].
    pub fn search(
        &self,
        query: &SearchQuery,
        cancel: &Cancel,
    ) -> Result<Arc<SearchResult>, SearchError> {
        let searched = self
            .search_all(std::slice::from_ref(query), cancel)
            .inspect_err(|error| tracing::debug!(%error, "files not searched"))?;
        let result = searched.first().map(|searched| &searched.result);
        Ok(result.cloned().unwrap_or_default())
    }

    /// Runs [`Snapshot::search`] with each of `patterns` in place of the pattern of `query`, in one pass over
    /// the files.
    ///
    /// # Errors
    /// Like [`Snapshot::search`].
    pub fn search_each(
        &self,
        patterns: &[&str],
        query: &SearchQuery,
        cancel: &Cancel,
    ) -> Result<Vec<Arc<SearchResult>>, SearchError> {
        let with = |pattern: &&str| SearchQuery {
            pattern: (*pattern).to_owned(),
            ..query.clone()
        };
        let queries: Vec<SearchQuery> = patterns.iter().map(with).collect();
        let searched = self.search_all(&queries, cancel)?;
        Ok(searched.iter().map(|it| Arc::clone(&it.result)).collect())
    }

    /// Runs `queries`, which must share one scope.
    fn search_all(
        &self,
        queries: &[SearchQuery],
        cancel: &Cancel,
    ) -> Result<Vec<Arc<Searched>>, SearchError> {
        for query in queries {
            self.note(|| Question::Search(query.clone()));
        }
        self.state.searches.ask(&self.state.files, queries, cancel)
    }

    /// Queries git. The first answer serves all later calls with the same query; an error does not, since git
    /// may succeed later.
    ///
    /// # Errors
    /// When there is no git repository, git cannot be run or fails, or `cancel` was triggered.
    pub fn ask_git(&self, query: &GitQuery, cancel: &Cancel) -> Result<Arc<GitAnswer>, GitError> {
        self.note(|| Question::Git(query.clone()));
        self.state.git.ask(&self.state.repo, query, cancel)
    }

    /// Queries git in one call for `HEAD` and the changes since it, if unknown. Speeds up the queries for
    /// [`GitQuery::Head`] and [`GitQuery::Changes`].
    pub fn ask_working_state(&self, cancel: &Cancel) {
        self.state.git.ask_working_state(&self.state.repo, cancel);
    }

    /// Returns the checked-out commit; `None` without git, or before the first commit.
    #[must_use]
    pub fn head_commit(&self, cancel: &Cancel) -> Option<String> {
        // Without git, the unanswered query must not be recorded.
        self.repo().git().ok()?;
        match &*self.ask_git(&GitQuery::Head, cancel).ok()? {
            GitAnswer::Head(head) => head.commit.clone(),
            _ => None,
        }
    }

    /// Returns all queries with their answers, sorted: files with hashes, refusals and absences, listings,
    /// searches, and git.
    #[must_use]
    pub fn reads(&self) -> Vec<ReadRecord> {
        let State {
            files,
            listings,
            searches,
            git,
            ..
        } = &*self.state;
        let files = files.outcomes();
        let listings = listings.all();
        let searches = searches.all();
        let git = git.all();
        let mut records: Vec<_> = files
            .map(|(path, outcome)| file_record(path, outcome))
            .chain(listings.iter().map(|(query, it)| listing_record(query, it)))
            .chain(searches.iter().map(|(query, it)| search_record(query, it)))
            .chain(
                git.iter()
                    .map(|(query, it)| git_record(query, it.as_deref())),
            )
            .collect();
        records.sort();
        records
    }

    /// Returns the queries and answers of this handle and its descendants, sorted; empty for a handle without
    /// its own list (see [`Snapshot::recorded`]). `None` if a query has no answer that can be compared later.
    #[must_use]
    pub fn own_reads(&self) -> Option<Vec<ReadRecord>> {
        let Some(asked) = &self.asked else {
            return Some(Vec::new());
        };
        let questions = asked.questions().clone();
        let mut records = questions
            .iter()
            .map(|question| self.answered(question))
            .collect::<Option<Vec<_>>>()?;
        records.sort();
        Some(records)
    }

    /// Returns the queries that [`Snapshot::own_reads`] covers, sorted.
    #[must_use]
    pub fn own_questions(&self) -> Vec<Question> {
        let asked = self.asked.iter();
        asked.flat_map(|asked| asked.questions().clone()).collect()
    }

    /// True if this handle records queries for [`Snapshot::own_reads`].
    #[must_use]
    pub fn keeps_a_list(&self) -> bool {
        self.asked.is_some()
    }

    /// Marks that a program was started which may change any file: the final check then covers every file.
    pub fn disturb(&self) {
        self.state.searches.disturb();
    }

    fn answered(&self, question: &Question) -> Option<ReadRecord> {
        Some(match question {
            Question::File(path) => file_record(path.clone(), self.state.files.outcome(path)?),
            Question::List(query) => listing_record(query, &*self.state.listings.known(query)?),
            Question::Search(query) => search_record(query, &*self.state.searches.known(query)?),
            Question::Git(query) => git_record(query, self.state.git.known(query).as_deref()),
        })
    }

    /// Runs the query of `record`, from another snapshot, on this one; true if the answer is the same. False
    /// for a query that cannot be repeated.
    #[must_use]
    pub fn still_holds(&self, record: &ReadRecord, cancel: &Cancel) -> bool {
        match record {
            ReadRecord::File { path, content } => self
                .read(path)
                .is_ok_and(|file| file.content_hash() == *content),
            ReadRecord::Refused { path, refusal } => {
                self.read(path).is_err_and(|now| now == *refusal)
            }
            ReadRecord::Listing { query, names } => self
                .list_all(query, cancel)
                .is_ok_and(|listing| digest_of_listing(&listing) == *names),
            ReadRecord::Search { query, answer } => self
                .search_all(std::slice::from_ref(query), cancel)
                .is_ok_and(|searched| searched.iter().all(|it| it.answer() == *answer)),
            ReadRecord::Git { query, answer } => {
                let now = self.ask_git(query, cancel);
                answer.is_some() && now.is_ok_and(|now| now.digest() == *answer)
            }
        }
    }

    /// Checks everything that was read again, and returns the changes, sorted by path.
    ///
    /// A file with an unchanged `stat` is not read again, unless it was so recent at the time of the snapshot
    /// that a change might not show (see [`crate::RepoOptions::now`]). Listings are repeated. A file that was
    /// searched without a match counts as changed only if it matches now. It is skipped if it was last
    /// changed before the snapshot and no program ran since ([`Snapshot::disturb`]): it was searched in its
    /// state at that time, like all others. Git is not queried again, since its answers are not evidence.
    ///
    /// If `cancel` is triggered, the remaining files are reported as unchecked.
    #[must_use]
    pub fn changed_since(&self, cancel: &Cancel) -> SecondLook {
        let state = &*self.state;
        let (mut changes, unseen) = state.files.changes(cancel);
        state
            .listings
            .add_changes(&state.repo, &mut changes, cancel);
        for (path, what) in state.searches.changes(&state.files, cancel) {
            changes.entry(path).or_insert(what);
        }
        let changes = changes.into_iter();
        SecondLook {
            changes: changes.map(|(path, what)| Change { path, what }).collect(),
            unseen,
            complete: !cancel.is_cancelled(),
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.state.repo.root().display())
    }
}
