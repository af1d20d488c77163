use std::path::PathBuf;
use std::time::Duration;

use windlass_store::{DurableLog, FileMark};

use crate::checkpoint::{self, At};
use crate::draft::{Draft, Writer};
use crate::event::Oddity;
use crate::mirror::Mirror;
use crate::state::State;
use crate::{LedgerError, Places, Stamp, fold, project};

/// After so many bytes that were applied since, another checkpoint is kept.
const CHECKPOINT_AFTER: u64 = 192 << 10;

/// A ledger: its log, and what follows from it.
#[derive(Debug)]
pub struct Ledger {
    places: Places,
    /// Nothing before the first event.
    log: Option<DurableLog>,
    state: State,
    /// How much of the log was applied.
    end: u64,
    /// How much of it the checkpoint has.
    kept: u64,
    /// Whether something was found that belongs before what was applied already.
    merged: bool,
    warnings: Vec<String>,
}

impl Ledger {
    /// Opens the ledger at `places`, and brings together its log and the copy in the working tree; an empty one where
    /// there is none. `timeout` is how long to wait for others, `holder` says who waits.
    ///
    /// # Errors
    /// When the folder belongs to another tool, or something cannot be read.
    pub fn open(places: Places, timeout: Duration, holder: &str) -> Result<Self, LedgerError> {
        places.check_own()?;
        let mut ledger = Self::empty(places);
        ledger.reload()?;
        ledger.reconcile(timeout, holder)?;
        Ok(ledger)
    }

