//! Runs plans in the current process.
//!
//! [`run`] drives a [`windlass_plan::Schedule`] with tokio. It starts ready steps as slots become
//! free, resolves their inputs, enforces time limits, retries failed attempts, and reports events
//! to an [`Observer`].
//!
//! The engine does not know anything about the work of a step, which is up to implementations of
//! the [`Step`] trait. It does not read the user's files or write to a screen either. The result of
//! a run depends on the plan, its inputs and the answers of its steps, but never on timing.

mod attempt;
mod basis;
mod driver;
mod held_memory;
mod registry;
mod run_event;
mod run_options;
mod run_result;
mod runtime;
mod slots;
mod step;
mod step_scope;
mod stop;

pub use basis::{Basis, Earlier, Produced};
pub use driver::{RunContext, run};
pub use held_memory::Held;
pub use registry::Registry;
pub use run_event::{NoObserver, Observer, Phase, RunEvent};
pub use run_options::{MAX_OUTPUT_BYTES, RunOptions};
pub use run_result::{RunResult, StepResult};
pub use runtime::current_thread_runtime;
pub use slots::Slots;
pub use step::{Call, Caveat, ErrorKind, Preparing, Step, StepError, StepFuture, StepOutput};
pub use stop::{Stop, StopLevel};
