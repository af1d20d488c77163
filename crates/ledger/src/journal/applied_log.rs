//! The state folded from a log, together with the log position it covers.
//!
//! Usually, new lines are newer than everything before, and we just apply them to the state. After
//! a merge, an event may belong before some that we have applied. The checkpoint's segments then
//! give us an older state to go back to, from which we fold the rest again in the right order.

use std::ops::Range;
use std::path::Path;

use windlass_store::DurableLog;

use super::checkpoint::Checkpoint;
use crate::fold::SortedLines;
use crate::state::State;
use crate::{LedgerError, Places, fold};

/// Maximum number of log bytes to read at once.
const PIECE: u64 = 4 << 20;
/// Number of newly applied bytes after which we turn the changed records into rows, since rows take
/// less memory. This matters if a large log is read without a checkpoint.
const MAX_CHANGES: u64 = 32 << 20;
/// A late event belongs before one that we have already applied. We fold the log again from a
/// segment before it, and make new segments as long as at least this many events remain.
const MIN_SEGMENT: usize = if cfg!(test) { 4 } else { 256 };
/// A fold of fewer events than this part of those applied before is done sooner without reading all
/// their ids, which takes 30 ms for a million (`cargo bench -p windlass-ledger --bench scale`, one
/// day late and one hour late, 2026-12-01).
const FEW: u64 = 64;
/// Maximum number of late events that a segment lists.
const MAX_EARLY: usize = 1_000;

#[derive(Debug)]
pub(crate) struct AppliedLog {
    state: State,
    end: u64,
    /// Length of the log at the last read, in bytes. It exceeds `end` if the last line is
    /// incomplete.
    read_bytes: u64,
    checkpoint: Checkpoint,
    /// True if we have seen an event older than one already applied.
    merged: bool,
    /// True if the state has events that are not in the log. If so, the next read loads the state
    /// from scratch.
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

    /// Returns the state for writers, which apply events before they append them to the log.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// Loads the state of `log` alone. Events from copies are gone afterwards, until
    /// [`Self::apply_beside`].
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

