//! The state folded from a log, together with the log position it covers.

use windlass_store::DurableLog;

use super::checkpoint::Checkpoint;
use crate::fold::SortedLines;
use crate::state::State;
use crate::{LedgerError, Places, fold};

/// Number of log bytes to read at once.
const PIECE: u64 = 4 << 20;
/// Number of applied bytes after which changes move from records to rows, which take less memory.
const MAX_CHANGES: u64 = 32 << 20;
/// Minimum number of events in a segment that a fold of late events makes.
const MIN_SEGMENT: usize = if cfg!(test) { 4 } else { 256 };
/// Maximum number of late events that a segment lists.
const MAX_EARLY: usize = 1_000;

/// A state and the length of the log it covers.
#[derive(Debug)]
pub(crate) struct AppliedLog {
    state: State,
    /// Number of log bytes applied so far.
    end: u64,
    /// Length of the log at the last read, in bytes. It exceeds `end` if the last line is
    /// incomplete.
    read_bytes: u64,
    checkpoint: Checkpoint,
    /// True if we've seen an event older than one already applied.
    merged: bool,
    /// True if the state has events missing from the log. The next read then has to load it again.
    is_ahead: bool,
}

impl AppliedLog {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            state: State::default(),
            end: 0,
            read_bytes: 0,
            checkpoint: Checkpoint::of(places),
            merged: false,
            is_ahead: false,
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state for an appender, which applies its events before writing them.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Returns the number of log bytes applied so far.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns the length of the log at the last read, in bytes.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// True if we've seen an event older than one already applied.
    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// Loads the state of `log` alone, without events from copies.
    pub(crate) fn load(&mut self, log: Option<&DurableLog>) -> Result<(), LedgerError> {
        (self.state, self.end, self.is_ahead) = (State::default(), 0, false);
        self.checkpoint.clear();
        let Some(log) = log else {
            return Ok(());
        };
        self.checkpoint.load(log)?;
        self.state = self.checkpoint.state();
        self.end = self.checkpoint.end();
        match self.checkpoint.early().is_empty() {
            true => self.follow(log),
            false => self.refold(Some(log), &[]),
        }
    }

