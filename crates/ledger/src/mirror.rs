//! The copy of the log in the working tree, where git carries it to others, and may replace it at any time.
//!
//! The log itself lies beside git's own files, where no checkout, reset or merge reaches it. Whenever the two differ
//! they are brought together by the ids of their events: what either has the other gets. Nothing is taken out of
//! either; lines of the copy that are no events stay in it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, counted};
use windlass_store::{
    Appended, Durability, DurableLog, FileMark, LogWriter, MAX_LOG_BYTES, RootedPath, StoreError,
    read_file, write_atomic,
};

use crate::event::{Oddity, oddity};
use crate::{LedgerError, Places, checkpoint, fold};

/// How many lines that are no events are remembered by number.
const MAX_ODD: usize = 20;

/// The copy.
#[derive(Debug)]
pub(crate) struct Mirror {
    path: RootedPath,
    home: RootedPath,
}

/// How both were when they were the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    copy: FileMark,
    /// What the copy had right before its end: after a power cut it may be as long and have something else.
    edge: String,
    log: FileMark,
    end: u64,
    /// The lines of the copy that are no events, from 1.
    odd: Vec<(usize, Oddity)>,
    /// How many lines the copy has.
    lines: usize,
}

impl Mirror {
    pub(crate) fn of(places: &Places) -> Option<Self> {
        places.mirror().map(|path| Self {
            path,
            home: places.home(),
        })
    }

    /// Its own note for each place of a working tree.
    fn note(&self) -> RootedPath {
        let place = Digest::of_bytes(self.path.path().to_string_lossy().as_bytes()).hex();
        self.home.join(format!("copy-{}.json", &place[..16]))
    }

    fn step(&self) -> Option<Step> {
        let bytes = read_file(&self.note(), 1 << 20).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn open(&self) -> Result<DurableLog, StoreError> {
        DurableLog::open(&self.path, &self.home.join("copy"))
    }

    /// The copy as it is; nothing where it is not there. It need not be writable.
    fn open_existing(&self) -> Result<Option<DurableLog>, StoreError> {
        DurableLog::open_existing(&self.path, &self.home.join("copy"))
    }

    /// All whole lines of the copy.
    pub(crate) fn lines(&self) -> Result<Vec<u8>, StoreError> {
        let copy = self.open_existing()?;
        copy.map_or_else(|| Ok(Vec::new()), |copy| copy.whole_lines(0))
    }

    fn mark(&self) -> Result<Option<FileMark>, StoreError> {
        // What cannot be asked for is told when it is opened.
        Ok(FileMark::of_path(&self.path).ok().flatten())
    }

    /// Whether both are as they were when they were the same; also where neither is there.
    pub(crate) fn is_in_step(
        &self,
        log: Option<&DurableLog>,
        end: u64,
    ) -> Result<bool, LedgerError> {
        let (mark, step) = (self.mark()?, self.step());
        let (Some(mark), Some(step), Some(log)) = (mark, step, log) else {
            return Ok(mark.is_none() && (log.is_none() || !self.is_wanted()));
        };
        let is_same = step.copy == mark && step.end == end && step.log.is_same_file(&log.mark()?);
        match self.open_existing()? {
            Some(copy) if is_same => Ok(step.edge == checkpoint::edge(&copy, mark.bytes)?),
            _ => Ok(false),
        }
    }

    /// Whether a copy that is gone is to be made again: not where there is no such folder, as on a branch from before.
    fn is_wanted(&self) -> bool {
        self.path.parent().is_some_and(|folder| folder.is_folder())
    }

    /// What its lines that are no events mean for those who look at it.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut odd = self.step().map(|step| step.odd).unwrap_or_default();
        odd.retain(|(_, what)| *what != Oddity::Torn);
        let (markers, others): (Vec<_>, Vec<_>) = odd
            .into_iter()
            .partition(|(_, what)| *what == Oddity::ConflictMarker);
        let mut warnings = Vec::new();
        let name = ".beads/events.jsonl";
        if let Some((line, _)) = markers.first() {
            warnings.push(format!(
                "{name}:{line}: git left conflict markers, since it merged the file without its union driver; the events of \
                 both sides count; `windlass events sync --clean` takes the markers out"
            ));
        }
        if let Some((line, _)) = others.first() {
            let count = counted(others.len(), "line");
            warnings.push(format!(
                "{name}:{line}: {count} there cannot be read as events; they were left as they are, and do not count"
            ));
        }
        warnings
    }

