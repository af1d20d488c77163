//! Finds the runbooks that a run nests.

use std::cell::OnceCell;
use std::sync::Arc;

use windlass_engine::{ErrorKind as StepErrorKind, StepError};
use windlass_notebook::RunbookShelf;
use windlass_plan::Catalog;
use windlass_plugin::{PluginService, Plugins, World};
use windlass_repo::Snapshot;
use windlass_site::ErrorKind;
use windlass_steps::{CommandPermission, Nested, NestedRunbooks};

use crate::trust::{Permission, TrustService};

pub(crate) struct SiteRunbooks {
    pub(crate) shelf: RunbookShelf,
    pub(crate) trust: TrustService,
    /// The permissions granted to plugins.
    pub(crate) granted: PluginService,
    pub(crate) snapshot: Snapshot,
    pub(crate) catalog: Catalog,
    /// The plugins of the run, which access the repository through `world`.
    pub(crate) plugins: Arc<Plugins>,
    pub(crate) world: Arc<dyn World>,
    /// Permissions of the outermost runbook, which apply to the nested runbooks that were reviewed
    /// along with it.
    pub(crate) permission: Permission,
}

impl NestedRunbooks for SiteRunbooks {
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError> {
        let found = self
            .shelf
            .nested(name, &self.snapshot, &self.catalog, &OnceCell::new());
        let runbook = found.map_err(|error| {
            let kind = match error.kind() {
                ErrorKind::Refused => StepErrorKind::Refused,
                _ => StepErrorKind::Failed,
            };
            StepError {
                help: error.help(),
                ..StepError::new(kind, error.to_string())
            }
        })?;
        let mut commands = self.permission.of(&runbook);
        // The outermost runbook isn't trusted, but the user may trust this one on its own. Inputs
        // come from the outermost runbook, though, and could make a trusted program do something
        // else.
        if matches!(commands, CommandPermission::Refused) && !has_inputs {
            let own = self
                .trust
                .permission(&runbook, &self.snapshot, &self.catalog, false);
            commands = own.map_or(commands, |permission| permission.of(&runbook));
        }
        let kinds = self
            .granted
            .kinds(&runbook.plan, &self.plugins, &self.world);
        let kinds = kinds.map_err(|error| StepError::failed(error.to_string()))?;
        Ok(Nested {
            plan: runbook.plan,
            commands,
            catalog: self.catalog.clone(),
            kinds,
        })
    }
}
