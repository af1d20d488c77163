use serde::{Deserialize, Serialize};
use windlass_engine::{RunEvent, StepError};
use windlass_redact::redact_text;

/// An event with its time, in the stored format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimedEntry {
    /// Microseconds since the start of the run.
    pub(crate) at_us: u64,
    #[serde(flatten)]
    pub(crate) entry: RunEvent,
}

impl TimedEntry {
    /// Removes secret values. If an output contains one, all of it is removed: the steps that use
    /// it need the real value, so a redacted one is useless to a resumed run.
    pub(super) fn forget_secrets(&mut self) {
        self.forget_output();
        match &mut self.entry {
            RunEvent::StepRetries { error, .. } => redact_error(error),
            RunEvent::StepEnded { error, .. } => error.iter_mut().for_each(redact_error),
            _ => {}
        }
    }

    /// Removes the output and the observations of a step. Returns true if there was something to
    /// remove.
    pub(super) fn forget_output(&mut self) -> bool {
        match &mut self.entry {
            RunEvent::StepEnded {
                produced, error, ..
            } => {
                let had_seen = error.as_mut().is_some_and(forget_seen);
                produced.take().is_some() || had_seen
            }
            RunEvent::StepRetries { error, .. } => forget_seen(error),
            _ => false,
        }
    }
}

fn forget_seen(error: &mut StepError) -> bool {
    !std::mem::take(&mut error.seen).is_empty()
}

fn redact_error(error: &mut StepError) {
    for text in std::iter::once(&mut error.message).chain(&mut error.help) {
        *text = redact_text(text).0.as_str().to_owned();
    }
}