    /// As [`Ledger::open`], for who takes over a folder of another tool.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn adopt(places: Places, timeout: Duration, holder: &str) -> Result<Self, LedgerError> {
        let mut ledger = Self::empty(places);
        ledger.reload()?;
        ledger.reconcile(timeout, holder)?;
        Ok(ledger)
    }

    fn empty(places: Places) -> Self {
        Self {
            places,
            log: None,
            state: State::default(),
            end: 0,
            kept: 0,
            merged: false,
            warnings: Vec::new(),
        }
    }

    /// What follows from the log.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What followed from it at a moment.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn state_at(&self, until: Stamp) -> Result<State, LedgerError> {
        Ok(fold::fold(&self.log_bytes()?, Some(until)))
    }

    /// Where it lies.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What was found to be amiss, each a text of one line.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
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

    /// All whole lines of the log.
    pub(crate) fn log_bytes(&self) -> Result<Vec<u8>, LedgerError> {
        match &self.log {
            Some(log) => Ok(log.whole_lines(0)?),
            None => Ok(Vec::new()),
        }
    }

    /// Whether something was found that belongs before what was applied already.
    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// How much of the log was applied.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    fn checkpoint(&self) -> PathBuf {
        self.places.home().join("checkpoint")
    }

    /// Reads what there is: the checkpoint, and what was appended since.
    pub(crate) fn reload(&mut self) -> Result<(), LedgerError> {
        self.log = DurableLog::open_existing(&self.places.journal(), &self.places.home())?;
        (self.state, self.end, self.kept) = (State::default(), 0, 0);
        if let Some(log) = &self.log
            && let Some((state, end)) = checkpoint::load(&self.checkpoint(), log, &log.mark()?)
        {
            (self.state, self.end, self.kept) = (state, end, end);
        }
        self.catch_up()
    }

    /// Applies what was appended since.
    pub(crate) fn catch_up(&mut self) -> Result<(), LedgerError> {
        let Some(log) = self.log.take() else {
            return Ok(());
        };
        let followed = self.follow(&log);
        self.log = Some(log);
        followed
    }

    fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        // Lines that did not fit on the disk as a whole are taken back, and others may have come in their place.
        let before = self.end.saturating_sub(1);
        let bytes = log.whole_lines(before)?;
        let fresh = match self.end {
            0 => Some(&bytes[..]),
            _ => bytes.strip_prefix(b"\n"),
        };
        if let Some(fresh) = fresh {
            let followed = fold::catch_up(&mut self.state, fresh, self.end);
            self.merged |= followed.is_err();
            if followed.is_ok() && self.state.damage().is_none() {
                self.end += fresh.len() as u64;
                return Ok(());
            }
        }
        // Whatever the checkpoint has is of no use for what comes.
        let all = log.whole_lines(0)?;
        self.state = fold::fold(&all, None);
        (self.end, self.kept) = (all.len() as u64, 0);
        Ok(())
    }

    /// True if others appended something that was not applied yet.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        let mark = self.log.as_ref().map(DurableLog::mark);
        mark.is_some_and(|mark| mark.map_or(true, |mark| mark.bytes != self.end))
    }

    /// Applies what others appended.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn follow_others(&mut self) -> Result<(), LedgerError> {
        match self.log {
            Some(_) => self.catch_up(),
            None => self.reload(),
        }
    }

    /// Whether all could be read that was asked for. Where not, what cannot be read is thrown away, so that it is made
    /// again from the log.
    ///
    /// # Errors
    /// When not all could be.
    pub fn check_sound(&self) -> Result<(), LedgerError> {
        let Some(why) = self.state.damage() else {
            return Ok(());
        };
        let (path, why) = (self.checkpoint(), why.to_owned());
        windlass_store::Disk::default().remove(&path)?;
        Err(LedgerError::Damaged { path, why })
    }

    /// Brings the log and its copy in the working tree together, where they differ.
    fn reconcile(&mut self, timeout: Duration, holder: &str) -> Result<(), LedgerError> {
        let Some(mirror) = Mirror::of(&self.places) else {
            self.tell_odd_lines();
            return Ok(());
        };
        if !mirror.is_in_step(self.log.as_ref(), self.end)? {
            match self.join(&mirror, timeout, holder) {
                Err(error) if error.is_unwritable() => self.read_beside(&mirror)?,
                joined => joined?,
            }
        }
        for warning in mirror.warnings() {
            self.warn(warning);
        }
        Ok(())
    }

    /// Gives the log and `mirror` what either has alone.
    fn join(
        &mut self,
        mirror: &Mirror,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        self.places.check_links()?;
        let log = self.take_log()?;
        let joined = log
            .writer(timeout, holder)
            .map_err(LedgerError::from)
            .and_then(|mut guard| {
                let took = mirror.join(&log, &mut guard)?;
                drop(guard);
                if let Some(appended) = took {
                    log.commit(appended, timeout, holder)?;
                }
                Ok(())
            });
        self.log = Some(log);
        joined?;
        self.catch_up()
    }

    /// Looks at the events of both where nothing can be written, so that what is read is true.
    fn read_beside(&mut self, mirror: &Mirror) -> Result<(), LedgerError> {
        let mut bytes = self.log_bytes()?;
        bytes.extend(mirror.lines()?);
        self.state = fold::fold(&bytes, None);
        Ok(())
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

    fn tell_odd_lines(&mut self) {
        // What was torn when a writer was stopped is nothing that anybody has to look at.
        let odd = self.state.odd_lines().iter();
        let odd = odd.filter(|odd| odd.what != Oddity::Torn).count();
        if odd > 0 {
            self.warn(format!(
                "the log has {}; `windlass events verify` names them",
                windlass_base::counted(odd, "line that is no event, kept and passed over")
            ));
        }
    }

    /// Decides something and lets it happen: `work` looks at the state under the lock, and says which events there
    /// are. They are durable when this returns, and all of them happen, or none.
    ///
    /// # Errors
    /// When `work` fails, when something is not allowed as things stand, or when it cannot be made durable.
    pub fn transact<T>(
        &mut self,
        writer: &Writer<'_>,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.places.check_links()?;
        project::prepare_folder(&self.places)?;
        let log = self.take_log()?;
        let done = self.append(&log, writer, work);
        self.log = Some(log);
        match done {
            Ok((value, true)) => {
                // It happened: who hears that it did not would do it once more.
                if let Err(error) = self.tidy_up(writer) {
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
        self.follow(log)?;
        let hooks = self.state.hooks().clone();
        let mut draft = Draft::new(&mut self.state, writer, log.next_start()?);
        let value = work(&mut draft);
        let lines = draft.into_lines();
        // Nothing is decided by what could not be read, and nothing refused.
        self.check_sound()?;
        let value = value?;
        if lines.is_empty() {
            return Ok((value, false));
        }
        let appended = guard.append(&lines)?;
        self.end = appended.end;
        let mirrored = Mirror::of(&self.places).map(|mirror| mirror.follow(log, &lines, appended));
        project::write_hooks(&self.places, &hooks, self.state.hooks());
        drop(guard);
        log.commit(appended, writer.timeout, &writer.holder)
            .map_err(LedgerError::Unconfirmed)?;
        if let Some(Err(error)) = mirrored {
            // The log has it; the next command tries again.
            self.warn(format!(
                "the copy of the log in `.beads` could not be written: {error}"
            ));
        }
        Ok((value, true))
    }

    /// Keeps a checkpoint and the files beside the log, where it is time.
    fn tidy_up(&mut self, writer: &Writer<'_>) -> Result<(), LedgerError> {
        if self.end - self.kept >= CHECKPOINT_AFTER {
            self.keep()?;
        }
        project::refresh(self, writer.now, false)
    }

    /// Writes the files beside the log where they are old, as any command may.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn refresh(&mut self, now: Stamp) -> Result<(), LedgerError> {
        if self.end.saturating_sub(self.kept) >= CHECKPOINT_AFTER {
            self.keep()?;
        }
        match self.log {
            Some(_) => project::refresh(self, now, false),
            None => Ok(()),
        }
    }

    /// Writes the files beside the log, however old they are, and makes the copy in the working tree durable.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn sync(&mut self, now: Stamp) -> Result<(), LedgerError> {
        if self.log.is_none() {
            return Ok(());
        }
        if let Some(mirror) = Mirror::of(&self.places) {
            mirror.sync()?;
        }
        project::refresh(self, now, true)
    }

    /// Throws away all that follows from the log, and makes it again.
    ///
    /// # Errors
    /// When the log cannot be read, or something cannot be written.
    pub fn rebuild(&mut self, now: Stamp) -> Result<(), LedgerError> {
        windlass_store::Disk::default().remove(&self.checkpoint())?;
        self.reload()?;
        self.sync(now)?;
        self.keep()
    }

    fn keep(&mut self) -> Result<(), LedgerError> {
        let Some(log) = &self.log else {
            return Ok(());
        };
        let mark: FileMark = log.mark()?;
        let at = At {
            log: mark,
            end: self.end,
        };
        checkpoint::save(&self.checkpoint(), log, &self.state, at)?;
        self.kept = self.end;
        Ok(())
    }
}
