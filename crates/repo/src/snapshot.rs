use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use windlass_base::{Cancel, Digest, RepoPath};

use crate::asked::{Asked, Question};
use crate::past::Past;
use crate::platform::Signature;
use crate::search::{self, Closeness, PassedOver, Searched};
use crate::walk;
use crate::{
    Change, ChangeKind, GitAnswer, GitError, GitQuery, ListError, ListQuery, Listing, ReadRecord,
    Refusal, Repo, SearchError, SearchQuery, SearchResult, SecondLook, SourceFile,
};

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
    files: Mutex<BTreeMap<RepoPath, Arc<OnceLock<Seen>>>>,
    listings: Mutex<BTreeMap<ListQuery, Arc<Listing>>>,
    searches: Mutex<BTreeMap<SearchQuery, Arc<Searched>>>,
    passed_over: PassedOver,
    /// What git answered; nothing where it gave no answer.
    git: Mutex<BTreeMap<GitQuery, Option<Arc<GitAnswer>>>>,
    past: Past,
    /// What others worked out from this state.
    derived: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// Whether a program was started that may change files.
    disturbed: AtomicBool,
}

/// What a path gave.
struct Seen {
    outcome: Result<Arc<SourceFile>, Refusal>,
    /// Of the file that was read.
    signature: Option<Signature>,
}

