//! The journal is a ledger's log, the state folded from it, and the log's copies in working trees.
//!
//! - An event is acknowledged only when it's durable. A writer takes the lock, applies the new
//!   lines of the log, decides, and appends. One sync serves all waiting writers. If a writer
//!   crashes in the middle of a line, the next append ends that line and readers skip it. If lines
//!   don't fit on the disk, their writer removes them again.
//! - We apply a decision to the state before writing it, so an event that the state doesn't allow
//!   is never written.
//! - Events have an order of their own (`OrderKey`), which doesn't depend on the order of lines.
//!   The same events therefore produce the same state, however a merge arranged the lines.
//! - With git, the log is in git's common folder, which no checkout, reset or merge touches (see
//!   `mirror`). Readers write nothing.

pub(crate) mod applied_log;
pub(crate) mod checkpoint;
mod copies;
mod feed;
mod mirror;
mod part_folder;
pub(crate) mod sharing;

use std::time::Duration;

use windlass_store::{DurableLog, FileMark, LogWriter};

use crate::draft::{Draft, Writer};
use crate::event::Oddity;
use crate::shared::{LocalLog, Replica, decide_here, decide_shared};
use crate::state::State;
use crate::{LedgerError, Places, Stamp, fold, side_files};

use applied_log::AppliedLog;
use applied_log::all_lines;
use copies::Copies;
pub(crate) use mirror::Mirror;

/// A ledger's log with its state and copies.
#[derive(Debug)]
pub(crate) struct Journal {
    places: Places,
    /// The log file, or `None` before the first event.
    log: Option<DurableLog>,
    applied: AppliedLog,
    copies: Copies,
    /// Connection to the shared log, if the ledger is shared.
    replica: Option<Replica>,
    warnings: Vec<String>,
}

impl Journal {
    /// Opens the ledger at `places`, including events found only in working tree copies. A missing
    /// ledger opens as an empty one, since opening writes nothing.
    ///
    /// # Errors
    /// Returns an error if the folder belongs to another tool, or a file can't be read.
    pub(crate) fn open(places: Places) -> Result<Self, LedgerError> {
        places.check_own()?;
        Self::adopt(places)
    }

    /// Opens the ledger like [`Journal::open`], even if the folder belongs to another tool.
    ///
    /// # Errors
    /// Returns an error if a file can't be read.
    pub(crate) fn adopt(places: Places) -> Result<Self, LedgerError> {
        let mut ledger = Self {
            applied: AppliedLog::of(&places),
            copies: Copies::of(&places),
            places,
            log: None,
            replica: None,
            warnings: Vec::new(),
        };
        ledger.reload()?;
        // Incomplete lines are left over from an interrupted writer. They're harmless and need no
        // warning.
        let odd = ledger.state().odd_lines().iter();
        let odd = odd.filter(|odd| odd.what != Oddity::Torn).count();
        if odd > 0 && !ledger.places.has_git() {
            ledger.warn(format!(
                "the log has {} without an event, kept and skipped; run `windlass events verify` to see them",
                windlass_base::counted(odd, "line")
            ));
        }
        Ok(ledger)
    }

    #[must_use]
    pub(crate) fn state(&self) -> &State {
        self.applied.state()
    }

