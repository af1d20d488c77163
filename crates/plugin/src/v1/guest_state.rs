use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_plan::Capability;
use windlass_redact::redact_text;

use super::bindings::windlass::step::types::Refusal;
use super::cost;
use crate::guest_words::MAX_NOTES;
use crate::v1::limiter::Limiter;
use crate::world::Reach;

/// Maximum number of stored log lines, and the size of each in bytes.
const MAX_LINES: usize = 64;
const MAX_LINE: usize = 4 << 10;
/// Number of bytes of a line that we scan for secrets. It is larger than the part we store, because
/// a secret that is cut off would not be recognized.
const MAX_SEEN: usize = 4 * MAX_LINE;

pub(crate) struct Attempt {
    /// Access to files and anchors. A plugin that describes itself has none.
    pub(crate) reach: Option<Box<dyn Reach>>,
    pub(crate) run_began: u64,
    /// Random numbers, derived from the run's seed, the step and the attempt.
    pub(crate) chance: Option<blake3::OutputReader>,
    pub(crate) cancel: Cancel,
    /// Time limit. There is none if something else ends the attempt, such as the step's own
    /// timeout.
    pub(crate) most_time: Option<Duration>,
    pub(crate) progress: Option<Box<dyn Fn(u64, u64) + Send + Sync>>,
}

impl Attempt {
    /// Creates an attempt without access to files, anchors and random numbers.
    pub(crate) fn alone(cancel: Cancel) -> Self {
        Self {
            reach: None,
            run_began: 0,
            chance: None,
            cancel,
            most_time: None,
            progress: None,
        }
    }
}