    pub(crate) fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        if self.is_ahead || self.checkpoint.is_outdated() {
            return self.load(Some(log));
        }
        self.read_bytes = log.bytes()?;
        // A writer removes its lines again if they didn't fit on the disk. By now, other lines may
        // have taken their place.
        let is_line_end = self.end == 0
            || self.end <= self.read_bytes && log.read(self.end - 1, self.end)? == b"\n";
        if !is_line_end {
            self.checkpoint.drop_foreign(log)?;
            return self.refold(Some(log), &[]);
        }
        let mut piece = Vec::new();
        let interval = self.checkpoint.interval();
        // Pieces and positions get closer towards the end, so that a late event is cheap after a
        // long catch-up as well.
        let size = |from: u64, to: u64| (to.saturating_sub(from) / 2).clamp(interval, PIECE);
        let to = self.read_bytes;
        while read_piece(log, self.end..to, size(self.end, to), &mut piece)? {
            if fold::catch_up(&mut self.state, &piece, self.end).is_err() {
                self.merged = true;
                return self.refold(Some(log), &[]);
            }
            self.end += piece.len() as u64;
            let done = self.end - self.checkpoint.end();
            let left = to - self.end;
            let is_half = left > 0 && done >= left.max(interval);
            if is_half || done >= MAX_CHANGES {
                self.checkpoint
                    .push(log, &mut self.state, self.end, Vec::new())?;
            }
        }
        self.finish(Some(log), &[])
    }

    /// Goes back to the last segment whose events all come before the rest, and folds the log from
    /// there. `beside` has the lines missing from the log.
    fn refold(&mut self, log: Option<&DurableLog>, beside: &[u8]) -> Result<(), LedgerError> {
        loop {
            // This may drop unreadable segments, so don't ask for the position before.
            let state = self.checkpoint.state();
            let start = self.checkpoint.end();
            let bytes = log.map_or(Ok(Vec::new()), |log| log.whole_lines(start))?;
            self.end = start + bytes.len() as u64;
            let early = self.checkpoint.early();
            let all = fold::lines(&bytes, start).chain(fold::lines(beside, self.end));
            let mut lines = SortedLines::of(all.filter(|(place, _)| !early.contains(place)));
            if let Some(first) = lines.first().filter(|it| !self.checkpoint.is_before(it)) {
                // With more lines, the first event can only be an earlier one.
                while !self.checkpoint.is_before(first) {
                    self.checkpoint.pop();
                }
                continue;
            }
            self.state = state;
            if lines.left() as u64 > self.state.events() / FEW {
                self.state.seen.expect_many();
            }
            if let Some(log) = log.filter(|_| beside.is_empty()) {
                self.apply_with_positions(log, &mut lines)?;
            }
            lines.apply_all(&mut self.state);
            return self.finish(log, beside);
        }
    }

    /// Applies `lines` and makes segments on the way, so that the next late event does not take us
    /// back to the start.
    ///
    /// Each segment gets half of the remaining events, which makes the segments ever smaller
    /// towards the end. That is where a late event usually belongs.
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
            // The manifest has to list the early lines, so do without a segment if there are too
            // many.
            early.extend(known.filter(|place| place.start > end));
            if early.len() <= MAX_EARLY {
                self.checkpoint.push(log, &mut self.state, end, early)?;
            }
        }
        Ok(())
    }

    /// Starts over without the checkpoint if some of it could not be read.
    fn finish(&mut self, log: Option<&DurableLog>, beside: &[u8]) -> Result<(), LedgerError> {
        if self.state.damage().is_some() {
            self.checkpoint.clear();
            return self.refold(log, beside);
        }
        Ok(())
    }

    pub(crate) fn snapshot(&self) -> (State, u64) {
        (self.state.clone(), self.end)
    }

    /// Goes back to a snapshot. The log must be the same one, and unchanged.
    pub(crate) fn restore(&mut self, snapshot: (State, u64)) {
        (self.state, self.end) = snapshot;
    }

    /// Records that the events we had already applied to the state are now in the log, which ends
    /// at `end`.
    pub(crate) fn note_appended(&mut self, end: u64) {
        (self.end, self.read_bytes) = (end, end);
    }

    /// Records that we could not append events that we have already applied to the state. They
    /// remain visible until the next read.
    pub(crate) fn note_ahead(&mut self) {
        self.is_ahead = true;
    }

    /// Applies `lines`, which are missing from `log`. `beside` has all of the missing lines so far
    /// and ends with `lines`.
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

    /// Path of the checkpoint's folder if something else is there, which keeps us from saving one.
    pub(crate) fn blocked_folder(&self) -> Option<&Path> {
        self.checkpoint.blocked_folder()
    }

    /// Checks that we could read all we needed from the checkpoint. Otherwise deletes it, so that
    /// the next command rebuilds it from the log.
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

    /// Saves a checkpoint if one is due, or in any case if `at_once` is set.
    pub(crate) fn keep(&mut self, log: &DurableLog, at_once: bool) -> Result<(), LedgerError> {
        match !self.is_ahead && (at_once || self.checkpoint.is_due(self.end)) {
            true => self.checkpoint.save(log, &mut self.state, self.end),
            false => Ok(()),
        }
    }
}

/// Reads whole lines in `range` of `log` into `piece`, about `size` bytes. A line that is longer
/// than that is read as a whole. Returns false if there are no lines.
fn read_piece(
    log: &DurableLog,
    Range { start, end }: Range<u64>,
    mut size: u64,
    piece: &mut Vec<u8>,
) -> Result<bool, LedgerError> {
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
            // A second process that also reads and saves now and then.
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
        let created = |number: usize, second: usize| {
            format!(
                "{{\"event_id\":\"evt-{number}\",\"event_type\":\"bead.created\",\"timestamp\":\"2026-01-01T00:{:02}:{:02}Z\",\"actor\":\"a\",\
                 \"data\":{{\"bead_id\":\"t-{number}\",\"title\":\"x\",\"issue_type\":\"task\"}}}}",
                second / 60,
                second % 60
            )
        };
        // One event per command, and a catch-up with all events.
        for together in [1, 400] {
            let folder = Folder::new(false);
            let (log, mut applied) = open(&folder);
            for first in (0..400).step_by(together) {
                let events = (first..first + together).map(|number| created(number, number));
                append(&folder, &events.collect::<Vec<_>>());
                applied.follow(&log).unwrap();
                applied.keep(&log, false).unwrap();
            }
            let before = applied.checkpoint.len();
            assert!((4..24).contains(&before), "{before}");
            append(&folder, &[created(1_000, 395)]);
            applied.follow(&log).unwrap();
            // The late event belongs five events before the end, so only the last few segments
            // should be gone.
            assert!(applied.checkpoint.len() + 3 >= before);
            assert!(applied.was_merged());
            let whole = fold::fold(&log.whole_lines(0).unwrap(), None);
            assert_eq!(report(applied.state()), report(&whole));
        }
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
            // A truncated file must be noticed at once, when we open it.
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            assert_eq!(contents(open(&folder).1.state()), want);
            std::fs::write(&path, bytes).unwrap();
        }
    }
}
