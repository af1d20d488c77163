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

/// The services used by the built-in steps.
#[derive(Clone)]
pub struct Services {
    /// The repository's files, in one state for the whole run.
    pub snapshot: Snapshot,
    /// The notebook, in one state for the whole run.
    pub notebook: SharedNotebook,
    /// Permission to start processes.
    pub commands: CommandPermission,
    /// Environment from which processes may inherit variables. Each step names those it inherits.
    pub environment: Arc<BTreeMap<String, OsString>>,
    /// Additional variables for every process.
    pub given: Arc<BTreeMap<String, OsString>>,
    /// The runbooks available to the `runbook` step.
    pub runbooks: Arc<dyn NestedRunbooks>,
    /// Builds context packs for the `pack` step.
    pub packs: Arc<dyn ContextPacks>,
    /// Program lookups, cached for the whole run.
    pub programs: Arc<ProgramPaths>,
    /// States of dependencies other than the repository and the notebook.
    pub states: Arc<dyn OtherStates>,
    /// Set if a nested runbook with `freshness: strict` reported fresh evidence. If the run later
    /// finds changed files, that report was wrong.
    pub strict_inside: Arc<AtomicBool>,
}

impl Services {
    /// Returns services for one attempt, which record its reads.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            snapshot: self.snapshot.recorded(),
            notebook: self.notebook.recorded(),
            ..self.clone()
        }
    }

    /// Returns the dependencies of an attempt. `self` must come from [`Services::recorded`].
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

    /// True if everything in `basis` is unchanged, so that we can reuse an output computed from it.
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

/// States of the dependencies of other step kinds, such as plugins.
pub trait OtherStates: Send + Sync {
    /// Returns the state of `name`, as in [`Basis::Known`], or `None` if it's unknown.
    fn state(&self, name: &str) -> Option<Digest>;
}

/// For runs without such dependencies.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOtherStates;

impl OtherStates for NoOtherStates {
    fn state(&self, _: &str) -> Option<Digest> {
        None
    }
}

/// The notebook's name in a [`Basis`].
pub(crate) const NOTEBOOK: &str = "notebook";

/// The notebook in the state of its first read. Clones share it, and it isn't read until it's
/// needed.
#[derive(Debug, Clone)]
pub struct SharedNotebook {
    file: NotebookFile,
    read: Arc<OnceLock<Result<Arc<Notebook>, String>>>,
    digest: Arc<OnceLock<Option<Digest>>>,
    /// True if the notebook was read through this handle.
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

    /// Returns the damage found in the notebook. The result is empty if we haven't read it.
    #[must_use]
    pub fn damage(&self) -> Vec<Damage> {
        let read = self.read.get().and_then(|read| read.as_ref().ok());
        read.map(|notebook| notebook.damage().to_vec())
            .unwrap_or_default()
    }

    /// Returns a handle that records if it's used.
    fn recorded(&self) -> Self {
        Self {
            was_asked: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the digest of the content visible to steps, or `None` if the notebook can't be read.
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

    /// True if the notebook may be read.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.file.is_enabled()
    }

    /// Returns the notebook in the state of its first read.
    ///
    /// # Errors
    /// Returns the reason if the notebook cannot be read.
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
