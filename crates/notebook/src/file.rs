use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use windlass_repo::{Foreign, Owner};
use windlass_store::{
    Disk, Durability, Lock, LockGuard, StoreError, files_in, have_same_bytes, read_start,
    read_versioned,
};

use crate::anchor::SoundAnchor;
use crate::changes::{Changes, Written};
use crate::damage::{Damage, DamageState};
use crate::document::{Document, SCHEMA_VERSION, head};
use crate::history::{History, Revision, Snapshot, superfluous};
use crate::limits::MAX_BYTES;
use crate::reading::{Parsed, anchors, damage, parse, runbooks, sound};
use crate::salvage::salvage;
use crate::{
    HistoryLimits, Notebook, NotebookEdit, NotebookError, Ownership, SavedRunbook, Writer,
};

/// How long a change waits for another process to finish its own, unless something else is said.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// As much is read to see what stands in front of the anchors, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// Where the notebook of one repository is kept.
#[derive(Debug, Clone)]
pub struct NotebookFile {
    path: PathBuf,
    repo: Arc<dyn Ownership>,
    enabled: bool,
    disk: Disk,
    durability: Durability,
    lock_timeout: Duration,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited<T> {
    /// What the change answered.
    pub answer: T,
    /// The revision before.
    pub before: u64,
    /// The revision now; the same where nothing changed.
    pub revision: u64,
    /// What changed.
    pub changes: Changes,
    /// What had to be set aside.
    pub set_aside: Option<Damage>,
}

/// The runbooks of a notebook, read without its anchors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedRunbooks {
    /// The runbooks, in the order in which they were saved.
    pub runbooks: Vec<SavedRunbook>,
    /// What cannot be used of what was read.
    pub damage: Vec<Damage>,
}

/// Whether a change is made, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// It is written.
    Write,
    /// Nothing is written, and nobody is waited for.
    DryRun,
}

impl NotebookFile {
    /// The notebook of `repo`, below the data folder `data`. With `enabled` false nothing is ever read or
    /// written.
    #[must_use]
    pub fn new(data: &Path, repo: Arc<dyn Ownership>, enabled: bool) -> Self {
        let path = data
            .join("repos")
            .join(repo.repo_id())
            .join("notebook.json");
        Self {
            path,
            repo,
            enabled,
            disk: Disk::default(),
            durability: Durability::Fsync,
            lock_timeout: LOCK_TIMEOUT,
        }
    }

    /// The same, whose changes wait so long for another process to finish its own; zero waits for nobody.
    #[must_use]
    pub fn waiting(self, lock_timeout: Duration) -> Self {
        Self {
            lock_timeout,
            ..self
        }
    }

