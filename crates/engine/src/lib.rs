//! Runs a plan in this process.
//!
//! [`run`] drives a [`windlass_plan::Schedule`] with tokio: it starts what is ready, within a limit, feeds
//! each step its resolved input, keeps time limits and retries, and tells an [`Observer`] what happens.
//!
//! This crate must never know what a kind of step does, read the user's files, or talk to a screen: steps
//! come in through the [`Step`] trait, and screens listen to [`RunEvent`]s. What a run gives back depends
//! on the plan, its inputs and what its steps answer, never on the order in which they happened to end.

mod attempt;
mod basis;
mod driver;
mod held_memory;
mod registry;
mod run_event;
mod run_options;
mod run_result;
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
pub use slots::Slots;
pub use step::{Call, Caveat, ErrorKind, Preparing, Step, StepError, StepFuture, StepOutput};
pub use stop::{Stop, StopLevel};