impl Snapshot {
    pub(crate) fn new(repo: Repo) -> Self {
        Self {
            state: Arc::new(State {
                repo,
                files: Mutex::default(),
                listings: Mutex::default(),
                searches: Mutex::default(),
                passed_over: PassedOver::default(),
                git: Mutex::default(),
                past: Past::default(),
                derived: Mutex::default(),
                disturbed: AtomicBool::new(false),
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
        let slot = Arc::clone(lock(&self.state.files).entry(path.clone()).or_default());
        slot.get_or_init(|| self.look(path)).outcome.clone()
    }

    pub(crate) fn past(&self) -> &Past {
        &self.state.past
    }

    /// What a caller keeps with this state, such as what it worked out from it: one `T` for all handles, which ends
    /// with the state.
    #[must_use]
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut derived = lock(&self.state.derived);
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

    fn look(&self, path: &RepoPath) -> Seen {
        match self.state.repo.read_guarded(path) {
            Ok(read) => Seen {
                outcome: Ok(Arc::new(SourceFile::from_bytes(read.bytes))),
                signature: Some(read.signature),
            },
            Err(refusal) => {
                if refusal != Refusal::Missing {
                    tracing::debug!(%path, %refusal, "file not read");
                }
                Seen {
                    outcome: Err(refusal),
                    signature: None,
                }
            }
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
        if let Some(listing) = lock(&self.state.listings).get(query) {
            return Ok(Arc::clone(listing));
        }
        let listing = walk::list(&self.state.repo, query, cancel)
            .inspect_err(|error| tracing::debug!(%error, "files not listed"))?;
        let listing = Arc::new(listing);
        // Another thread may have been faster; its answer is the state then.
        let mut listings = lock(&self.state.listings);
        Ok(Arc::clone(listings.entry(query.clone()).or_insert(listing)))
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
        let known = lock(&self.state.searches);
        let new = queries.iter().filter(|query| !known.contains_key(*query));
        let new: BTreeSet<SearchQuery> = new.cloned().collect();
        drop(known);
        let new: Vec<SearchQuery> = new.into_iter().collect();
        let searched = search::search(self, &new, cancel)?;
        let mut searches = lock(&self.state.searches);
        for (query, searched) in new.into_iter().zip(searched) {
            searches.entry(query).or_insert_with(|| Arc::new(searched));
        }
        let answers = queries.iter().filter_map(|query| searches.get(query));
        Ok(answers.cloned().collect())
    }

    /// What git answers. The first answer serves everybody who asks the same later; an error does not, since
    /// git may answer another time.
    ///
    /// # Errors
    /// When there is no git here, it cannot be run or refuses, or `cancel` was called.
    pub fn ask_git(&self, query: &GitQuery, cancel: &Cancel) -> Result<Arc<GitAnswer>, GitError> {
        self.note(|| Question::Git(query.clone()));
        if let Some(Some(answer)) = lock(&self.state.git).get(query) {
            return Ok(Arc::clone(answer));
        }
        let git = self.state.repo.git();
        let asked = git.and_then(|git| git.with_cancel(cancel.clone()).ask(query));
        let mut answers = lock(&self.state.git);
        let kept = answers.entry(query.clone()).or_default();
        let answer = asked.map(Arc::new)?;
        // Another thread may have been faster; its answer is the state then.
        Ok(Arc::clone(kept.get_or_insert(answer)))
    }

    /// Asks git at once for what is checked out and what differs from it, where that is not known yet, so that who asks for both
    /// ([`GitQuery::Head`], and [`GitQuery::Changes`] since it) waits less.
    pub fn ask_working_state(&self, cancel: &Cancel) {
        if lock(&self.state.git).contains_key(&GitQuery::Head) {
            return;
        }
        let git = self.state.repo.git();
        let asked = git.and_then(|git| git.with_cancel(cancel.clone()).head_and_changes());
        // Where it does not answer, it is asked for each of them, and says why.
        let Ok((head, changes)) = asked else { return };
        let since = head.commit.clone();
        let since = since.map(|since| (GitQuery::Changes { since }, GitAnswer::Changes(changes)));
        let mut answers = lock(&self.state.git);
        for (query, answer) in [(GitQuery::Head, GitAnswer::Head(head))]
            .into_iter()
            .chain(since)
        {
            let kept = answers.entry(query).or_default();
            kept.get_or_insert_with(|| Arc::new(answer));
        }
    }

    /// The state of `path`, if somebody has read it already or is about to.
    pub(crate) fn already_read(&self, path: &str) -> Option<Result<Arc<SourceFile>, Refusal>> {
        let files = lock(&self.state.files);
        if files.is_empty() {
            return None;
        }
        let path = RepoPath::parse(path).ok()?;
        let slot = Arc::clone(files.get(&path)?);
        drop(files);
        Some(slot.get_or_init(|| self.look(&path)).outcome.clone())
    }

    /// Files in which searches found nothing; only where there are others, and no program may have changed them.
    pub(crate) fn passed_over(&self, is_one_of_many: bool) -> Option<&PassedOver> {
        let has_others = is_one_of_many || !lock(&self.state.searches).is_empty();
        let is_disturbed = self.state.disturbed.load(Ordering::Relaxed);
        (has_others && !is_disturbed).then_some(&self.state.passed_over)
    }

    /// Keeps what a search has read, unless somebody was faster; gives the state that counts.
    pub(crate) fn keep(
        &self,
        path: &RepoPath,
        file: Arc<SourceFile>,
        signature: Signature,
    ) -> Result<Arc<SourceFile>, Refusal> {
        let slot = Arc::clone(lock(&self.state.files).entry(path.clone()).or_default());
        let seen = slot.get_or_init(|| Seen {
            outcome: Ok(file),
            signature: Some(signature),
        });
        seen.outcome.clone()
    }

    /// Everything that was asked, sorted: files with their hashes, refusals and absences, listings,
    /// searches, and what git was asked.
    #[must_use]
    pub fn reads(&self) -> Vec<ReadRecord> {
        let files = self.files_seen().into_iter();
        let mut records: Vec<_> = files
            .filter_map(|(path, slot)| Some(file_record(path, slot.get()?)))
            .collect();
        for (query, listing) in lock(&self.state.listings).iter() {
            records.push(listing_record(query, listing));
        }
        for (query, searched) in lock(&self.state.searches).iter() {
            records.push(search_record(query, searched));
        }
        for (query, answer) in lock(&self.state.git).iter() {
            records.push(git_record(query, answer.as_deref()));
        }
        records.sort();
        records
    }

    /// What was asked through this handle and those made from it, sorted; nothing for one that keeps no list
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

    /// Whether what is asked through this handle is noted for [`Snapshot::own_reads`].
    #[must_use]
    pub fn keeps_a_list(&self) -> bool {
        self.asked.is_some()
    }

    /// Says that a program is started which may change any file: the second look then leaves nothing out.
    pub fn disturb(&self) {
        self.state.disturbed.store(true, Ordering::Relaxed);
    }

    /// Whether anything was asked through this handle or one made from it.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        let asked = self.asked.as_ref();
        asked.is_some_and(|asked| !asked.questions().is_empty())
    }

    fn answered(&self, question: &Question) -> Option<ReadRecord> {
        Some(match question {
            Question::File(path) => {
                let slot = Arc::clone(lock(&self.state.files).get(path)?);
                file_record(path.clone(), slot.get()?)
            }
            Question::List(query) => listing_record(query, lock(&self.state.listings).get(query)?),
            Question::Search(query) => search_record(query, lock(&self.state.searches).get(query)?),
            Question::Git(query) => {
                let answers = lock(&self.state.git);
                git_record(query, answers.get(query).and_then(Option::as_deref))
            }
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
        let mut changes = BTreeMap::new();
        let mut unseen = Vec::new();
        for (path, slot) in self.files_seen() {
            if cancel.is_cancelled() {
                unseen.push(path);
            } else if let Some(what) = slot.get().and_then(|seen| self.look_again(&path, seen)) {
                changes.insert(path, what);
            }
        }
        for (query, before) in lock(&self.state.listings).clone() {
            let now = walk::list(&self.state.repo, &query, cancel);
            if cancel.is_cancelled() {
                break;
            }
            // A folder that can no longer be listed has lost its files.
            note_difference(&before.files, &now.unwrap_or_default().files, &mut changes);
        }
        let closeness = if self.state.disturbed.load(Ordering::Relaxed) {
            Closeness::Full
        } else {
            Closeness::Brief
        };
        let repo = &self.state.repo;
        for (query, searched) in lock(&self.state.searches).clone() {
            for (path, what) in search::look_again(repo, &query, &searched, closeness, cancel) {
                changes.entry(path).or_insert(what);
            }
        }
        let changes = changes.into_iter();
        SecondLook {
            changes: changes.map(|(path, what)| Change { path, what }).collect(),
            unseen,
            complete: !cancel.is_cancelled(),
        }
    }

    fn look_again(&self, path: &RepoPath, seen: &Seen) -> Option<ChangeKind> {
        if let Some(before) = seen.signature
            && self.state.repo.is_settled(&before)
            && self.state.repo.signature(path) == Ok(before)
        {
            return None;
        }
        let now = self.state.repo.read_guarded(path).map(|read| read.bytes);
        match (&seen.outcome, now) {
            (Ok(before), Ok(now)) => (before.bytes() != now).then_some(ChangeKind::Changed),
            (Err(before), Err(now)) if *before == now => None,
            (Err(Refusal::Missing), _) => Some(ChangeKind::Appeared),
            (_, Err(Refusal::Missing)) => Some(ChangeKind::Vanished),
            _ => Some(ChangeKind::Changed),
        }
    }

    fn files_seen(&self) -> Vec<(RepoPath, Arc<OnceLock<Seen>>)> {
        let files = lock(&self.state.files);
        files
            .iter()
            .map(|(path, slot)| (path.clone(), Arc::clone(slot)))
            .collect()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.state.repo.root().display())
    }
}

impl Repo {
    /// Whether a file with this signature cannot change without the signature changing as well.
    pub(crate) fn is_settled(&self, signature: &Signature) -> bool {
        let now = self.options().now;
        now.is_some_and(|now| !signature.is_younger_than(now))
    }
}

/// A thread that panicked holding the lock left a whole map behind: every change to one is a single call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file_record(path: RepoPath, seen: &Seen) -> ReadRecord {
    match &seen.outcome {
        Ok(file) => ReadRecord::File {
            path,
            content: file.content_hash(),
        },
        Err(refusal) => ReadRecord::Refused {
            path,
            refusal: refusal.clone(),
        },
    }
}

fn listing_record(query: &ListQuery, listing: &Listing) -> ReadRecord {
    ReadRecord::Listing {
        query: query.clone(),
        names: digest_of_listing(listing),
    }
}

fn search_record(query: &SearchQuery, searched: &Searched) -> ReadRecord {
    ReadRecord::Search {
        query: query.clone(),
        answer: searched.answer(),
    }
}

fn git_record(query: &GitQuery, answer: Option<&GitAnswer>) -> ReadRecord {
    ReadRecord::Git {
        query: query.clone(),
        answer: answer.and_then(GitAnswer::digest),
    }
}

fn digest_of_listing(listing: &Listing) -> Digest {
    let mut bytes = Vec::new();
    for name in &listing.files {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.push(0);
    }
    for count in listing.withheld.counts() {
        bytes.extend(count.to_le_bytes());
    }
    Digest::of_bytes(&bytes)
}

fn note_difference(
    before: &[RepoPath],
    now: &[RepoPath],
    changes: &mut BTreeMap<RepoPath, ChangeKind>,
) {
    let before: BTreeSet<_> = before.iter().collect();
    let now: BTreeSet<_> = now.iter().collect();
    for path in now.difference(&before) {
        changes
            .entry((*path).clone())
            .or_insert(ChangeKind::Appeared);
    }
    for path in before.difference(&now) {
        changes
            .entry((*path).clone())
            .or_insert(ChangeKind::Vanished);
    }
}
