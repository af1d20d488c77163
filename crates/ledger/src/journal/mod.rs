//! The journal is a ledger's log, the state folded from it, and the log's copies in working trees.
//!
//! - An event is acknowledged only when it's durable. A writer takes the lock, applies the new
//!   lines of the log, decides, and appends. One sync serves all writers that are waiting for one.
//!   If a writer crashes in the middle of a line, the next append ends that line and readers skip
//!   it. Lines that don't fit on the disk are removed again by their writer.
//! - A decision is applied to the state before it's written, so an event that the state doesn't
//!   allow never gets into the log this way.
//! - Events have an order of their own (`OrderKey`) that doesn't depend on the order of lines.
//!   However a merge arranges the lines, the same events therefore produce the same state.
//! - With git, the log is in git's common folder, out of reach of checkouts, resets and merges (see
//!   `mirror`). Readers write nothing.

pub(crate) mod applied_log;
pub(crate) mod checkpoint;
mod copies;
mod feed;
mod mirror;
mod part_folder;
pub(crate) mod sharing;

use windlass_store::{DurableLog, FileMark, LockRequest, LogWriter};

use crate::draft::{Draft, Writer};
use crate::event::Oddity;
use crate::shared::{LocalLog, Replica, decide_here, decide_shared};
use crate::state::State;
use crate::{LedgerError, Places, Stamp, fold, output_store, side_files};

use applied_log::AppliedLog;
use applied_log::all_lines;
use copies::Copies;
pub(crate) use mirror::Mirror;

#[derive(Debug)]
pub(crate) struct Journal {
    places: Places,
    /// The log file, or `None` before the first event.
    log: Option<DurableLog>,
    applied: AppliedLog,
    copies: Copies,
    replica: Option<Replica>,
    warnings: Vec<String>,
}

impl Journal {
    /// Opens the ledger at `places`, including the events found only in working tree copies.
    /// Opening writes nothing, so a missing ledger opens as an empty one.
    ///
    /// # Errors
    /// Returns an error if the folder belongs to another tool, or a file cannot be read.
    pub(crate) fn open(places: Places) -> Result<Self, LedgerError> {
        places.check_own()?;
        Self::adopt(places)
    }

    /// Opens the ledger like [`Journal::open`], even if the folder belongs to another tool.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
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
        // Incomplete lines are left over from an interrupted writer. They do no harm, so we don't
        // warn.
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

    pub(crate) fn state_at(&self, until: Stamp) -> Result<State, LedgerError> {
        Ok(fold::fold(&self.log_bytes()?, Some(until)))
    }

