use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use windlass_notebook::{Notebook, NotebookFile};
use windlass_repo::Snapshot;

use crate::NestedRunbooks;

/// What the built-in steps work with.
#[derive(Clone)]
pub struct Services {
    /// The state of the files, one for the whole run.
    pub snapshot: Snapshot,
    /// Where anchors come from: one state for the whole run.
    pub notebook: SharedNotebook,
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

/// A notebook that is read when first asked for, and then stays what it was. Cloning shares it.
#[derive(Debug, Clone)]
pub struct SharedNotebook {
    file: NotebookFile,
    read: Arc<OnceLock<Result<Arc<Notebook>, String>>>,
}

impl SharedNotebook {
    /// The notebook in `file`, not read yet.
    #[must_use]
    pub fn new(file: NotebookFile) -> Self {
        Self {
            file,
            read: Arc::default(),
        }
    }

    /// Whether it may be read.
    pub(crate) fn is_enabled(&self) -> bool {
        self.file.is_enabled()
    }

    /// The notebook as it was when it was first asked for.
    pub(crate) fn get(&self) -> Result<Arc<Notebook>, String> {
        let read = || {
            self.file
                .read()
                .map(Arc::new)
                .map_err(|error| error.to_string())
        };
        self.read.get_or_init(read).clone()
    }
}
