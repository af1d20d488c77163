//! A ledger: its log, what follows from it, and its copies in working trees.

mod applied_log;
mod checkpoint;
mod copies;
mod feed;
mod mirror;

use std::time::Duration;

use windlass_store::{DurableLog, FileMark, LogWriter};

use crate::draft::{Draft, Writer};
use crate::event::Oddity;
use crate::state::State;
use crate::{LedgerError, Places, Stamp, fold, side_files};

pub(crate) use applied_log::AppliedLog;
use applied_log::all_lines;
use copies::Copies;
pub(crate) use mirror::Mirror;

/// A ledger: its log, and what follows from it.
#[derive(Debug)]
pub(crate) struct Journal {
    places: Places,
    /// Nothing before the first event.
    log: Option<DurableLog>,
    applied: AppliedLog,
    copies: Copies,
    warnings: Vec<String>,
}

impl Journal {
    /// Opens the ledger at `places`, with the events that only the copies in working trees have; an empty one where there
    /// is none. Nothing is written.
    ///
    /// # Errors
    /// When the folder belongs to another tool, or something cannot be read.
    pub(crate) fn open(places: Places) -> Result<Self, LedgerError> {
        places.check_own()?;
        Self::adopt(places)
    }

    /// As [`Journal::open`], for who takes over a folder of another tool.
    ///
    /// # Errors
    /// When something cannot be read.
    pub(crate) fn adopt(places: Places) -> Result<Self, LedgerError> {
        let mut ledger = Self {
            applied: AppliedLog::of(&places),
            copies: Copies::of(&places),
            places,
            log: None,
            warnings: Vec::new(),
        };
        ledger.reload()?;
        // What was torn when a writer was stopped is nothing that anybody has to look at.
        let odd = ledger.state().odd_lines().iter();
        let odd = odd.filter(|odd| odd.what != Oddity::Torn).count();
        if odd > 0 && !ledger.places.has_git() {
            ledger.warn(format!(
                "the log has {}; `windlass events verify` names them",
                windlass_base::counted(odd, "line that is no event, kept and passed over")
            ));
        }
        Ok(ledger)
    }

    /// What follows from the log.
    #[must_use]
    pub(crate) fn state(&self) -> &State {
        self.applied.state()
    }