    /// Returns the state at the time `until`.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub(crate) fn state_at(&self, until: Stamp) -> Result<State, LedgerError> {
        Ok(fold::fold(&self.log_bytes()?, Some(until)))
    }

    /// Returns the locations of the ledger's files.
    #[must_use]
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the warnings so far, each a single line.
    #[must_use]
    pub(crate) fn warnings(&self) -> Vec<&str> {
        let shared = self.replica.as_ref().and_then(Replica::warning);
        let own = self.warnings.iter().map(String::as_str);
        own.chain(shared).collect()
    }

    pub(crate) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(crate) fn log(&self) -> Option<&DurableLog> {
        self.log.as_ref()
    }

    /// Returns all complete lines of the log, followed by those found only in copies.
    pub(crate) fn log_bytes(&self) -> Result<Vec<u8>, LedgerError> {
        all_lines(self.log(), self.copies.beside())
    }

    pub(crate) fn applied(&self) -> &AppliedLog {
        &self.applied
    }

    pub(crate) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Loads the checkpoint, the rest of the log after it, and the events found only in copies.
    fn reload(&mut self) -> Result<(), LedgerError> {
        self.log = DurableLog::open_existing(&self.places.journal(), &self.places.home())?;
        self.copies.forget_beside();
        self.applied.load(self.log.as_ref())?;
        let read = self.copies.read(self.log.as_ref(), &mut self.applied);
        for warning in read? {
            self.warn(warning);
        }
        Ok(())
    }

    /// Appends events found only in copies to the log, so that the next decision takes them into
    /// account.
    fn take_in(
        &mut self,
        log: &DurableLog,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        let open = self.copies.untaken(log)?;
        // If a copy has lost events since this journal was opened, the state still includes them
        // and must be reset.
        if open.is_empty() && self.copies.beside().is_empty() {
            return Ok(());
        }
        if open.is_empty() {
            self.copies.forget_beside();
            return self.applied.load(Some(log));
        }
        let mut guard = log.writer(timeout, holder)?;
        self.copies.forget_beside();
        self.applied.load(Some(log))?;
        let (mut appended, mut taken) = (None, Vec::new());
        for mirror in open {
            let Some(compared) = mirror.compare(Some(log), self.state())? else {
                continue;
            };
            // After a failed checkpoint read, the state may lack events already in the log, and
            // we'd append them twice.
            self.applied.check_sound()?;
            if !compared.missing.is_empty() {
                appended = Some(guard.append(&compared.missing)?);
                self.applied.follow(log)?;
            }
            taken.push((mirror, compared));
        }
        if appended.is_some() {
            self.feed(log, &guard);
        }
        drop(guard);
        if let Some(appended) = appended {
            log.commit(appended, timeout, holder)?;
        }
        for (mirror, compared) in taken {
            mirror.note_taken(compared, log)?;
        }
        Ok(())
    }

    /// Appends the log's new events to the feed. A failure is only a warning, because the log is
    /// complete without it.
    fn feed(&mut self, log: &DurableLog, guard: &LogWriter<'_>) {
        if let Err(error) = feed::append(&self.places, log, guard) {
            self.warn(format!("cannot write `.beads/feed.jsonl`: {error}"));
        }
    }

    /// True if the log or a copy has changed since the last read.
    #[must_use]
    pub(crate) fn has_grown(&self) -> bool {
        let mark = FileMark::of_path(&self.places.journal()).ok().flatten();
        let read_bytes = self.log.as_ref().map(|_| self.applied.read_bytes());
        mark.map(|mark| mark.bytes) != read_bytes || self.copies.have_changed()
    }

    /// Applies new events from other processes and from git.
    ///
    /// # Errors
    /// Returns an error if the log or a copy can't be read.
    pub(crate) fn follow_others(&mut self) -> Result<(), LedgerError> {
        let is_alone = self.copies.beside().is_empty() && !self.copies.have_changed();
        // The log file may have been replaced by another one.
        let is_same = |log: &&DurableLog| {
            let mark = log.mark().map(|mark| mark.bytes).ok();
            mark.is_some() && mark == log.bytes().ok()
        };
        match self.log.as_ref().filter(|log| is_alone && is_same(log)) {
            Some(log) => self.applied.follow(log),
            None => self.reload(),
        }
    }

    /// Checks that no checkpoint read has failed.
    ///
    /// # Errors
    /// Returns [`LedgerError::Damaged`] if a read failed. The next command then rebuilds the checkpoint.
    pub(crate) fn check_sound(&self) -> Result<(), LedgerError> {
        self.applied.check_sound()
    }

    fn take_log(&mut self) -> Result<DurableLog, LedgerError> {
        match self.log.take() {
            Some(log) => Ok(log),
            None => Ok(DurableLog::open(
                &self.places.journal(),
                &self.places.home(),
            )?),
        }
    }

    /// Runs `work` under the log's lock and writes the events it emits. Afterwards, either all
    /// events are durable or none has been written.
    ///
    /// # Errors
    /// Returns an error if `work` fails, the state doesn't allow an event, or the events can't be
    /// made durable.
    pub(crate) fn transact<T>(
        &mut self,
        writer: &Writer<'_>,
        mut work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.places.check_links()?;
        side_files::prepare_folder(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, writer.timeout, &writer.holder)
            .and_then(|()| self.append(&log, writer, &mut work));
        self.log = Some(log);
        match done {
            Ok((value, true)) => {
                // The events are durable. If we reported a failure now, the caller would repeat
                // them.
                let kept = self.keep(false);
                if let Err(error) = kept.and_then(|()| self.refresh_files(writer.now, false)) {
                    self.warn(format!(
                        "the change was saved, but the files beside the log could not be written: {error}"
                    ));
                }
                Ok(value)
            }
            Ok((value, false)) => Ok(value),
            Err(error) => {
                // The state includes events of the failed draft, so it has to be reloaded.
                self.reload()?;
                Err(error)
            }
        }
    }

    /// Runs `work` and appends its events. Returns its result, and true if any events were written.
    fn append<T>(
        &mut self,
        log: &DurableLog,
        writer: &Writer<'_>,
        work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<(T, bool), LedgerError> {
        let mut guard = log.writer(writer.timeout, &writer.holder)?;
        self.applied.follow(log)?;
        let hooks = self.state().hooks().clone();
        let mut local = LocalLog {
            log,
            guard: &mut guard,
            applied: &mut self.applied,
        };
        let before = local.applied.end();
        let decided = match self.replica.as_mut().filter(|shared| !shared.is_offline()) {
            Some(shared) => decide_shared(shared, &mut local, writer, work)
                .inspect_err(|error| shared.note_if_unreachable(writer.now, error))?,
            None => decide_here(&mut local, writer, work)?,
        };
        if let Some(error) = decided.problem {
            self.warn(format!(
                "the change is in the shared ledger, but not yet recorded here: {error}"
            ));
        }
        if self.applied.end() == before {
            return Ok((decided.value, false));
        }
        self.feed(log, &guard);
        side_files::write_hooks(&self.places, &hooks, self.state().hooks());
        drop(guard);
        if let Some(appended) = decided.to_sync {
            let synced = log.commit(appended, writer.timeout, &writer.holder);
            match synced.map_err(LedgerError::Unconfirmed) {
                Err(error) if decided.is_shared => self.warn(format!(
                    "the change is in the shared ledger, but may be lost here in a power cut: {error}"
                )),
                synced => synced?,
            }
        }
        Ok((decided.value, true))
    }

    /// Exchanges events between the log and the copy in the caller's working tree, and rewrites all
    /// files beside the log. `timeout` limits the wait for other processes, which see `holder` as
    /// the waiting command's name.
    ///
    /// # Errors
    /// Returns an error if a file can't be read or written.
    pub(crate) fn sync(
        &mut self,
        now: Stamp,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        if self.log.is_none() && self.copies.beside().is_empty() {
            return Ok(());
        }
        self.places.check_links()?;
        side_files::prepare_folder(&self.places)?;
        side_files::prepare_tracked(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, timeout, holder)
            .and_then(|()| self.write_copy(&log, timeout, holder));
        self.log = Some(log);
        done?;
        self.refresh_files(now, true)
    }

    /// Appends the events missing from the caller's copy.
    fn write_copy(
        &mut self,
        log: &DurableLog,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        let Some(mirror) = self.copies.here() else {
            return Ok(());
        };
        let guard = log.writer(timeout, holder)?;
        self.applied.follow(log)?;
        mirror.complete(&log.whole_lines(0)?, &guard)?;
        drop(guard);
        match mirror.compare(Some(log), self.state())? {
            Some(compared) if compared.missing.is_empty() => mirror.note_taken(compared, log),
            _ => Ok(()),
        }
    }

    /// Deletes everything derived from the log and builds it again.
    ///
    /// # Errors
    /// Returns an error if the log can't be read or a file can't be written.
    pub(crate) fn rebuild(
        &mut self,
        now: Stamp,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        self.applied.remove_checkpoint()?;
        feed::remove(&self.places)?;
        self.reload()?;
        self.sync(now, timeout, holder)?;
        self.keep(true)
    }

    /// Writes the files beside the log that are out of date, or all of them if `everything` is set.
    fn refresh_files(&self, now: Stamp, everything: bool) -> Result<(), LedgerError> {
        match &self.log {
            Some(log) => side_files::refresh(&self.places, log, &self.applied, now, everything),
            None => Ok(()),
        }
    }

    /// Saves a checkpoint if `at_once` is set or one is due. If the state includes events missing
    /// from the log, we save none, because it wouldn't match the log.
    fn keep(&mut self, at_once: bool) -> Result<(), LedgerError> {
        match self
            .log
            .as_ref()
            .filter(|_| self.copies.beside().is_empty())
        {
            Some(log) => self.applied.keep(log, at_once),
            None => Ok(()),
        }
    }
}