    /// Brings both together; what was appended to the log, which has to be committed then.
    pub(crate) fn join(
        &self,
        log: &DurableLog,
        guard: &mut LogWriter<'_>,
    ) -> Result<Option<Appended>, LedgerError> {
        let copy = self.open()?;
        let end = log.next_start()?;
        let step = match self.step() {
            Some(step) if self.still_holds(&step, &copy, log)? => Some(step),
            _ => None,
        };
        let (from_copy, from_log) = step
            .as_ref()
            .map_or((0, 0), |step| (step.copy.bytes, step.end));
        let in_copy = copy.whole_lines(from_copy)?;
        let in_log = log.whole_lines(from_log)?;
        // What both had before is in both.
        let mut known: BTreeSet<&[u8]> = BTreeSet::new();
        let copy_events = events(&in_copy);
        let log_events = events(&in_log);
        let old = if step.is_some() {
            log.read(0, from_log)?
        } else {
            Vec::new()
        };
        // Most often nothing was added to the copy, and nobody has to look through the old events.
        let old_events = if copy_events.is_empty() {
            BTreeMap::new()
        } else {
            events(&old)
        };
        known.extend(
            old_events
                .keys()
                .chain(log_events.keys())
                .map(Vec::as_slice),
        );
        let for_log = copy_events
            .iter()
            .filter(|(id, _)| !known.contains(id.as_slice()));
        let for_log = in_order(for_log.map(|(_, line)| *line), &in_copy);
        let for_copy = log_events
            .iter()
            .filter(|(id, _)| !copy_events.contains_key(*id));
        let for_copy = in_order(for_copy.map(|(_, line)| *line), &in_log);
        let appended = match for_log.is_empty() {
            true => None,
            false => Some(guard.append(&for_log)?),
        };
        if !for_copy.is_empty() {
            let _ = copy.append_alone(&for_copy)?;
        }
        let (odd, lines) = self.look_at(step.as_ref(), &in_copy, &for_copy);
        let end = appended.map_or(end, |appended| appended.end);
        self.note_step(&copy, log, end, odd, lines)?;
        Ok(appended)
    }

    /// Whether both begin with what they had when they were the same.
    fn still_holds(
        &self,
        step: &Step,
        copy: &DurableLog,
        log: &DurableLog,
    ) -> Result<bool, StoreError> {
        let (copy_now, log_now) = (copy.mark()?, log.mark()?);
        Ok(step.copy.is_same_file(&copy_now)
            && step.log.is_same_file(&log_now)
            && step.copy.bytes <= copy_now.bytes
            && step.end <= log_now.bytes
            && step.edge == checkpoint::edge(copy, step.copy.bytes)?)
    }

    /// The lines of the copy that are no events, and how many lines it has, now that `added` was appended to it.
    fn look_at(
        &self,
        step: Option<&Step>,
        fresh: &[u8],
        added: &[u8],
    ) -> (Vec<(usize, Oddity)>, usize) {
        let (mut odd, mut count) =
            step.map_or((Vec::new(), 0), |step| (step.odd.clone(), step.lines));
        for (_, line) in fold::lines(fresh, 0) {
            count += 1;
            if odd.len() < MAX_ODD
                && fold::event_of(line).is_none()
                && let Some(what) = oddity(line)
            {
                odd.push((count, what));
            }
        }
        (odd, count + fold::lines(added, 0).count())
    }