    /// Applies the lines appended to `log`.
    pub(crate) fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        if self.is_ahead || self.checkpoint.is_outdated() {
            return self.load(Some(log));
        }
        self.read_bytes = log.bytes()?;
        // A writer takes back lines that didn't fit on the disk, and other lines may be in their
        // place by now.
        let is_line_end = self.end == 0
            || self.end <= self.read_bytes && log.read(self.end - 1, self.end)? == b"\n";
        if !is_line_end {
            self.checkpoint.drop_foreign(log)?;
            return self.refold(Some(log), &[]);
        }
        let mut piece = Vec::new();
        while read_piece(log, self.end, self.read_bytes, &mut piece)? {
            if fold::catch_up(&mut self.state, &piece, self.end).is_err() {
                self.merged = true;
                return self.refold(Some(log), &[]);
            }
            self.end += piece.len() as u64;
            if self.end - self.checkpoint.end() >= MAX_CHANGES {
                self.checkpoint
                    .push(log, &mut self.state, self.end, Vec::new())?;
            }
        }
        self.finish(Some(log), &[])
    }

    /// Folds the log from the last segment of the checkpoint that all later events follow. `beside`
    /// has the lines missing from the log.
    fn refold(&mut self, log: Option<&DurableLog>, beside: &[u8]) -> Result<(), LedgerError> {
        loop {
            // An unreadable segment is forgotten here, so the position comes after it.
            let state = self.checkpoint.state();
            let start = self.checkpoint.end();
            let bytes = log.map_or(Ok(Vec::new()), |log| log.whole_lines(start))?;
            self.end = start + bytes.len() as u64;
            let early = self.checkpoint.early();
            let all = fold::lines(&bytes, start).chain(fold::lines(beside, self.end));
            let mut lines = SortedLines::of(all.filter(|(place, _)| !early.contains(place)));
            if lines
                .first()
                .is_none_or(|first| self.checkpoint.is_before(first))
            {
                self.state = state;
                if let Some(log) = log.filter(|_| beside.is_empty()) {
                    self.apply_with_positions(log, &mut lines)?;
                }
                lines.apply_all(&mut self.state);
                return self.finish(log, beside);
            }
            self.checkpoint.pop();
        }
    }

    /// Applies lines, and makes segments of them so that the next event that is late need not start over. The distances
    /// shrink towards the end.
    fn apply_with_positions(
        &mut self,
        log: &DurableLog,
        lines: &mut SortedLines<'_>,
    ) -> Result<(), LedgerError> {
        while lines.left() >= MIN_SEGMENT {
            let known = self.checkpoint.early().into_iter();
            lines.apply(&mut self.state, lines.left() / 2);
            let Some((end, mut early)) = lines.position(&mut self.state) else {
                return Ok(());
            };
            early.extend(known.filter(|place| place.start > end));
            if early.len() <= MAX_EARLY {
                self.checkpoint.push(log, &mut self.state, end, early)?;
            }
        }
        Ok(())
    }

    /// Starts over without the checkpoint if reading it has failed.
    fn finish(&mut self, log: Option<&DurableLog>, beside: &[u8]) -> Result<(), LedgerError> {
        self.state.refresh();
        if self.state.damage().is_some() {
            self.checkpoint.clear();
            return self.refold(log, beside);
        }
        Ok(())
    }

    /// Returns a copy of the state and its position in the log.
    pub(crate) fn snapshot(&self) -> (State, u64) {
        (self.state.clone(), self.end)
    }

    /// Returns to a snapshot of the same log. The log must not have changed in the meantime.
    pub(crate) fn restore(&mut self, snapshot: (State, u64)) {
        (self.state, self.end) = snapshot;
    }

    /// Records that already applied events have been appended to the log, up to `end`.
    pub(crate) fn note_appended(&mut self, end: u64) {
        (self.end, self.read_bytes) = (end, end);
    }

    /// Records that already applied events couldn't be appended to the log. They stay visible until
    /// the next read.
    pub(crate) fn note_ahead(&mut self) {
        self.is_ahead = true;
    }

    /// Applies `lines`, which are missing from `log`. They're the tail of `beside`, which has all
    /// such lines.
    pub(crate) fn apply_beside(
        &mut self,
        log: Option<&DurableLog>,
        lines: &[u8],
        beside: &[u8],
    ) -> Result<(), LedgerError> {
        let start = self.end + (beside.len() - lines.len()) as u64;
        match fold::catch_up(&mut self.state, lines, start) {
            Ok(()) => self.finish(log, beside),
            Err(fold::OutOfOrder) => self.refold(log, beside),
        }
    }

    /// Checks that no checkpoint read has failed. If one has, the checkpoint is deleted so that the
    /// next command rebuilds it from the log.
    ///
    /// # Errors
    /// Returns [`LedgerError::Damaged`] if a read failed.
    pub(crate) fn check_sound(&self) -> Result<(), LedgerError> {
        let Some(why) = self.state.damage() else {
            return Ok(());
        };
        let why = why.to_owned();
        self.checkpoint.remove()?;
        let path = self.checkpoint.path().to_owned();
        Err(LedgerError::Damaged { path, why })
    }

    pub(crate) fn remove_checkpoint(&self) -> Result<(), LedgerError> {
        self.checkpoint.remove()
    }

    /// Saves a checkpoint if `at_once` is set or one is due.
    pub(crate) fn keep(&mut self, log: &DurableLog, at_once: bool) -> Result<(), LedgerError> {
        match !self.is_ahead && (at_once || self.checkpoint.is_due(self.end)) {
            true => self.checkpoint.save(log, &mut self.state, self.end),
            false => Ok(()),
        }
    }
}

/// Reads whole lines of `log` from `start` on into `piece`. Returns false if there are none before `end`.
fn read_piece(
    log: &DurableLog,
    start: u64,
    end: u64,
    piece: &mut Vec<u8>,
) -> Result<bool, LedgerError> {
    let mut size = PIECE;
    loop {
        let to = end.min(start.saturating_add(size));
        log.read_into(start, to, piece)?;
        piece.truncate(memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1));
        if !piece.is_empty() || to == end {
            return Ok(!piece.is_empty());
        }
        size *= 2;
    }
}

