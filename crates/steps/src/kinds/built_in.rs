//! What all built-in step kinds have in common: parsing the input, choosing a thread and recording
//! reads.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Call, Step, StepError, StepFuture, StepOutput};
use windlass_plan::KindSpec;

use crate::services::Services;

/// A built-in step kind, which parses its `Input` and calls the kind's function.
pub(crate) struct BuiltIn<Input> {
    services: Services,
    name: &'static str,
    spec: &'static LazyLock<KindSpec>,
    work: Work<Input>,
    grace: fn(&Value) -> Option<Duration>,
}

enum Work<Input> {
    /// Only reads or computes. If the output may be reused later, the function gets services that
    /// record its reads.
    Reads {
        run: Reads<Input>,
        /// True to process a small input on the current thread, which saves switching to another
        /// one. Such a function must never wait for anything.
        at_once: bool,
    },
    /// Starts programs or other runs.
    Starts(Starts<Input>),
}

type Reads<Input> = fn(&Services, Input, &Cancel) -> Result<StepOutput, StepError>;
type Starts<Input> = for<'a> fn(&'a Services, Call, Input) -> StepFuture<'a>;

impl<Input> BuiltIn<Input> {
    pub(crate) fn reading(
        services: &Services,
        name: &'static str,
        spec: &'static LazyLock<KindSpec>,
        run: Reads<Input>,
    ) -> Self {
        let at_once = false;
        Self::new(services, name, spec, Work::Reads { run, at_once })
    }

    /// Creates a kind whose output depends on nothing but its input. Unlike with
    /// [`reading`](Self::reading), the function may run on the current thread.
    pub(crate) fn pure(
        services: &Services,
        name: &'static str,
        spec: &'static LazyLock<KindSpec>,
        run: Reads<Input>,
    ) -> Self {
        let at_once = true;
        Self::new(services, name, spec, Work::Reads { run, at_once })
    }

    /// Creates a kind that starts programs or other runs. Only these kinds get the [`Call`].
    pub(crate) fn starting(
        services: &Services,
        name: &'static str,
        spec: &'static LazyLock<KindSpec>,
        run: Starts<Input>,
    ) -> Self {
        Self::new(services, name, spec, Work::Starts(run))
    }

    fn new(
        services: &Services,
        name: &'static str,
        spec: &'static LazyLock<KindSpec>,
        work: Work<Input>,
    ) -> Self {
        Self {
            services: services.clone(),
            name,
            spec,
            work,
            grace: |_| None,
        }
    }

    /// Sets the function that extracts the grace period from a step's input.
    pub(crate) fn with_grace(self, grace: fn(&Value) -> Option<Duration>) -> Self {
        Self { grace, ..self }
    }
}

impl<Input> Step for BuiltIn<Input>
where
    Input: for<'de> Deserialize<'de> + Send + 'static,
{
    fn name(&self) -> &str {
        self.name
    }

    fn spec(&self) -> &KindSpec {
        self.spec
    }

    fn grace(&self, input: &Value) -> Option<Duration> {
        (self.grace)(input)
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            let (run, at_once) = match self.work {
                Work::Starts(run) => return run(&self.services, call, input).await,
                Work::Reads { run, at_once } => (run, at_once),
            };
            let (is_recorded, stop) = (call.is_recorded(), call.stop.clone());
            let services = if is_recorded {
                self.services.recorded()
            } else {
                self.services.clone()
            };
            let work = move || {
                let mut output = run(&services, input, stop.flag())?;
                if is_recorded {
                    output.basis = services.basis();
                }
                Ok(output)
            };
            if at_once && call.is_small() {
                return work();
            }
            call.blocking(work).await
        })
    }
}
