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

/// The most lines of the log that are kept, and the most bytes of one.
const MAX_LINES: usize = 64;
const MAX_LINE: usize = 4 << 10;
/// How much of a line is looked through for secrets, so that one at the end of what is kept is seen whole.
const MAX_SEEN: usize = 4 * MAX_LINE;

/// What one attempt is given.
pub(crate) struct Attempt {
    /// What it may reach; nothing while a plugin is asked what it is.
    pub(crate) reach: Option<Box<dyn Reach>>,
    pub(crate) run_began: u64,
    /// Random numbers, made from the run's seed, the step and its attempt.
    pub(crate) chance: Option<blake3::OutputReader>,
    pub(crate) cancel: Cancel,
    /// How long it may take, where nobody else would stop it.
    pub(crate) most_time: Option<Duration>,
    /// Who is told how far the work has come.
    pub(crate) progress: Option<Box<dyn Fn(u64, u64) + Send + Sync>>,
}

impl Attempt {
    /// With an empty world around it.
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

/// What the host knows of an attempt.
pub(crate) struct State {
    pub(crate) limiter: Limiter,
    pub(crate) attempt: Attempt,
    log: Vec<LogLine>,
    lines_lost: usize,
    told: Option<u64>,
    /// How much the host may still do for it: see [`super::cost`].
    left: u64,
    /// What it has asked.
    asked: BTreeSet<String>,
    /// What was used of what changes from run to run.
    pub(crate) used: Vec<Capability>,
}

/// Something a plugin said, secrets replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    pub(crate) level: tracing::Level,
    pub(crate) text: String,
}

/// Why the host ended a plugin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostFault {
    #[error("it called `{0}` while it was asked what it is")]
    NothingToReach(&'static str),
    #[error("`{function}` of the host panicked: {said}")]
    Panicked {
        function: &'static str,
        said: String,
    },
    #[error("stopped before it was done")]
    Stopped,
    #[error("it takes too long: it makes the host do more than the limit")]
    TooMuchAsked,
    #[error("it asked for {0} random bytes at once, and 65536 are the most")]
    TooManyBytes(u32),
}

impl State {
    /// An attempt that may make the host do so much `work`: see [`super::cost`].
    pub(crate) fn new(limiter: Limiter, attempt: Attempt, work: u64) -> Self {
        Self {
            limiter,
            attempt,
            log: Vec::new(),
            lines_lost: 0,
            told: None,
            left: work,
            asked: BTreeSet::new(),
            used: Vec::new(),
        }
    }

    /// What was said, the oldest first.
    pub(crate) fn log(&self) -> &[LogLine] {
        &self.log
    }

    /// How many lines were said beyond those that are kept.
    pub(crate) fn lines_lost(&self) -> usize {
        self.lines_lost
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Counts a call that hands over so many bytes.
    pub(super) fn count(&mut self, bytes: usize) -> wasmtime::Result<()> {
        if self.attempt.cancel.is_cancelled() {
            return Err(HostFault::Stopped.into());
        }
        self.charge(cost::CALL + bytes as u64 * cost::BYTE)
    }

    fn charge(&mut self, work: u64) -> wasmtime::Result<()> {
        let left = self.left.checked_sub(work);
        // What it cannot pay for is the last it gets.
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
        // Whoever listens for more does so at their own cost: a guest ends at the same place without them.
        if is_kept {
            self.charge(line.len() as u64 * cost::SAID_BYTE)?;
        }
        let (text, _) = redact_text(line);
        let text = text.first_bytes(MAX_LINE).as_str().to_owned();
        tracing::debug!(%level, message = %text, "a plugin says");
        if !is_kept {
            return Ok(());
        }
        if self.log.len() == MAX_LINES {
            // The first is shown, and what was said last says most about how it ended.
            self.log.remove(MAX_NOTES);
            self.lines_lost += 1;
        }
        self.log.push(LogLine { level, text });
        Ok(())
    }

    /// Tells how far the work has come, where that is more than a hundredth further.
    pub(super) fn progress(&mut self, done: u64, total: u64) -> wasmtime::Result<()> {
        let share = match total {
            0 => done / 1_000,
            total => done.min(total).saturating_mul(100) / total,
        };
        if self.told == Some(share) {
            return Ok(());
        }
        self.charge(cost::TOLD)?;
        self.told = Some(share);
        if let Some(tell) = &self.attempt.progress {
            tell(done, total);
        }
        Ok(())
    }

    /// Answers the `question` that `function` asks of the world. What it makes the host do counts once for the attempt, what
    /// it is told each time.
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
        let told = text.as_ref().map_or(0, String::len) as u64;
        let work = if is_new { work } else { 0 };
        self.charge(work.saturating_add(told * cost::ANSWER_BYTE))?;
        Ok(text)
    }

    /// Does what `function` asks of the world in so many bytes, with a roof over panics.
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

/// What the world answers, and how much work that was, whoever had it done before.
pub(super) struct Answer {
    pub(super) text: Result<String, Refusal>,
    pub(super) work: u64,
}

/// JSON text as a plugin gave it.
pub(super) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))
}
