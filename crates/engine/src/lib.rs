//! Runs plans inside the current process.
//!
//! [`run`] drives a [`windlass_plan::Schedule`] with tokio. It starts ready steps within a limit
//! and passes each its resolved input. It also enforces time limits, retries failed steps, and
//! reports events to an [`Observer`].
//!
//! The engine doesn't know what a step kind does. It reads none of the user's files and writes to
//! no screen. Step kinds implement the [`Step`] trait, and screens observe [`RunEvent`]s. The
//! result of a run depends only on the plan, its inputs and the answers of its steps, never on
//! timing.

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
