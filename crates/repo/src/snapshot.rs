//! Consistent view of a repository's files during a run.
//!
//! Suppose one step reads a file, the user saves it, and another step searches it. Both steps must
//! see the same text, or the result would contradict itself. That's why each file, listing, search
//! and git answer has one state for the whole run.
//!
//! Every query is recorded with a hash of its answer ([`ReadRecord`]). Files, listings and searches
//! are checked again at the end of the run. Git's answers are only recorded: they depend on the
//! repository alone, and not on its location or on the user's settings (see
//! `git/neutral_settings.rs`).
//!
//! If outputs are stored or reused, we need to know the data each output depends on, so each step
//! reads through a handle of its own ([`Snapshot::recorded`]). A step that started a program has
//! read an unknown set of files. After [`Snapshot::disturb`], the final check covers all files.

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

/// Consistent view of a repository's files during a run.
///
/// A file is read once, and all later reads on any thread return the same state. The same goes for
/// listings and searches. All queries are recorded and can be checked again at the end. Cloning is
/// cheap, and clones share the state.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
    /// Present only in a handle that records its own queries.
    asked: Option<Arc<Asked>>,
}

struct State {
    repo: Repo,
    files: SeenFiles,
    listings: Listings,
    searches: Searches,
    git: GitAnswers,
    /// Values derived from this state by callers, and cached with it.
    derived: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Repo {
    /// Creates a view of the repository in which every file has one state.
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

    /// Returns a handle to the same state with its own list of queries (see
    /// [`Snapshot::own_reads`]). The list has the queries made through this handle and through
    /// handles created from it. They're also listed in the handle it was created from.
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

    /// Returns the file at `path` in the state of its first read. Waits if another thread is
    /// reading it.
    ///
    /// # Errors
    /// Returns an error if the file is missing or may not be read. The error is part of the state and does not change
    /// later.
    pub fn read(&self, path: &RepoPath) -> Result<Arc<SourceFile>, Refusal> {
        self.note(|| Question::File(path.clone()));
        self.state.files.read(path)
    }

    /// Returns the value of type `T` cached with this state. All handles share the value, and it's
    /// dropped with the state.
    #[must_use]
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let derived = self.state.derived.lock();
        let mut derived = derived.unwrap_or_else(PoisonError::into_inner);
        let kept = derived
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The value stored under a type's id has that type, so the conversion can't fail.
        Arc::clone(kept).downcast().unwrap_or_default()
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        if let Some(asked) = &self.asked {
            asked.note(&question());
        }
    }

    /// Returns the files found by `query`, in path order. The result is the same as for `rg
    /// --files`, except that only ignore files within the repository apply.
    ///
    /// # Errors
    /// Returns an error if a path of the query is missing or secret, if a glob is invalid, or if `cancel` was
    /// triggered.
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

    /// Returns the matching lines in order of path and line, as `rg` would find them.
    ///
    /// # Errors
    /// Returns an error if the pattern is not a regular expression, and the same errors as [`Snapshot::list`].
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

    /// Runs [`Snapshot::search`] once for each of `patterns`, which replace the pattern of `query`.
    /// A single pass over the files finds them all.
    ///
    /// # Errors
    /// Returns the same errors as [`Snapshot::search`].
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

    /// Queries git. Later calls with the same query return the first answer, but errors aren't
    /// stored, since git may succeed later.
    ///
    /// # Errors
    /// Returns an error if there is no git repository, if git cannot be run or fails, or if `cancel` was triggered.
    pub fn ask_git(&self, query: &GitQuery, cancel: &Cancel) -> Result<Arc<GitAnswer>, GitError> {
        self.note(|| Question::Git(query.clone()));
        self.state.git.ask(&self.state.repo, query, cancel)
    }

    /// Queries git for `HEAD` and the changes since it in one call, unless we know them. Later
    /// [`GitQuery::Head`] and [`GitQuery::Changes`] queries are then answered from memory.
    pub fn ask_working_state(&self, cancel: &Cancel) {
        self.state.git.ask_working_state(&self.state.repo, cancel);
    }

    /// Returns the checked-out commit, or `None` without git or before the first commit.
    #[must_use]
    pub fn head_commit(&self, cancel: &Cancel) -> Option<String> {
        // Without git the query has no answer, so don't record it.
        self.repo().git().ok()?;
        match &*self.ask_git(&GitQuery::Head, cancel).ok()? {
            GitAnswer::Head(head) => head.commit.clone(),
            _ => None,
        }
    }

    /// Returns all queries with their answers, sorted: files with their hashes, refusals and
    /// absences, listings, searches and git queries.
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

    /// Returns the queries and answers of this handle and of handles created from it, sorted. The
    /// result is empty for a handle without its own list (see [`Snapshot::recorded`]), and `None`
    /// if an answer can't be compared later.
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

    /// Returns the queries behind [`Snapshot::own_reads`], sorted.
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

    /// Records that a program was started, which may change any file. The final check then covers
    /// every file.
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

    /// True if a query recorded in another snapshot has the same answer in this one. False if the
    /// query can't be repeated.
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

    /// Checks again everything we've read, and returns the changes sorted by path.
    ///
    /// A file with an unchanged `stat` is not read again, unless it changed so shortly before the
    /// snapshot that a further change might not show (see [`crate::RepoOptions::now`]). Listings
    /// are repeated. A file searched without a match counts as changed only if it matches now. We
    /// skip such a file if it last changed before the snapshot and no program has run since
    /// ([`Snapshot::disturb`]), because that state is the one we searched. Git is not queried
    /// again, because its answers are not evidence.
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
