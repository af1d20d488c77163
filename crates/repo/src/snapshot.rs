//! A consistent view of a repository's files during a run.
//!
//! A run consists of several steps. Suppose that one step reads a file, the user then saves a
//! change to the file, and another step searches it. If the two steps saw different text, the
//! result of the run would contradict itself. So each file, listing, search and git answer stays in
//! one state for the whole run.
//!
//! We record every query with a hash of its answer ([`ReadRecord`]). At the end of the run,
//! [`Snapshot::changed_since`] checks files, listings and searches again. Git's answers are only
//! recorded, because they depend on nothing but the repository (`git/neutral_settings.rs` explains
//! how we ensure that).
//!
//! To store the output of a step or reuse it in a later run, we have to know what the step has
//! read. So each step gets a handle of its own ([`Snapshot::recorded`]). This does not work for a
//! step that starts a program, since the program may read or change any file. After
//! [`Snapshot::disturb`], the final check therefore covers all files.

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

/// A consistent view of a repository's files during a run.
///
/// A file is read once, and all later reads return the same state, no matter on which thread. The
/// same goes for listings and searches. Clones are cheap and share the state.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
    /// Queries of this handle, or `None` if it does not record them.
    asked: Option<Arc<Asked>>,
}

struct State {
    repo: Repo,
    files: SeenFiles,
    listings: Listings,
    searches: Searches,
    git: GitAnswers,
    /// Values derived from this state by callers, by type. See [`Snapshot::kept`].
    derived: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Repo {
    /// Creates a view with one state per file. Nothing is read until the first query.
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

    /// Returns a handle that records its own queries (see [`Snapshot::own_reads`]), and those of
    /// any handles created from it.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            asked: Some(Arc::new(Asked::within(self.asked.clone()))),
        }
    }

    /// Returns the repository that this snapshot reads.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.state.repo
    }

    /// Returns the file at `path` in the state of its first read. If another thread is reading the
    /// file right now, this waits for it.
    ///
    /// # Errors
    /// Returns an error if the file is missing or must not be read. Errors are part of the state
    /// too, so a file that is created later stays missing for the rest of the run.
    pub fn read(&self, path: &RepoPath) -> Result<Arc<SourceFile>, Refusal> {
        self.note(|| Question::File(path.clone()));
        self.state.files.read(path)
    }

    /// Returns the value of type `T` that is cached with this state, creating it on first use.
    ///
    /// This lets other modules store what they derive from the files for as long as the snapshot
    /// lives. There is only one value per type, shared by all handles, so use a type of your own
    /// rather than, say, a `Vec<String>`.
    #[must_use]
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let derived = self.state.derived.lock();
        let mut derived = derived.unwrap_or_else(PoisonError::into_inner);
        let kept = derived
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The value is stored under the ID of its own type, so the conversion can't fail.
        Arc::clone(kept).downcast().unwrap_or_default()
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        if let Some(asked) = &self.asked {
            asked.note(&question());
        }
    }

    /// Lists the files found by `query`, in path order. These are the same as in `rg --files`,
    /// except that only ignore files within the repository apply.
    ///
    /// # Errors
    /// Returns an error if a path of the query is missing or secret, if a glob is invalid, or if
    /// `cancel` was triggered.
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

    /// Returns the lines that `rg` would find, in order of path and line.
    ///
    /// # Errors
    /// Returns the same errors as [`Snapshot::list`], and an error for an invalid pattern.
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

    /// Runs [`Snapshot::search`] for each of `patterns`, which replaces the pattern in `query`.
    /// This takes a single pass over the files, which is faster than separate calls.
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

    /// Answers all `queries` in one pass, so they must agree in everything but the pattern.
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

    /// Asks git, or returns the first answer to the same query. Errors are not stored, since git
    /// may succeed later.
    ///
    /// # Errors
    /// Returns an error in a plain folder, if git cannot be run or fails, or if `cancel` was
    /// triggered.
    pub fn ask_git(&self, query: &GitQuery, cancel: &Cancel) -> Result<Arc<GitAnswer>, GitError> {
        self.note(|| Question::Git(query.clone()));
        self.state.git.ask(&self.state.repo, query, cancel)
    }

    /// Asks git for `HEAD` and the changes since then with a single call, unless both are known.
    ///
    /// Later [`GitQuery::Head`] and [`GitQuery::Changes`] queries are then answered from memory. If
    /// git fails, we do not report it here, since those queries will run into the same error.
    pub fn ask_working_state(&self, cancel: &Cancel) {
        self.state.git.ask_working_state(&self.state.repo, cancel);
    }

    /// Returns the ID of the checked-out commit. This is `None` before the first commit, and also
    /// if git cannot answer.
    #[must_use]
    pub fn head_commit(&self, cancel: &Cancel) -> Option<String> {
        // A plain folder gives no answer to record.
        self.repo().git().ok()?;
        match &*self.ask_git(&GitQuery::Head, cancel).ok()? {
            GitAnswer::Head(head) => head.commit.clone(),
            _ => None,
        }
    }

    /// Returns all queries of the run with their answers, sorted. Files that were missing or
    /// refused are included, since creating such a file may change the result.
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

    /// Returns the queries recorded by this handle with their answers, sorted.
    ///
    /// The list is empty for a handle that does not record (see [`Snapshot::recorded`]). If there
    /// is an answer that could not be compared in a later run, this returns `None`.
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

    /// Like [`own_reads`](Self::own_reads), but without the answers.
    #[must_use]
    pub fn own_questions(&self) -> Vec<Question> {
        let asked = self.asked.iter();
        asked.flat_map(|asked| asked.questions().clone()).collect()
    }

    /// Returns true if this is a handle from [`Snapshot::recorded`], or created from one.
    #[must_use]
    pub fn keeps_a_list(&self) -> bool {
        self.asked.is_some()
    }

    /// Call this before starting a program. From then on, the final check covers every file,
    /// because the program may change any of them.
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

    /// Returns true if a query recorded by another snapshot has the same answer here. If we cannot
    /// tell, for example because git fails, the answer counts as changed.
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
                // If git failed when the answer was recorded, there's nothing to compare with.
                answer.is_some() && now.is_ok_and(|now| now.digest() == *answer)
            }
        }
    }

    /// Checks all earlier reads again and returns what has changed, sorted by path.
    ///
    /// A file with unchanged `stat` is not read again, unless it had been changed so shortly before
    /// the snapshot that another change might not show in the timestamp (see
    /// [`crate::RepoOptions::now`]). Listings are always repeated.
    ///
    /// A file that was searched without a match only counts as changed if it matches now. We skip
    /// such a file if it last changed before the snapshot, because that is the state we searched;
    /// after a program has run ([`Snapshot::disturb`]), we cannot rely on that. Git is not asked
    /// again.
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
