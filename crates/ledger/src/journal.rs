use std::time::Duration;

use windlass_store::{DurableLog, FileMark, LogWriter, RootedPath};

use crate::checkpoint::{self, At};
use crate::draft::{Draft, Writer};
use crate::event::Oddity;
use crate::mirror::Mirror;
use crate::state::State;
use crate::{LedgerError, Places, Stamp, feed, fold, project};

/// After so many bytes that were applied since, another checkpoint is kept.
const CHECKPOINT_AFTER: u64 = 192 << 10;

/// A ledger: its log, and what follows from it.
#[derive(Debug)]
pub(crate) struct Journal {
    places: Places,
    /// Nothing before the first event.
    log: Option<DurableLog>,
    state: State,
    /// How much of the log was applied.
    end: u64,
    /// Length of the log when it was last read, in bytes: more than `end` if its last line is unfinished.
    read_bytes: u64,
    /// The copies in working trees when they were last read.
    copies: Vec<Option<FileMark>>,
    /// Lines of events that only copies in working trees have; they were applied after the log.
    beside: Vec<u8>,
    /// How much of it the checkpoint has.
    kept: u64,
    /// Whether something was found that belongs before what was applied already.
    merged: bool,
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
        let mut ledger = Self::empty(places);
        ledger.reload()?;
        if !ledger.places.has_git() {
            ledger.tell_odd_lines();
        }
        Ok(ledger)
    }

    fn empty(places: Places) -> Self {
        Self {
            places,
            log: None,
            state: State::default(),
            end: 0,
            read_bytes: 0,
            copies: Vec::new(),
            beside: Vec::new(),
            kept: 0,
            merged: false,
            warnings: Vec::new(),
        }
    }

    /// What follows from the log.
    #[must_use]
    pub(crate) fn state(&self) -> &State {
        &self.state
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
        let mut bytes = match &self.log {
            Some(log) => log.whole_lines(0)?,
            None => Vec::new(),
        };
        bytes.extend(&self.beside);
        Ok(bytes)
    }

    /// Lines of events that only copies have.
    pub(crate) fn beside(&self) -> &[u8] {
        &self.beside
    }

    /// Whether something was found that belongs before what was applied already.
    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// How much of the log was applied.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    fn checkpoint(&self) -> RootedPath {
        self.places.home().join("checkpoint")
    }

    /// Reads the checkpoint, what was appended since, and what only copies have.
    pub(crate) fn reload(&mut self) -> Result<(), LedgerError> {
        self.log = DurableLog::open_existing(&self.places.journal(), &self.places.home())?;
        let log = self.log.take();
        let loaded = self.load(log.as_ref());
        self.log = log;
        loaded?;
        self.read_copies()
    }

    /// Sets the state to that of `log` alone.
    fn load(&mut self, log: Option<&DurableLog>) -> Result<(), LedgerError> {
        (self.state, self.end, self.kept) = (State::default(), 0, 0);
        self.beside.clear();
        let Some(log) = log else {
            return Ok(());
        };
        if let Some((state, end)) = checkpoint::load(&self.checkpoint(), log, &log.mark()?) {
            (self.state, self.end, self.kept) = (state, end, end);
        }
        self.follow(log)
    }

    /// Applies the events that only copies in working trees have, without writing them anywhere.
    fn read_copies(&mut self) -> Result<(), LedgerError> {
        self.copies = self.copy_marks();
        for mirror in Mirror::all(&self.places) {
            let log = self.log.as_ref();
            let compared = mirror.compare(log, &self.state)?;
            for warning in mirror.warnings(compared.as_ref(), log)? {
                self.warn(warning);
            }
            let missing = compared.map(|compared| compared.missing);
            let Some(missing) = missing.filter(|missing| !missing.is_empty()) else {
                continue;
            };
            // The next copy is compared with a state that has them.
            let start = self.end + self.beside.len() as u64;
            self.beside.extend(&missing);
            let followed = fold::catch_up(&mut self.state, &missing, start);
            if followed.is_err() || self.state.damage().is_some() {
                self.state = fold::fold(&self.log_bytes()?, None);
            }
        }
        Ok(())
    }

    /// The copies in working trees as they are now.
    fn copy_marks(&self) -> Vec<Option<FileMark>> {
        let paths = self.places.copies().into_iter();
        paths
            .map(|path| FileMark::of_path(&path).ok().flatten())
            .collect()
    }

    /// Appends the events that only copies have to the log, so that what is decided next rests on them.
    fn take_in(
        &mut self,
        log: &DurableLog,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        self.copies = self.copy_marks();
        let mut open = Vec::new();
        for mirror in Mirror::all(&self.places) {
            if !mirror.is_taken(log)? {
                open.push(mirror);
            }
        }
        if open.is_empty() {
            // What a copy had when this was opened may be gone from it.
            return match self.beside.is_empty() {
                true => Ok(()),
                false => self.load(Some(log)),
            };
        }
        let mut guard = log.writer(timeout, holder)?;
        self.load(Some(log))?;
        let (mut appended, mut taken) = (None, Vec::new());
        for mirror in open {
            let Some(compared) = mirror.compare(Some(log), &self.state)? else {
                continue;
            };
            // What could not be read may be there already.
            self.check_sound()?;
            if !compared.missing.is_empty() {
                appended = Some(guard.append(&compared.missing)?);
                self.follow(log)?;
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

    fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        // Lines that did not fit on the disk as a whole are taken back, and others may have come in their place.
        let before = self.end.saturating_sub(1);
        self.read_bytes = log.bytes()?;
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

    /// True if the log or a copy in a working tree was changed since it was last read.
    #[must_use]
    pub(crate) fn has_grown(&self) -> bool {
        let mark = FileMark::of_path(&self.places.journal()).ok().flatten();
        let read_bytes = self.log.as_ref().map(|_| self.read_bytes);
        mark.map(|mark| mark.bytes) != read_bytes || self.copy_marks() != self.copies
    }

    /// Applies what others appended, and what git brought.
    ///
    /// # Errors
    /// When the log or a copy cannot be read.
    pub(crate) fn follow_others(&mut self) -> Result<(), LedgerError> {
        let is_alone = self.beside.is_empty() && self.copy_marks() == self.copies;
        // Another file may be in its place by now.
        let is_same = |log: &DurableLog| {
            let mark = log.mark().map(|mark| mark.bytes).ok();
            mark.is_some() && mark == log.bytes().ok()
        };
        match self.log.take() {
            Some(log) if is_alone && is_same(&log) => {
                let followed = self.follow(&log);
                self.log = Some(log);
                followed
            }
            _ => self.reload(),
        }
    }

    /// Whether all could be read that was asked for. Where not, what cannot be read is thrown away, so that it is made
    /// again from the log.
    ///
    /// # Errors
    /// When not all could be.
    pub(crate) fn check_sound(&self) -> Result<(), LedgerError> {
        let Some(why) = self.state.damage() else {
            return Ok(());
        };
        let (place, why) = (self.checkpoint(), why.to_owned());
        windlass_store::Disk::default().remove(&place)?;
        let path = place.path().to_owned();
        Err(LedgerError::Damaged { path, why })
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
    pub(crate) fn transact<T>(
        &mut self,
        writer: &Writer<'_>,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.places.check_links()?;
        project::prepare_folder(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, writer.timeout, &writer.holder)
            .and_then(|()| self.append(&log, writer, work));
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
        let mut draft = Draft::new(&mut self.state, writer);
        let value = work(&mut draft);
        let lines = draft.into_lines();
        // Nothing is decided by what could not be read, and nothing refused.
        self.check_sound()?;
        let value = value?;
        if lines.is_empty() {
            return Ok((value, false));
        }
        let appended = guard.append(&lines)?;
        (self.end, self.read_bytes) = (appended.end, appended.end);
        self.feed(log, &guard);
        project::write_hooks(&self.places, &hooks, self.state.hooks());
        drop(guard);
        log.commit(appended, writer.timeout, &writer.holder)
            .map_err(LedgerError::Unconfirmed)?;
        Ok((value, true))
    }

    /// Keeps a checkpoint and the files beside the log, where it is time.
    fn tidy_up(&mut self, writer: &Writer<'_>) -> Result<(), LedgerError> {
        if self.end - self.kept >= CHECKPOINT_AFTER {
            self.keep()?;
        }
        project::refresh(self, writer.now, false)
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
        if self.log.is_none() && self.beside.is_empty() {
            return Ok(());
        }
        self.places.check_links()?;
        project::prepare_folder(&self.places)?;
        project::prepare_tracked(&self.places)?;
        let log = self.take_log()?;
        let done = self
            .take_in(&log, timeout, holder)
            .and_then(|()| self.write_copy(&log, timeout, holder));
        self.log = Some(log);
        done?;
        project::refresh(self, now, true)
    }

    /// Writes what the copy of the caller lacks.
    fn write_copy(
        &mut self,
        log: &DurableLog,
        timeout: Duration,
        holder: &str,
    ) -> Result<(), LedgerError> {
        let Some(mirror) = Mirror::here(&self.places) else {
            return Ok(());
        };
        let guard = log.writer(timeout, holder)?;
        self.follow(log)?;
        mirror.complete(&log.whole_lines(0)?, &guard)?;
        drop(guard);
        match mirror.compare(Some(log), &self.state)? {
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
        windlass_store::Disk::default().remove(&self.checkpoint())?;
        feed::remove(&self.places)?;
        self.reload()?;
        self.sync(now, timeout, holder)?;
        self.keep()
    }

    fn keep(&mut self) -> Result<(), LedgerError> {
        let Some(log) = self.log.as_ref().filter(|_| self.beside.is_empty()) else {
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