/// The host's side of an attempt: its budget, its limits, and what it has asked for.
pub(crate) struct State {
    pub(crate) limiter: Limiter,
    pub(crate) attempt: Attempt,
    log: Vec<LogLine>,
    lines_lost: usize,
    reported: Option<u64>,
    /// The budget that is left for the host's work, in fuel. See [`cost`].
    left: u64,
    /// The queries so far. If one of them is repeated, it only costs the size of its answer.
    asked: BTreeSet<String>,
    /// The capabilities used so far whose values differ from run to run.
    pub(crate) used: Vec<Capability>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    pub(crate) level: tracing::Level,
    pub(crate) text: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum HostFault {
    #[error("it called `{0}` during its self-description")]
    NothingToReach(&'static str),
    #[error("`{function}` of the host panicked: {said}")]
    Panicked {
        function: &'static str,
        said: String,
    },
    #[error("stopped before it was done")]
    Stopped,
    #[error("it took too long: its calls exceed the limit for the host's work")]
    TooMuchAsked,
    #[error("it requested {0} random bytes at once, the maximum is 65536")]
    TooManyBytes(u32),
}

impl State {
    pub(crate) fn new(limiter: Limiter, attempt: Attempt, work: u64) -> Self {
        Self {
            limiter,
            attempt,
            log: Vec::new(),
            lines_lost: 0,
            reported: None,
            left: work,
            asked: BTreeSet::new(),
            used: Vec::new(),
        }
    }

    pub(crate) fn log(&self) -> &[LogLine] {
        &self.log
    }

    /// The number of log lines that we have dropped because there were too many.
    pub(crate) fn lines_lost(&self) -> usize {
        self.lines_lost
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Charges for a call with `bytes` bytes of arguments.
    ///
    /// Fails if the attempt is canceled, or if the budget is used up.
    pub(super) fn count(&mut self, bytes: usize) -> wasmtime::Result<()> {
        if self.attempt.cancel.is_cancelled() {
            return Err(HostFault::Stopped.into());
        }
        self.charge(cost::CALL + bytes as u64 * cost::BYTE)
    }

    fn charge(&mut self, work: u64) -> wasmtime::Result<()> {
        let left = self.left.checked_sub(work);
        // A call that's too expensive uses up the rest. Otherwise, the guest could go on with
        // cheaper ones.
        self.left = left.unwrap_or_default();
        match left {
            Some(_) => Ok(()),
            None => Err(HostFault::TooMuchAsked.into()),
        }
    }

    pub(super) fn say(&mut self, level: tracing::Level, message: &str) -> wasmtime::Result<()> {
        let is_kept = level <= tracing::Level::WARN;
        if !is_kept && !tracing::enabled!(tracing::Level::DEBUG) {
            return Ok(());
        }
        let line = message.get(..message.floor_char_boundary(MAX_SEEN));
        let line = line.and_then(|start| start.lines().next());
        let line = line.unwrap_or_default();
        // Don't charge for levels that are only logged because the user has enabled them. The point
        // at which a guest ends mustn't depend on that.
        if is_kept {
            self.charge(line.len() as u64 * cost::SAID_BYTE)?;
        }
        let (text, _) = redact_text(line);
        let text = text.first_bytes(MAX_LINE).as_str().to_owned();
        tracing::debug!(%level, message = %text, "log of a plugin");
        if !is_kept {
            return Ok(());
        }
        if self.log.len() == MAX_LINES {
            // We show the first lines, and the last ones explain how the guest ended. Drop one in
            // between.
            self.log.remove(MAX_NOTES);
            self.lines_lost += 1;
        }
        self.log.push(LogLine { level, text });
        Ok(())
    }

    /// Reports progress, but only in steps of a hundredth.
    pub(super) fn progress(&mut self, done: u64, total: u64) -> wasmtime::Result<()> {
        let share = match total {
            0 => done / 1_000,
            total => done.min(total).saturating_mul(100) / total,
        };
        if self.reported == Some(share) {
            return Ok(());
        }
        self.charge(cost::PROGRESS_REPORT)?;
        self.reported = Some(share);
        if let Some(tell) = &self.attempt.progress {
            tell(done, total);
        }
        Ok(())
    }

    /// Answers a `question` of `function`.
    ///
    /// We charge for the work behind an answer once per attempt, and for the answer's size each
    /// time.
    pub(super) fn answering(
        &mut self,
        function: &'static str,
        question: &str,
        answer: impl FnOnce(&dyn Reach, &Cancel) -> Answer,
    ) -> wasmtime::Result<Result<String, Refusal>> {
        let asked = format!("{function} {question}");
        let is_new = !self.asked.contains(&asked);
        if is_new {
            self.charge(cost::QUESTION + question.len() as u64 * cost::QUESTION_BYTE)?;
            self.asked.insert(asked);
        }
        let Answer { text, work } = self.asking(function, question.len(), answer)?;
        let reported = text.as_ref().map_or(0, String::len) as u64;
        let work = if is_new { work } else { 0 };
        self.charge(work.saturating_add(reported * cost::ANSWER_BYTE))?;
        Ok(text)
    }

    /// Runs a query of `function` with `bytes` bytes of arguments. If the query panics, only the
    /// guest ends, and not our process.
    pub(super) fn asking<T>(
        &mut self,
        function: &'static str,
        bytes: usize,
        ask: impl FnOnce(&dyn Reach, &Cancel) -> T,
    ) -> wasmtime::Result<T> {
        self.count(bytes)?;
        let Some(reach) = &self.attempt.reach else {
            return Err(HostFault::NothingToReach(function).into());
        };
        let cancel = &self.attempt.cancel;
        let asked = catch_unwind(AssertUnwindSafe(|| ask(&**reach, cancel)));
        asked.map_err(|panic| {
            let said = panic
                .downcast_ref::<&str>()
                .map(|said| (*said).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            HostFault::Panicked { function, said }.into()
        })
    }
}

/// An answer of the host. `work` is the cost of finding it, even if it came from a cache.
pub(super) struct Answer {
    pub(super) text: Result<String, Refusal>,
    pub(super) work: u64,
}

pub(super) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))
}
