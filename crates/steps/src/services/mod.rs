//! Services of the built-in steps.

mod context_packs;
mod nested_runbooks;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use windlass_base::{Cancel, Digest};
use windlass_engine::Basis;
use windlass_notebook::{Damage, Notebook, NotebookFile};
use windlass_repo::Snapshot;

use crate::process::ProgramPaths;
use crate::review::CommandPermission;

pub use self::context_packs::{ContextPacks, NoContextPacks, PackInput};
pub use self::nested_runbooks::{Nested, NestedRunbooks};

/// Services of the built-in steps.
#[derive(Clone)]
pub struct Services {
    /// File snapshot, one for the whole run.
    pub snapshot: Snapshot,
    /// Notebook, in one state for the whole run.
    pub notebook: SharedNotebook,
    /// Permission to start processes.
    pub commands: CommandPermission,
    /// Environment that processes may inherit from; each step names its variables.
    pub environment: Arc<BTreeMap<String, OsString>>,
    /// Variables that every process gets.
    pub given: Arc<BTreeMap<String, OsString>>,
    /// Runbooks for the `runbook` step.
    pub runbooks: Arc<dyn NestedRunbooks>,
    /// Builder of packs for the `pack` step.
    pub packs: Arc<dyn ContextPacks>,
    /// Cache of program lookups, one for the whole run.
    pub programs: Arc<ProgramPaths>,
    /// States of dependencies besides the repository and the notebook.
    pub states: Arc<dyn OtherStates>,
    /// Set by each nested runbook with `freshness: strict` and fresh evidence: should the run later find
    /// changed files, it was not fresh.
    pub strict_inside: Arc<AtomicBool>,
}

impl Services {
    /// Returns services for one attempt that record its reads.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            snapshot: self.snapshot.recorded(),
            notebook: self.notebook.recorded(),
            ..self.clone()
        }
    }

    /// Returns the dependencies of an attempt with [`Services::recorded`].
    #[must_use]
    pub fn basis(&self) -> Basis {
        let notebook = self.notebook.was_asked.load(Ordering::Relaxed);
        let digest = notebook.then(|| self.notebook.digest());
        match (self.snapshot.own_reads(), digest) {
            (None, _) | (_, Some(None)) => Basis::Unknown,
            (Some(reads), digest) => Basis::Known {
                reads,
                others: digest
                    .flatten()
                    .map(|digest| (NOTEBOOK.to_owned(), digest))
                    .into_iter()
                    .collect(),
            },
        }
    }

    /// True if the dependencies of an output are unchanged.
    #[must_use]
    pub fn still_hold(&self, basis: &Basis, cancel: &Cancel) -> bool {
        let Basis::Known { reads, others } = basis else {
            return false;
        };
        let same = |(name, digest): (&String, &Digest)| {
            let now = match &**name {
                NOTEBOOK => self.notebook.digest(),
                name => self.states.state(name),
            };
            now.as_ref() == Some(digest)
        };
        others.iter().all(same)
            && reads
                .iter()
                .all(|read| self.snapshot.still_holds(read, cancel))
    }
}

/// States of dependencies that other step kinds, such as plugins, know.
pub trait OtherStates: Send + Sync {
    /// Returns the state of `name`, as in [`Basis::Known`]; `None` if unknown.
    fn state(&self, name: &str) -> Option<Digest>;
}

/// Implementation without further dependencies.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOtherStates;

impl OtherStates for NoOtherStates {
    fn state(&self, _: &str) -> Option<Digest> {
        None
    }
}

/// Name of the notebook among the dependencies.
pub(crate) const NOTEBOOK: &str = "notebook";

/// Notebook that is read on first use and then fixed. Clones share it.
#[derive(Debug, Clone)]
pub struct SharedNotebook {
    file: NotebookFile,
    read: Arc<OnceLock<Result<Arc<Notebook>, String>>>,
    digest: Arc<OnceLock<Option<Digest>>>,
    /// True if it was read through this handle.
    was_asked: Arc<AtomicBool>,
}

impl SharedNotebook {
    /// Wraps the notebook in `file` without reading it.
    #[must_use]
    pub fn new(file: NotebookFile) -> Self {
        Self {
            file,
            read: Arc::default(),
            digest: Arc::default(),
            was_asked: Arc::default(),
        }
    }

    /// Returns the damage; empty if the notebook was not read.
    #[must_use]
    pub fn damage(&self) -> Vec<Damage> {
        let read = self.read.get().and_then(|read| read.as_ref().ok());
        read.map(|notebook| notebook.damage().to_vec())
            .unwrap_or_default()
    }

    /// Returns a handle that records its own use.
    fn recorded(&self) -> Self {
        Self {
            was_asked: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the digest of the content visible to steps; `None` if it cannot be read.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        let of_all = || {
            let notebook = self.get().ok()?;
            let anchors: Vec<_> = notebook.anchors().collect();
            let lost: Vec<_> = notebook.lost().map(|lost| &lost.what).collect();
            Digest::of_json(&(self.is_enabled(), anchors, lost)).ok()
        };
        *self.digest.get_or_init(of_all)
    }

    /// True if it may be read.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.file.is_enabled()
    }

    /// Returns the notebook in the state of its first use.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn get(&self) -> Result<Arc<Notebook>, String> {
        self.was_asked.store(true, Ordering::Relaxed);
        let read = || {
            self.file
                .read()
                .map(Arc::new)
                .map_err(|error| error.to_string())
        };
        self.read.get_or_init(read).clone()
    }
}
