use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use windlass_notebook::{Notebook, NotebookError, NotebookFile};
use windlass_repo::Snapshot;

use crate::NestedRunbooks;

/// What the built-in steps work with.
#[derive(Clone)]
pub struct Services {
    /// The state of the files, one for the whole run.
    pub snapshot: Snapshot,
    /// Where anchors come from.
    pub notebook: NotebookFile,
    /// Whether steps may start processes.
    pub commands: CommandPermission,
    /// The environment that processes may inherit from; each step names what it lets through.
    pub environment: Arc<BTreeMap<String, OsString>>,
    /// The runbooks that the `runbook` step may run.
    pub runbooks: Arc<dyn NestedRunbooks>,
}

/// Whether steps may start processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandPermission {
    /// The runbook is trusted, or the user allowed it for this run.
    Allowed,
    /// Neither.
    Refused,
}

impl Services {
    /// The notebook as it is now.
    pub(crate) fn read_notebook(&self) -> Result<Notebook, NotebookError> {
        self.notebook.read()
    }
}