    fn note_step(
        &self,
        copy: &DurableLog,
        log: &DurableLog,
        end: u64,
        odd: Vec<(usize, Oddity)>,
        lines: usize,
    ) -> Result<(), StoreError> {
        let mark = copy.mark()?;
        let step = Step {
            edge: checkpoint::edge(copy, mark.bytes)?,
            copy: mark,
            log: log.mark()?,
            end,
            odd,
            lines,
        };
        let bytes = serde_json::to_vec(&step).unwrap_or_default();
        write_atomic(&self.note(), &bytes, Durability::Relaxed)
    }

    /// Appends what was just appended to the log. Where both were not the same before, the next command finds that.
    pub(crate) fn follow(
        &self,
        log: &DurableLog,
        lines: &[u8],
        appended: Appended,
    ) -> Result<(), LedgerError> {
        let copy = self.open()?;
        let step = self.step();
        let was_in_step = match &step {
            Some(step) => {
                // A line that a crash left unfinished in the log was ended by a terminator.
                let unfinished = appended.start.checked_sub(step.end);
                unfinished.is_some_and(|bytes| bytes <= 1)
                    && step.copy == copy.mark()?
                    && step.log.is_same_file(&log.mark()?)
            }
            None => appended.start == 0 && copy.bytes()? == 0,
        };
        let _ = copy.append_alone(lines)?;
        if was_in_step {
            let (odd, count) = step.map_or((Vec::new(), 0), |step| (step.odd, step.lines));
            let count = count + fold::lines(lines, 0).count();
            self.note_step(&copy, log, appended.end, odd, count)?;
        }
        Ok(())
    }

    /// Makes it durable.
    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        if self.mark()?.is_none() {
            return Ok(());
        }
        let copy = self.open()?;
        let (start, end) = (0, copy.bytes()?);
        let all = Appended { start, end };
        Ok(copy.commit(
            all,
            std::time::Duration::from_secs(5),
            "windlass events sync",
        )?)
    }

    /// Takes the markers of a merge out of the copy; how many there were.
    pub(crate) fn clean(&self) -> Result<usize, LedgerError> {
        let Some(bytes) = read_file(&self.path, MAX_LOG_BYTES)? else {
            return Ok(0);
        };
        let is_marker = |line: &[u8]| {
            fold::event_of(line).is_none() && oddity(line) == Some(Oddity::ConflictMarker)
        };
        let lines: Vec<&[u8]> = fold::lines(&bytes, 0).map(|(_, line)| line).collect();
        let kept: Vec<&[u8]> = lines
            .iter()
            .copied()
            .filter(|line| !is_marker(line))
            .collect();
        let markers = lines.len() - kept.len();
        if markers > 0 {
            let text = kept
                .iter()
                .flat_map(|line| line.iter().chain(b"\n"))
                .copied();
            windlass_store::write_shared(&self.path, &text.collect::<Vec<u8>>())?;
        }
        Ok(markers)
    }
}

/// The events in whole lines, by id; of several lines with one id the first.
fn events(bytes: &[u8]) -> BTreeMap<Vec<u8>, &[u8]> {
    let mut events = BTreeMap::new();
    for (_, line) in fold::lines(bytes, 0) {
        if let Some(event) = fold::event_of(line) {
            let id = event.event_id.as_bytes().to_vec();
            events.entry(id).or_insert_with(|| line.trim_ascii_end());
        }
    }
    events
}

/// The lines in the order in which they stand in `all`, each with a terminator.
fn in_order<'a>(lines: impl Iterator<Item = &'a [u8]>, all: &'a [u8]) -> Vec<u8> {
    let place = |line: &[u8]| line.as_ptr() as usize - all.as_ptr() as usize;
    let mut lines: Vec<&[u8]> = lines.collect();
    lines.sort_by_key(|line| place(line));
    lines
        .iter()
        .flat_map(|line| line.iter().chain(b"\n"))
        .copied()
        .collect()
}
