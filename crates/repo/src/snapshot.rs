//! One state of the files of a repository, for a whole run.

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

/// One state of the files of a repository, for a whole run.
///
/// The first read of a file serves everybody who asks for it later, on any thread; the same holds for
/// listings and searches. What was asked is recorded, and can be looked at again at the end. Cloning is
/// cheap and shares the state.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
    /// Only for a handle that keeps a list of its own.
    asked: Option<Arc<Asked>>,
}

struct State {
    repo: Repo,
    files: SeenFiles,
    listings: Listings,
    searches: Searches,
    git: GitAnswers,
    /// What others worked out from this state.
    derived: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Repo {
    /// Starts a view of the files in which every file has one state.
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

    /// The same state, with a list of its own of what is asked through this handle and those made from it:
    /// see [`Snapshot::own_reads`]. What stands on it stands on the list of a handle it was made from as well.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            asked: Some(Arc::new(Asked::within(self.asked.clone()))),
        }
    }

    /// The repository.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.state.repo
    }

    /// The file at `path` in the state in which it was first seen. Who asks while another thread reads it
    /// waits for that.
    ///
    /// # Errors
    /// When the file is not there or may not be read. That is a state as well, and stays.
    pub fn read(&self, path: &RepoPath) -> Result<Arc<SourceFile>, Refusal> {
        self.note(|| Question::File(path.clone()));
        self.state.files.read(path)
    }

    /// Returns the thing that a caller keeps with this state, such as what it worked out from it: one `T` for all handles, which ends
    /// with the state.
    #[must_use]
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let derived = self.state.derived.lock();
        let mut derived = derived.unwrap_or_else(PoisonError::into_inner);
        let kept = derived
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // What stands under the number of a type is of that type.
        Arc::clone(kept).downcast().unwrap_or_default()
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        if let Some(asked) = &self.asked {
            asked.note(&question());
        }
    }

    /// The files that `query` finds, in the order of their paths: those `rg --files` would name, except
    /// that only ignore files within the repository count.
    ///
    /// # Errors
    /// When a path of the query is not there or secret, a glob has no meaning, or `cancel` was called.
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

    /// The lines that match, as `rg` finds them, in the order of paths and lines.
    ///
    /// # Errors
    /// When the pattern is no regular expression, and as [`Snapshot::list`].
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

    /// As [`Snapshot::search`] with each of `patterns` in place of that of `query`: the files are gone through once.
    ///
    /// # Errors
    /// As [`Snapshot::search`].
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

    /// `queries` are of one scope.
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

    /// Asks git. The first answer serves everybody who asks the same later; an error does not, since
    /// git may answer another time.
    ///
    /// # Errors
    /// When there is no git here, it cannot be run or refuses, or `cancel` was called.
    pub fn ask_git(&self, query: &GitQuery, cancel: &Cancel) -> Result<Arc<GitAnswer>, GitError> {
        self.note(|| Question::Git(query.clone()));
        self.state.git.ask(&self.state.repo, query, cancel)
    }

    /// Asks git at once for what is checked out and what differs from it, where that is not known yet, so that who asks for both
    /// ([`GitQuery::Head`], and [`GitQuery::Changes`] since it) waits less.
    pub fn ask_working_state(&self, cancel: &Cancel) {
        self.state.git.ask_working_state(&self.state.repo, cancel);
    }

    /// The commit that is checked out; `None` without git, or before the first one.
    #[must_use]
    pub fn head_commit(&self, cancel: &Cancel) -> Option<String> {
        // A question without an answer would be recorded as one.
        self.repo().git().ok()?;
        match &*self.ask_git(&GitQuery::Head, cancel).ok()? {
            GitAnswer::Head(head) => head.commit.clone(),
            _ => None,
        }
    }

    /// Everything that was asked, sorted: files with their hashes, refusals and absences, listings,
    /// searches, and what git was asked.
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

    /// Returns what was asked through this handle and those made from it, sorted; nothing for one that keeps no list
    /// (see [`Snapshot::recorded`]). `None` when a question had no answer that could be compared later.
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

    /// The questions that [`Snapshot::own_reads`] answers, sorted.
    #[must_use]
    pub fn own_questions(&self) -> Vec<Question> {
        let asked = self.asked.iter();
        asked.flat_map(|asked| asked.questions().clone()).collect()
    }

    /// True if what is asked through this handle is noted for [`Snapshot::own_reads`].
    #[must_use]
    pub fn keeps_a_list(&self) -> bool {
        self.asked.is_some()
    }

    /// Says that a program is started which may change any file: the second look then leaves nothing out.
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

    /// Asks this snapshot what `record` says was asked of another one, and says whether the answer is the
    /// same. What cannot be asked again does not hold.
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

    /// Looks again at everything that was read, and says what is no longer the same, sorted by path.
    ///
    /// A file whose `stat` is unchanged is not read again, unless it was so young when the snapshot was
    /// taken that a change might not show (see [`crate::RepoOptions::now`]). A listing is made anew. A file
    /// that was searched without a match counts as changed only when it has one now; where it was last changed
    /// before the snapshot was taken, and no program ran since ([`Snapshot::disturb`]), it is not looked at: it was
    /// searched as it stood when the snapshot was taken, as all others were. Git is not asked again: what it
    /// answered is no evidence.
    ///
    /// When `cancel` is called before the end, the rest is not looked at, and that is told.
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
