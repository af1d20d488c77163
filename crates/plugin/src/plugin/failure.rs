//! Converts failures of guests to step errors that name the plugin, the location and the reason.

use wasmtime::{Trap, WasmBacktrace};
use windlass_engine::{ErrorKind, StepError};

use crate::guest_words::{MAX_SAID, line};
use crate::plugin_limits::Limits;
use crate::v1::limiter::Denied;
use crate::v1::{GuestError, GuestFailure, HostFault, LogLine};

/// Maximum number of backtrace frames in an error. An endless recursion has thousands.
const MAX_FRAMES: usize = 12;
/// Maximum length of a function name, in characters.
const MAX_NAME: usize = 80;
/// Maximum size of the details in a guest's error, in bytes. We omit larger ones.
const MAX_DETAILS: usize = 64 << 10;

/// A call of a guest's function, for error messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called<'a> {
    /// The plugin's name and version, e.g. `codeowners 1.0.0`. As long as we do not know them, it
    /// is the digest.
    pub(crate) plugin: &'a str,
    pub(crate) function: &'static str,
    /// The step's path. There is none for a call outside of a step.
    pub(crate) step: Option<&'a str>,
}

impl Called<'_> {
    pub(crate) fn failed(&self, kind: ErrorKind, why: &str) -> StepError {
        let Self {
            plugin,
            function,
            step,
        } = self;
        let step = step
            .map(|step| format!(" in step `{step}`"))
            .unwrap_or_default();
        let why = line(why, MAX_SAID);
        let message = format!("plugin `{plugin}`, `{function}`{step}: {why}");
        StepError::new(kind, message)
    }

    pub(crate) fn answered(&self, error: GuestError) -> StepError {
        let (kind, failure) = match error {
            GuestError::Invalid(failure) => (ErrorKind::Invalid, failure),
            GuestError::Transient(failure) => (ErrorKind::Transient, failure),
            GuestError::Failed(failure) => (ErrorKind::Failed, failure),
        };
        let GuestFailure { message, details } = failure;
        if details.len() > MAX_DETAILS {
            let message = line(&message, MAX_SAID / 2);
            let size = details.len();
            return self.failed(
                kind,
                &format!("{message} (details of {size} bytes omitted)"),
            );
        }
        let failed = self.failed(kind, &message);
        match serde_json::from_str(&details) {
            Ok(serde_json::Value::Null) | Err(_) => failed,
            Ok(details) => failed.seen(details),
        }
    }

    /// Converts a trap, a refused growth, or any other abnormal end of the guest.
    pub(crate) fn ended(
        &self,
        error: &wasmtime::Error,
        limits: &Limits,
        denied: Option<Denied>,
        log: &[LogLine],
    ) -> StepError {
        let (kind, why) = reason(error, limits, denied);
        // A guest usually logs the reason right before it aborts, e.g. the message of a panic.
        let said = log
            .iter()
            .rev()
            .find(|line| line.level == tracing::Level::ERROR);
        let why = match said {
            Some(said) => format!("{why}: {}", said.text),
            None => why,
        };
        let mut failed = self.failed(kind, &why);
        let backtrace = error.downcast_ref::<WasmBacktrace>();
        failed.help = backtrace.and_then(backtrace_help);
        if kind == ErrorKind::Cancelled
            && let Some(place) = failed.help.take()
        {
            // The caller who canceled it reports their own reason, so the plugin only comes up in
            // the help text.
            let Self {
                plugin, function, ..
            } = self;
            failed.help = Some(format!("plugin `{plugin}`, `{function}`: stopped {place}"));
        }
        failed
    }
}

fn reason(error: &wasmtime::Error, limits: &Limits, denied: Option<Denied>) -> (ErrorKind, String) {
    if let Some(fault) = error.downcast_ref::<HostFault>() {
        let kind = match fault {
            HostFault::Panicked { .. } => ErrorKind::Internal,
            HostFault::Stopped => ErrorKind::Cancelled,
            HostFault::NothingToReach(_) => ErrorKind::Refused,
            HostFault::TooManyBytes(_) | HostFault::TooMuchAsked => ErrorKind::Failed,
        };
        return (kind, fault.to_string());
    }
    if error.is::<wasmtime::PoolConcurrencyLimitError>() {
        return (
            ErrorKind::Transient,
            "the limit of instances is reached".to_owned(),
        );
    }
    let trap = error.downcast_ref::<Trap>();
    let copies_too_much = || {
        let root = error.root_cause().to_string();
        root.contains("too much data is being copied")
    };
    // A guest that's out of memory usually aborts with a message of its own. It may also continue
    // after the refusal and end for another reason, so the trap has to match.
    let gave_up = matches!(trap, None | Some(Trap::UnreachableCodeReached)) && !copies_too_much();
    match denied.filter(|_| gave_up) {
        Some(Denied::Memory) => {
            let limit = limits.memory >> 20;
            return (
                ErrorKind::TooLarge,
                format!("it exceeded the memory limit of {limit} MiB"),
            );
        }
        Some(Denied::Table) => {
            let limit = limits.table_elements;
            return (
                ErrorKind::TooLarge,
                format!("it exceeded the limit of {limit} table elements"),
            );
        }
        None => {}
    }
    let why = match trap {
        Some(Trap::OutOfFuel) => format!(
            "it took too long: more than {} million instructions",
            limits.fuel / 1_000_000
        ),
        Some(Trap::Interrupt) => return (ErrorKind::Cancelled, "it was stopped".to_owned()),
        Some(Trap::StackOverflow) => {
            "its stack overflowed: check for an endless recursion".to_owned()
        }
        // The stack of C code is a part of the memory, so endless recursion ends with this trap
        // too.
        Some(Trap::MemoryOutOfBounds) => {
            "it accessed memory out of bounds: check for a wrong pointer, or an endless recursion"
                .to_owned()
        }
        Some(Trap::UnreachableCodeReached) => "it aborted".to_owned(),
        Some(trap) => trap.to_string(),
        None => {
            if copies_too_much() {
                let limit = limits.output;
                return (
                    ErrorKind::TooLarge,
                    format!("it returned more than the limit of {limit} bytes"),
                );
            }
            error.root_cause().to_string()
        }
    };
    (ErrorKind::Failed, why)
}

fn backtrace_help(backtrace: &WasmBacktrace) -> Option<String> {
    let frames = backtrace.frames();
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => line(name, MAX_NAME),
        None => format!("function {}", frame.func_index()),
    };
    let mut lines: Vec<String> = frames.iter().take(MAX_FRAMES).map(name).collect();
    if let Some(more) = frames
        .len()
        .checked_sub(MAX_FRAMES)
        .filter(|more| *more > 0)
    {
        lines.push(format!("and {more} more"));
    }
    (!lines.is_empty())
        .then(|| format!("inside the plugin, innermost first: {}", lines.join(" < ")))
}