/// Returns all complete lines of `log`, followed by those in `beside`.
pub(crate) fn all_lines(log: Option<&DurableLog>, beside: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = match log {
        Some(log) => log.whole_lines(0)?,
        None => Vec::new(),
    };
    bytes.extend(beside);
    Ok(bytes)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests write lines as a merge would"
)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;
    use crate::fold::tests::{contents, event, report};
    use crate::tests::Folder;

    /// Opens a folder's log, with checkpoints at short distances.
    fn open(folder: &Folder) -> (DurableLog, AppliedLog) {
        let places = folder.places();
        let log = DurableLog::open(&places.journal(), &places.home()).unwrap();
        let mut applied = AppliedLog::of(&places);
        applied.checkpoint.set_interval(256);
        applied.load(Some(&log)).unwrap();
        (log, applied)
    }

    fn append(folder: &Folder, lines: &[String]) {
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(folder.path(".beads/events.jsonl"))
            .unwrap();
        for line in lines {
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn paged_state_any_split_equals_fold(
            events in prop::collection::vec(event(), 1..60),
            sizes in prop::collection::vec((1..9_usize, 0..4_u8), 60),
        ) {
            let folder = Folder::new(false);
            let (mut log, mut applied) = open(&folder);
            // A second process that reads and saves now and then.
            let (other_log, mut other) = open(&folder);
            let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
            let mut rest = &lines[..];
            for (size, act) in sizes {
                let (now, later) = rest.split_at(size.min(rest.len()));
                append(&folder, now);
                rest = later;
                applied.follow(&log).unwrap();
                match act {
                    0 => applied.keep(&log, true).unwrap(),
                    1 => (log, applied) = open(&folder),
                    2 => {
                        other.follow(&other_log).unwrap();
                        other.keep(&other_log, true).unwrap();
                    }
                    _ => {}
                }
                let whole = fold::fold(&log.whole_lines(0).unwrap(), None);
                prop_assert_eq!(report(applied.state()), report(&whole));
                prop_assert_eq!(applied.state().small.merged, whole.small.merged);
                if rest.is_empty() {
                    break;
                }
            }
        }
    }

    #[test]
    fn late_event_keeps_older_segments() {
        let folder = Folder::new(false);
        let (log, mut applied) = open(&folder);
        let created = |number: u32, second: u32| {
            format!(
                "{{\"event_id\":\"evt-{number}\",\"event_type\":\"bead.created\",\"timestamp\":\"2026-01-01T00:{:02}:{:02}Z\",\"actor\":\"a\",\
                 \"data\":{{\"bead_id\":\"t-{number}\",\"title\":\"x\",\"issue_type\":\"task\"}}}}",
                second / 60,
                second % 60
            )
        };
        for number in 0..400 {
            append(&folder, &[created(number, number)]);
            applied.follow(&log).unwrap();
            applied.keep(&log, false).unwrap();
        }
        let before = applied.checkpoint.len();
        assert!((4..20).contains(&before), "{before}");
        append(&folder, &[created(1_000, 395)]);
        applied.follow(&log).unwrap();
        assert!(applied.checkpoint.len() + 3 >= before);
        assert!(applied.was_merged());
        let whole = fold::fold(&log.whole_lines(0).unwrap(), None);
        assert_eq!(report(applied.state()), report(&whole));
    }

    #[test]
    fn checkpoint_any_byte_damaged_never_wrong() {
        let folder = Folder::new(false);
        let (log, mut applied) = open(&folder);
        let line = |number: u32| {
            let text = "text ".repeat(300);
            format!(
                "{{\"event_id\":\"evt-{number}\",\"event_type\":\"bead.created\",\"timestamp\":\"2026-01-01T00:00:{number:02}Z\",\"actor\":\"a\",\
                 \"data\":{{\"bead_id\":\"t-{number}\",\"title\":\"x\",\"issue_type\":\"task\",\"description\":\"{text}\"}}}}"
            )
        };
        append(&folder, &(0..12).map(line).collect::<Vec<_>>());
        applied.follow(&log).unwrap();
        applied.keep(&log, true).unwrap();
        let want = contents(applied.state());
        let parts = std::fs::read_dir(folder.path(".beads/.windlass/checkpoint.parts")).unwrap();
        let parts = parts.map(|entry| (entry.unwrap().path(), 311));
        let manifest = (folder.path(".beads/.windlass/checkpoint"), 7);
        for (path, step) in parts.chain([manifest]) {
            let bytes = std::fs::read(&path).unwrap();
            for at in (0..bytes.len()).step_by(step) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x01;
                std::fs::write(&path, damaged).unwrap();
                let (_, applied) = open(&folder);
                let got = contents(applied.state());
                assert!(
                    got == want || applied.state().damage().is_some(),
                    "byte {at}"
                );
            }
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            assert_eq!(contents(open(&folder).1.state()), want);
            std::fs::write(&path, bytes).unwrap();
        }
    }
}