    /// What followed from it at a moment.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn state_at(&self, until: Stamp) -> Result<State, LedgerError> {
        Ok(fold::fold(&self.log_bytes()?, Some(until)))
    }

    /// Where it lies.
    #[must_use]
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// What was found to be amiss, each a text of one line.
    #[must_use]
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub(crate) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(crate) fn log(&self) -> Option<&DurableLog> {
        self.log.as_ref()
    }

    /// All whole lines of the log, and those that only copies have.
    pub(crate) fn log_bytes(&self) -> Result<Vec<u8>, LedgerError> {
        all_lines(self.log(), self.copies.beside())
    }

    pub(crate) fn applied(&self) -> &AppliedLog {
        &self.applied
    }

    pub(crate) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Reads the checkpoint, what was appended since, and what only copies have.
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

    /// Appends the events that only copies have to the log, so that what is decided next rests on them.
    fn take_in(
        &mut self,
        log: &DurableLog,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        let open = self.copies.untaken(log)?;
        // What a copy had when this was opened may be gone from it.
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
            // What could not be read may be there already.
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

    /// Appends to the feed what was appended to the log.
    fn feed(&mut self, log: &DurableLog, guard: &LogWriter<'_>) {
        if let Err(error) = feed::append(&self.places, log, guard) {
            self.warn(format!("`.beads/feed.jsonl` could not be written: {error}"));
        }
    }

    /// True if the log or a copy in a working tree was changed since it was last read.
    #[must_use]
    pub(crate) fn has_grown(&self) -> bool {
        let mark = FileMark::of_path(&self.places.journal()).ok().flatten();
        let read_bytes = self.log.as_ref().map(|_| self.applied.read_bytes());
        mark.map(|mark| mark.bytes) != read_bytes || self.copies.have_changed()
    }

    /// Applies what others appended, and what git brought.
    ///
    /// # Errors
    /// When the log or a copy cannot be read.
    pub(crate) fn follow_others(&mut self) -> Result<(), LedgerError> {
        let is_alone = self.copies.beside().is_empty() && !self.copies.have_changed();
        // Another file may be in its place by now.
        let is_same = |log: &&DurableLog| {
            let mark = log.mark().map(|mark| mark.bytes).ok();
            mark.is_some() && mark == log.bytes().ok()
        };
        match self.log.as_ref().filter(|log| is_alone && is_same(log)) {
            Some(log) => self.applied.follow(log),
            None => self.reload(),
        }
    }

    /// True if all could be read that was asked for.
    ///
    /// # Errors
    /// When not all could be: it is made again from the log next time.
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

    /// Decides something and lets it happen: `work` looks at the state under the lock, and says which events there
    /// are. They are durable when this returns, and all of them happen, or none.
    ///
    /// # Errors
    /// When `work` fails, when something is not allowed as things stand, or when it cannot be made durable.
    pub(crate) fn transact<T>(
        &mut self,
        writer: &Writer<'_>,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.places.check_links()?;
        side_files::prepare_folder(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, writer.timeout, &writer.holder)
            .and_then(|()| self.append(&log, writer, work));
        self.log = Some(log);
        match done {
            Ok((value, true)) => {
                // It happened: who hears that it did not would do it once more.
                let kept = self.keep(false);
                if let Err(error) = kept.and_then(|()| self.refresh_files(writer.now, false)) {
                    self.warn(format!(
                        "it is done, but what follows from the log could not be written: {error}"
                    ));
                }
                Ok(value)
            }
            Ok((value, false)) => Ok(value),
            Err(error) => {
                // What was decided before it failed is in the state.
                self.reload()?;
                Err(error)
            }
        }
    }

    /// The value, and whether anything happened.
    fn append<T>(
        &mut self,
        log: &DurableLog,
        writer: &Writer<'_>,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<(T, bool), LedgerError> {
        let mut guard = log.writer(writer.timeout, &writer.holder)?;
        self.applied.follow(log)?;
        let hooks = self.state().hooks().clone();
        let mut draft = Draft::new(self.applied.state_mut(), writer);
        let value = work(&mut draft);
        let lines = draft.into_lines();
        // Nothing is decided by what could not be read, and nothing refused.
        self.applied.check_sound()?;
        let value = value?;
        if lines.is_empty() {
            return Ok((value, false));
        }
        let appended = guard.append(&lines)?;
        self.applied.note_appended(appended.end);
        self.feed(log, &guard);
        side_files::write_hooks(&self.places, &hooks, self.state().hooks());
        drop(guard);
        log.commit(appended, writer.timeout, &writer.holder)
            .map_err(LedgerError::Unconfirmed)?;
        Ok((value, true))
    }

    /// Brings the log and its copy in the working tree of the caller together, and writes the files beside it, however
    /// old they are. `timeout` is how long to wait for others, `holder` says who waits.
    ///
    /// # Errors
    /// When something cannot be read or written.
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

    /// Writes what the copy of the caller lacks.
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

    /// Throws away all that follows from the log, and makes it again.
    ///
    /// # Errors
    /// When the log cannot be read, or something cannot be written.
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

    /// Writes the files beside the log where they are old; all of them if `everything`.
    fn refresh_files(&self, now: Stamp, everything: bool) -> Result<(), LedgerError> {
        match &self.log {
            Some(log) => side_files::refresh(&self.places, log, &self.applied, now, everything),
            None => Ok(()),
        }
    }

    /// Keeps a checkpoint, at once or where it is time; none of what the log does not have.
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
