use windlass_engine::{Call, Step, StepError, StepFuture, StepOutput};
use windlass_plan::KindSpec;

use crate::Services;

/// A kind of step whose outputs say what they rest on, where somebody wants to know: it is run with services
/// that note what it asks for. Not for kinds that start programs or runs of their own.
pub(crate) struct Recorded<S> {
    services: Services,
    make: fn(&Services) -> S,
    /// Serves as long as nobody wants to know.
    plain: S,
}

impl<S: Step> Recorded<S> {
    pub(crate) fn new(services: &Services, make: fn(&Services) -> S) -> Self {
        Self {
            services: services.clone(),
            make,
            plain: make(services),
        }
    }

    async fn run_recorded(&self, call: Call) -> Result<StepOutput, StepError> {
        let services = self.services.recorded();
        let after = call.clone();
        let mut output = (self.make)(&services).run(call).await?;
        output.basis = if services.snapshot.was_asked() {
            // Files are hashed for it.
            after.blocking(move || Ok(services.basis())).await?
        } else {
            services.basis()
        };
        Ok(output)
    }
}

impl<S: Step> Step for Recorded<S> {
    fn name(&self) -> &str {
        self.plain.name()
    }

    fn spec(&self) -> &KindSpec {
        self.plain.spec()
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        if call.is_recorded() {
            Box::pin(self.run_recorded(call))
        } else {
            self.plain.run(call)
        }
    }
}