    #[must_use]
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

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
    fn take_in(&mut self, log: &DurableLog, request: &LockRequest) -> Result<(), LedgerError> {
        let open = self.copies.untaken(log)?;
        // A copy may have lost events since this journal was opened. The state still includes them
        // and must then be reset.
        if open.is_empty() && self.copies.beside().is_empty() {
            return Ok(());
        }
        if open.is_empty() {
            self.copies.forget_beside();
            return self.applied.load(Some(log));
        }
        let mut guard = log.writer(request)?;
        self.copies.forget_beside();
        self.applied.load(Some(log))?;
        let (mut appended, mut taken) = (None, Vec::new());
        for mirror in open {
            let Some(compared) = mirror.compare(Some(log), self.state())? else {
                continue;
            };
            // After a failed checkpoint read, the state may lack events that the log has, and we'd
            // append them a second time.
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
            log.commit(appended, request)?;
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

    #[must_use]
    pub(crate) fn has_grown(&self) -> bool {
        let mark = FileMark::of_path(&self.places.journal()).ok().flatten();
        let read_bytes = self.log.as_ref().map(|_| self.applied.read_bytes());
        mark.map(|mark| mark.bytes) != read_bytes || self.copies.have_changed()
    }

    pub(crate) fn follow_others(&mut self) -> Result<(), LedgerError> {
        let is_alone = self.copies.beside().is_empty() && !self.copies.have_changed();
        // If another file has taken the place of the log, for example a restored backup, its mark
        // no longer matches the file we have open. We have to start over then.
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
    /// Returns [`LedgerError::Damaged`] if a read failed. The next command then rebuilds the
    /// checkpoint.
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

    /// Runs `work` under the log's lock and writes the events it emits.
    ///
    /// If this succeeds, all of them are durable. If it fails, none has been written, except as
    /// stated below.
    ///
    /// # Errors
    /// Returns an error if `work` fails, the state does not allow an event, or the events cannot be
    /// made durable. After [`LedgerError::Unconfirmed`] or [`LedgerError::Unsettled`], the events
    /// may have been written.
    pub(crate) fn transact<T>(
        &mut self,
        writer: &Writer<'_>,
        mut work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.places.check_links()?;
        side_files::prepare_folder(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, &writer.lock)
            .and_then(|()| self.append(&log, writer, &mut work));
        self.log = Some(log);
        match done {
            Ok((value, true)) => {
                // The events are durable by now. A caller that got an error for the checkpoint
                // would repeat them.
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
                // The state includes the events of the failed draft and has to be loaded again.
                self.reload()?;
                Err(error)
            }
        }
    }

    /// Returns the result of `work`, and true if we have written any events.
    fn append<T>(
        &mut self,
        log: &DurableLog,
        writer: &Writer<'_>,
        work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<(T, bool), LedgerError> {
        let mut guard = log.writer(&writer.lock)?;
        self.applied.follow(log)?;
        // Remember the present hooks. Only the files of those that change have to be written.
        let hooks = self.state().hooks().clone();
        let mut local = LocalLog {
            places: &self.places,
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
        // Release the lock before the sync. Others can append in the meantime, and one sync then
        // serves all of us.
        drop(guard);
        if let Some(appended) = decided.to_sync {
            let synced = log.commit(appended, &writer.lock);
            match synced.map_err(LedgerError::Unconfirmed) {
                // The shared log is durable and has the change, so an error would make the caller
                // repeat it.
                Err(error) if decided.is_shared => self.warn(format!(
                    "the change is in the shared ledger, but may be lost here in a power cut: {error}"
                )),
                synced => synced?,
            }
        }
        Ok((decided.value, true))
    }

    /// Exchanges events between the log and the copy in the caller's working tree, and rewrites all
    /// files beside the log.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub(crate) fn sync(&mut self, now: Stamp, request: &LockRequest) -> Result<(), LedgerError> {
        if self.log.is_none() && self.copies.beside().is_empty() {
            return Ok(());
        }
        self.places.check_links()?;
        side_files::prepare_folder(&self.places)?;
        side_files::prepare_tracked(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, request)
            .and_then(|()| self.write_copy(&log, request));
        self.log = Some(log);
        done?;
        // Without a checkpoint, readers take longer, but nothing is missing.
        if let Err(error) = self.keep(false) {
            self.warn(format!("no checkpoint was saved: {error}"));
        }
        self.refresh_files(now, true)
    }

    fn write_copy(&mut self, log: &DurableLog, request: &LockRequest) -> Result<(), LedgerError> {
        let Some(mirror) = self.copies.here() else {
            return Ok(());
        };
        let guard = log.writer(request)?;
        self.applied.follow(log)?;
        let lines = log.whole_lines(0)?;
        output_store::copy_to_tree(&self.places, &lines)?;
        mirror.complete(&lines, &guard)?;
        drop(guard);
        match mirror.compare(Some(log), self.state())? {
            Some(compared) if compared.missing.is_empty() => mirror.note_taken(compared, log),
            _ => Ok(()),
        }
    }

    /// Deletes everything derived from the log and builds it again.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read or a file cannot be written.
    pub(crate) fn rebuild(&mut self, now: Stamp, request: &LockRequest) -> Result<(), LedgerError> {
        self.applied.remove_checkpoint()?;
        feed::remove(&self.places)?;
        self.reload()?;
        self.sync(now, request)?;
        self.keep(true)
    }

    /// Writes the files beside the log that are out of date, or all of them if `everything` is set.
    fn refresh_files(&self, now: Stamp, everything: bool) -> Result<(), LedgerError> {
        match &self.log {
            Some(log) => side_files::refresh(&self.places, log, &self.applied, now, everything),
            None => Ok(()),
        }
    }

    /// Saves a checkpoint if `at_once` is set or one is due.
    ///
    /// While some events are only in copies, we cannot save the state, because it does not match
    /// any position of the log.
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
