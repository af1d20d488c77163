//! The `pack` steps of a runbook. Unlike `pack build`, a step fails if its pack cannot be stored,
//! because it could not be passed on.

use windlass_base::Cancel;
use windlass_engine::{ErrorKind as StepErrorKind, StepError};
use windlass_packs::context::ContextPack;
use windlass_repo::Snapshot;
use windlass_steps::{ContextPacks, PackInput};

use windlass_site::{Error, ErrorKind};

use crate::compose::BuildPack;
use crate::pack_service::PackService;

impl ContextPacks for PackService {
    fn build(
        &self,
        input: &PackInput,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, StepError> {
        let request = BuildPack::of_step(input.clone(), self.site().repo().root());
        let pack = self.compose(&request, snapshot, cancel);
        let pack = pack.map_err(|error| step_error(&error))?;
        self.keep(&pack).map_err(|error| {
            let help = "the pack was built, but it cannot be passed on unless it is stored";
            step_error(&error).help(help)
        })?;
        Ok(pack)
    }
}

fn step_error(error: &Error) -> StepError {
    let kind = match error.kind() {
        ErrorKind::Refused => StepErrorKind::Refused,
        ErrorKind::Invalid => StepErrorKind::Invalid,
        ErrorKind::Interrupted => StepErrorKind::Cancelled,
        _ => StepErrorKind::Failed,
    };
    StepError {
        help: error.help(),
        ..StepError::new(kind, error.to_string())
    }
}