    /// The same, written by way of `disk`, and as durable as is said. For tests and measurements.
    #[must_use]
    pub fn on(self, disk: Disk, durability: Durability) -> Self {
        Self {
            disk,
            durability,
            ..self
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it may be read and written.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Reads it; a notebook that was never written, or is switched off, is empty. What is damaged is left out
    /// and told ([`Notebook::damage`]).
    ///
    /// # Errors
    /// When the file says neither its version nor whose it is, is newer than this program, or belongs to another
    /// repository.
    pub fn read(&self) -> Result<Notebook, NotebookError> {
        if !self.enabled {
            return Ok(Notebook::default());
        }
        let Some(text) = self.text()? else {
            return Ok(Notebook {
                damage: self.set_aside(),
                ..Notebook::default()
            });
        };
        let mut notebook = match sound(&text) {
            Some((document, runbooks)) => {
                self.check_owner(&document.owner)?;
                let anchors = document.anchors.into_iter();
                Notebook {
                    revision: document.revision,
                    anchors: anchors.map(|SoundAnchor(anchor)| anchor).collect(),
                    runbooks,
                    damage: Vec::new(),
                }
            }
            None => self.read_in_part(&text)?,
        };
        notebook.damage.extend(self.set_aside());
        Ok(notebook)
    }

    fn read_in_part(&self, text: &[u8]) -> Result<Notebook, NotebookError> {
        let Parsed { document, mut lost } = parse(text, &self.path)?;
        self.check_owner(&document.owner)?;
        let is_broken = !lost.is_empty();
        Ok(Notebook {
            revision: document.revision,
            anchors: anchors(&document.anchors, text, &mut lost),
            runbooks: runbooks(&document.runbooks, text, &mut lost),
            damage: damage(&self.path, lost, is_broken).into_iter().collect(),
        })
    }

    /// Reads its runbooks alone, which takes no longer the more anchors there are.
    ///
    /// # Errors
    /// As [`NotebookFile::read`].
    pub fn runbooks(&self) -> Result<SavedRunbooks, NotebookError> {
        if !self.enabled {
            return Ok(SavedRunbooks::default());
        }
        let start = match read_start(&self.path, SCHEMA_VERSION, HEAD_BYTES) {
            Ok(None) => return Ok(SavedRunbooks::default()),
            Ok(Some((start, _))) => start,
            // The version may stand further down.
            Err(StoreError::Malformed { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        if let Some(head) = head(&start)
            && let Some(texts) = head.runbooks
        {
            self.check_owner(&head.owner)?;
            let mut lost = Vec::new();
            let runbooks = runbooks(&texts, &start, &mut lost);
            return Ok(self.with_damage(runbooks, lost, false));
        }
        let Some(text) = self.text()? else {
            return Ok(SavedRunbooks::default());
        };
        let whole = std::str::from_utf8(&text).ok();
        let document: Option<Document<'_, IgnoredAny>> =
            whole.and_then(|text| serde_json::from_str(text).ok());
        let mut lost = Vec::new();
        let (owner, texts) = match document {
            Some(document) => (document.owner, document.runbooks),
            None => {
                let parsed = parse(&text, &self.path)?;
                lost = parsed.lost;
                (parsed.document.owner, parsed.document.runbooks)
            }
        };
        self.check_owner(&owner)?;
        let is_broken = !lost.is_empty();
        let runbooks = runbooks(&texts, &text, &mut lost);
        Ok(self.with_damage(runbooks, lost, is_broken))
    }

    fn with_damage(
        &self,
        runbooks: Vec<SavedRunbook>,
        lost: Vec<crate::Lost>,
        is_broken: bool,
    ) -> SavedRunbooks {
        let own = damage(&self.path, lost, is_broken);
        SavedRunbooks {
            runbooks,
            damage: own.into_iter().chain(self.set_aside()).collect(),
        }
    }

    /// Changes it: reads, lets `change` work on it, and writes it back as a whole, under the lock. Where nothing
    /// is changed, nothing is written.
    ///
    /// What it was before is kept in the history, within the limits that hold without being asked.
    ///
    /// # Errors
    /// As [`NotebookFile::read`]; what `change` answers; when the lock is held too long, or the file cannot
    /// be written. Nothing has changed then.
    pub fn edit<T, E: From<NotebookError>>(
        &self,
        writer: &Writer,
        mode: EditMode,
        change: impl FnOnce(&mut NotebookEdit<'_>) -> Result<T, E>,
    ) -> Result<Edited<T>, E> {
        let _guard = self.begin(writer, mode)?;
        let text = self.text()?;
        let parsed = text.as_deref().map(|text| self.owned(text)).transpose()?;
        let (mut edit, is_broken) = match parsed {
            Some(Parsed { document, lost }) if lost.is_empty() => {
                (NotebookEdit::from(document), false)
            }
            Some(Parsed { document, .. }) => (NotebookEdit::from(document).in_part(), true),
            None => (NotebookEdit::default(), false),
        };
        let answer = change(&mut edit)?;
        let before = edit.revision();
        if !edit.is_changed() || mode == EditMode::DryRun {
            return Ok(Edited {
                answer,
                before,
                revision: before,
                changes: edit.changes().clone(),
                set_aside: None,
            });
        }
        let state = match &text {
            None => Standing::Missing,
            Some(_) if is_broken => {
                // From now on it counts as whole.
                edit.forget_lost();
                Standing::Broken
            }
            Some(text) => Standing::Whole(text),
        };
        let (revision, set_aside) = self.replace(&edit, state, writer, None)?;
        Ok(Edited {
            answer,
            before,
            revision,
            changes: edit.changes().clone(),
            set_aside,
        })
    }

    /// Goes back to `revision`, as a new revision; 0 is what was there before the first one: nothing. A notebook that
    /// cannot be read is set aside.
    ///
    /// # Errors
    /// When that is not kept, or damaged; as [`NotebookFile::edit`].
    pub fn rollback(
        &self,
        writer: &Writer,
        mode: EditMode,
        revision: u64,
    ) -> Result<Edited<()>, NotebookError> {
        self.rollback_and(writer, mode, revision, |_| ())
    }

    /// As [`NotebookFile::rollback`], with what `look` says of the notebook as it is then.
    ///
    /// # Errors
    /// As [`NotebookFile::rollback`].
    pub fn rollback_and<T>(
        &self,
        writer: &Writer,
        mode: EditMode,
        revision: u64,
        look: impl FnOnce(&NotebookEdit<'_>) -> T,
    ) -> Result<Edited<T>, NotebookError> {
        let _guard = self.begin(writer, mode)?;
        let kept = self.kept(revision)?;
        let mut edit = match &kept {
            None => NotebookEdit::default(),
            Some((text, path)) => {
                let Parsed { document, lost } = self.owned(text)?;
                if let Some(lost) = lost.first() {
                    return Err(damaged(revision, path, lost.to_string()));
                }
                NotebookEdit::from(document)
            }
        };
        let text = self.text();
        let (before, state) = match &text {
            Ok(None) => (NotebookEdit::default(), Standing::Missing),
            Ok(Some(text)) => match self.owned(text) {
                Ok(Parsed { document, lost }) if lost.is_empty() => {
                    (NotebookEdit::from(document), Standing::Whole(text))
                }
                Ok(Parsed { document, .. }) => (NotebookEdit::from(document), Standing::Broken),
                Err(NotebookError::Store(StoreError::Malformed { .. })) => {
                    (NotebookEdit::default(), Standing::Broken)
                }
                Err(error) => return Err(error),
            },
            Err(NotebookError::Store(StoreError::Malformed { .. })) => {
                (NotebookEdit::default(), Standing::Broken)
            }
            Err(_) => return Err(text.err().unwrap_or(NotebookError::SwitchedOff)),
        };
        edit.note_all(&before);
        edit.unite_seen(&before);
        let answer = look(&edit);
        let edited = |after, set_aside| Edited {
            answer,
            before: before.revision(),
            revision: after,
            changes: edit.changes().clone(),
            set_aside,
        };
        if mode == EditMode::DryRun {
            return Ok(edited(before.revision(), None));
        }
        let (after, set_aside) = self.replace(&edit, state, writer, Some(revision))?;
        Ok(edited(after, set_aside))
    }

    /// The text of a revision, and its file; nothing for what was there before the first one.
    fn kept(&self, revision: u64) -> Result<Option<(Vec<u8>, PathBuf)>, NotebookError> {
        let snapshots = self.history_by_owner()?.own;
        let mut same = snapshots
            .iter()
            .filter(|snapshot| snapshot.revision == revision);
        let Some(snapshot) = same.next() else {
            let first = match snapshots.first() {
                Some(first) => Some(first.revision),
                // One that says nothing may be of any revision.
                None => {
                    let own = self.revision(&self.path, None).ok().flatten();
                    own.map(|own| own.revision)
                }
            };
            if revision == 0 && first == Some(1) {
                return Ok(None);
            }
            let kept = snapshots.iter().map(|snapshot| snapshot.revision).collect();
            return Err(NotebookError::NoSuchRevision { revision, kept });
        };
        let text = read_versioned(&snapshot.path, SCHEMA_VERSION, MAX_BYTES)?;
        let gone = || damaged(revision, &snapshot.path, "it is no longer there".to_owned());
        Ok(Some((text.ok_or_else(gone)?, snapshot.path.clone())))
    }

    /// What is kept of what it was, and what it is: the newest first. What belongs to another repository is passed over:
    /// see [`NotebookFile::strangers`].
    ///
    /// # Errors
    /// When the folder cannot be read, the notebook belongs to another repository, or a file is newer than this program.
    pub fn history(&self) -> Result<Vec<Revision>, NotebookError> {
        if !self.enabled {
            return Ok(Vec::new());
        }
        let mut revisions = Vec::new();
        for snapshot in self.history_by_owner()?.own {
            revisions.extend(self.revision(&snapshot.path, Some(&snapshot))?);
        }
        revisions.extend(self.revision(&self.path, None)?);
        revisions.reverse();
        Ok(revisions)
    }

    /// What the file at `path` says of itself; `None` when it is not there any more, or says nothing.
    fn revision(
        &self,
        path: &Path,
        snapshot: Option<&Snapshot>,
    ) -> Result<Option<Revision>, NotebookError> {
        let start = match read_start(path, SCHEMA_VERSION, HEAD_BYTES) {
            Ok(Some((start, _))) => start,
            Ok(None) => return Ok(None),
            Err(StoreError::Malformed { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let head = head(&start);
        if let Some(head) = &head {
            self.check_owner(&head.owner)?;
        }
        let bytes = || path.metadata().map_or(0, |metadata| metadata.len());
        let own = head.as_ref().map_or(0, |head| head.revision);
        Ok(Some(Revision {
            revision: snapshot.map_or(own, |snapshot| snapshot.revision),
            current: snapshot.is_none(),
            written: head.and_then(|head| head.written),
            bytes: snapshot.map_or_else(bytes, |snapshot| snapshot.bytes),
        }))
    }

    /// Removes superseded revisions beyond `limits`; gives back their numbers, in order.
    ///
    /// # Errors
    /// When the lock is held too long, or the folder cannot be read.
    pub fn collect_garbage(
        &self,
        writer: &Writer,
        mode: EditMode,
        limits: HistoryLimits,
    ) -> Result<Vec<u64>, NotebookError> {
        let _guard = self.begin(writer, mode)?;
        let history = History::of(&self.path);
        let snapshots = history.snapshots()?;
        let mut removed: Vec<u64> = match mode {
            EditMode::DryRun => superfluous(&snapshots, limits, writer.now)
                .map(|snapshot| snapshot.revision)
                .collect(),
            EditMode::Write => {
                history.tidy(writer.now, &self.disk);
                let removed = History::prune(&snapshots, limits, writer.now, &self.disk);
                removed.iter().map(|snapshot| snapshot.revision).collect()
            }
        };
        removed.sort_unstable();
        Ok(removed)
    }

    /// Makes sure that the notebook is still at the revision that somebody looked at.
    ///
    /// # Errors
    /// When it is not, with what is known of the changes since.
    pub fn check_revision(
        &self,
        edit: &NotebookEdit<'_>,
        expected: u64,
    ) -> Result<(), NotebookError> {
        let found = edit.revision();
        if found == expected {
            return Ok(());
        }
        let later = self.history()?.into_iter();
        let later = later.filter(|revision| revision.revision > expected);
        let mut since: Vec<String> = later.map(|revision| told(&revision)).collect();
        since.reverse();
        Err(NotebookError::Changed {
            expected,
            found,
            since,
        })
    }

    /// Makes sure that it may be changed, and takes the lock where it is to be.
    pub(crate) fn begin(
        &self,
        writer: &Writer,
        mode: EditMode,
    ) -> Result<Option<LockGuard>, NotebookError> {
        if !self.enabled {
            return Err(NotebookError::SwitchedOff);
        }
        let path = self.path.with_extension("lock");
        let take = || Lock::acquire(&path, self.lock_timeout, &writer.holder);
        Ok((mode == EditMode::Write).then(take).transpose()?)
    }

    /// Writes what `edit` made of the notebook, and keeps what it was.
    pub(crate) fn replace(
        &self,
        edit: &NotebookEdit<'_>,
        state: Standing<'_>,
        writer: &Writer,
        rolled_back_to: Option<u64>,
    ) -> Result<(u64, Option<Damage>), NotebookError> {
        let history = History::of(&self.path);
        let strangers = match state {
            Standing::Missing => self.set_strangers_aside()?,
            Standing::Broken | Standing::Whole(_) => None,
        };
        let snapshots = history.snapshots()?;
        let newest = snapshots.last().map_or(0, |snapshot| snapshot.revision);
        let (before, set_aside) = match state {
            Standing::Missing => (newest.max(edit.revision()), strangers),
            Standing::Broken => (newest.max(edit.revision()), Some(self.put_aside()?)),
            Standing::Whole(text) => (self.keep(text, &history, newest)?, None),
        };
        let revision = before + 1;
        let written = Written {
            handed_over: edit.has_seen_more(),
            ..Written::of(writer, edit.changes(), rolled_back_to)
        };
        let text = edit.to_text(&*self.repo, revision, &written)?;
        let bytes = text.len() as u64;
        if bytes > MAX_BYTES {
            // What could not be read again must not be written.
            return Err(NotebookError::TooLarge {
                bytes,
                limit: MAX_BYTES,
            });
        }
        self.disk.write_atomic(&self.path, &text, self.durability)?;
        // It stands; what is left over is a matter of room alone.
        let snapshots = history.snapshots().unwrap_or_default();
        History::prune(&snapshots, HistoryLimits::default(), writer.now, &self.disk);
        history.tidy(writer.now, &self.disk);
        Ok((revision, set_aside))
    }

    /// Keeps the notebook, whose text is `text`, in the history; says as which revision, which is at least `newest`.
    fn keep(&self, text: &[u8], history: &History, newest: u64) -> Result<u64, NotebookError> {
        let own = head(&text[..text.len().min(HEAD_BYTES as usize)]);
        let own = match own {
            Some(head) => head.revision,
            None => parse(text, &self.path)?.document.revision,
        };
        let kept = history.path(own);
        if own >= newest {
            match self.disk.keep(&self.path, &kept) {
                Ok(()) => return Ok(own),
                Err(error) if !error.is_taken() => return Err(error.into()),
                Err(_) => {}
            }
        }
        // Written by an earlier try that was ended, or put there again by hand: kept already if it is the same.
        if read_versioned(&kept, SCHEMA_VERSION, MAX_BYTES)
            .is_ok_and(|old| old.as_deref() == Some(text))
        {
            return Ok(newest.max(own));
        }
        let next = newest.max(own) + 1;
        self.disk.keep(&self.path, &history.path(next))?;
        Ok(next)
    }

    /// Keeps the file as it is beside the notebook, which is about to be written anew. An earlier try that came no further
    /// than that has kept it already.
    fn put_aside(&self) -> Result<Damage, NotebookError> {
        let mut number = 1_u32;
        loop {
            let path = self
                .path
                .with_file_name(format!("{SET_ASIDE}{number}.json"));
            match self.disk.keep(&self.path, &path) {
                Ok(()) => return Ok(set_aside(path)),
                Err(error) if error.is_taken() => {
                    if have_same_bytes(&self.path, &path)? {
                        return Ok(set_aside(path));
                    }
                    number += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What was set aside and is still there.
    fn set_aside(&self) -> Vec<Damage> {
        let Some(folder) = self.path.parent() else {
            return Vec::new();
        };
        let is_ours = |name: &str| name.starts_with(SET_ASIDE);
        let files = files_in(folder, is_ours).unwrap_or_default().into_iter();
        files.map(|file| set_aside(file.path)).collect()
    }

    /// The text of the file; `None` if there is none.
    pub(crate) fn text(&self) -> Result<Option<Vec<u8>>, NotebookError> {
        Self::text_at(&self.path)
    }

    pub(crate) fn text_at(path: &Path) -> Result<Option<Vec<u8>>, NotebookError> {
        Ok(read_versioned(path, SCHEMA_VERSION, MAX_BYTES)?)
    }

    /// Whose the notebook at `path` is, if that stands in front of its anchors.
    pub(crate) fn owner_of(path: &Path) -> Option<Owner> {
        let (start, _) = read_start(path, SCHEMA_VERSION, HEAD_BYTES).ok()??;
        Some(head(&start)?.owner)
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(crate) fn ownership(&self) -> &dyn Ownership {
        &*self.repo
    }

    /// Writes a revision of another place's notebook into the history of this one.
    pub(crate) fn rewrite(
        &self,
        edit: &NotebookEdit<'_>,
        revision: u64,
    ) -> Result<(), NotebookError> {
        let text = edit.to_text(&*self.repo, edit.revision(), edit.written())?;
        self.write(&History::of(&self.path).path(revision), &text)
    }

    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), NotebookError> {
        Ok(self.disk.write_atomic(path, bytes, Durability::Relaxed)?)
    }

    /// What stands in `text`, which has to belong to this repository.
    fn owned<'a>(&self, text: &'a [u8]) -> Result<Parsed<'a>, NotebookError> {
        let parsed = parse(text, &self.path)?;
        self.check_owner(&parsed.document.owner)?;
        Ok(parsed)
    }

    pub(crate) fn check_owner(&self, found: &Owner) -> Result<(), NotebookError> {
        let path = self.path.clone();
        self.repo.check(found).map_err(|foreign| match foreign {
            Foreign::Elsewhere => NotebookError::Foreign {
                path,
                found: found.repo_id.clone(),
                expected: self.repo.repo_id().to_owned(),
            },
            Foreign::Replaced => NotebookError::Replaced { path },
            Foreign::Unproven => NotebookError::Unproven { path },
        })
    }
}

fn damaged(revision: u64, path: &Path, why: String) -> NotebookError {
    NotebookError::DamagedRevision {
        revision,
        path: path.to_owned(),
        why,
    }
}

/// What the names of notebooks begin with that were set aside.
const SET_ASIDE: &str = "notebook.damaged-";

/// What is there before a write.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'a> {
    Missing,
    /// Something that is no document as a whole.
    Broken,
    Whole(&'a [u8]),
}

/// What is to be said of the file at `path`, which was set aside.
fn set_aside(path: PathBuf) -> Damage {
    let text = read_versioned(&path, SCHEMA_VERSION, MAX_BYTES);
    let text = text.ok().flatten();
    let salvaged = text.as_deref().and_then(salvage);
    Damage {
        lost: salvaged.map(|salvaged| salvaged.lost).unwrap_or_default(),
        path,
        state: DamageState::SetAside,
    }
}

/// A revision in a few words: its number, by whom, what it changed.
fn told(revision: &Revision) -> String {
    let Revision {
        revision: number,
        written,
        ..
    } = revision;
    match written {
        None => format!("revision {number}"),
        Some(written) => {
            let by = written.by.as_ref().map(|by| format!(" by {by}"));
            let at = written.at.as_ref().map(|at| format!(" at {at}"));
            let (by, at) = (by.unwrap_or_default(), at.unwrap_or_default());
            format!("revision {number}{by}{at}: {written}")
        }
    }
}
