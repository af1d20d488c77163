//! The services used by built-in steps, which the caller of a run provides.
//!
//! To reuse the output of a step in a later run, we have to know everything that the output depends
//! on. So each attempt gets a copy of the services that records what it reads
//! ([`Services::recorded`]). Afterwards, [`Services::basis`] returns the record, and a later run
//! checks with [`Services::still_hold`] if all of it is unchanged.

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

/// Services shared by all steps of a run. Cloning is cheap.
#[derive(Clone)]
pub struct Services {
    /// The files of the repository, in one state for the whole run.
    pub snapshot: Snapshot,
    /// The notebook, in one state for the whole run.
    pub notebook: SharedNotebook,
    /// Permission to start processes.
    pub commands: CommandPermission,
    /// Environment variables that processes may inherit. Each step names the ones it wants.
    pub environment: Arc<BTreeMap<String, OsString>>,
    /// Variables to set for every process, in addition to the inherited ones.
    pub given: Arc<BTreeMap<String, OsString>>,
    /// Loads and runs nested runbooks for the `runbook` step.
    pub runbooks: Arc<dyn NestedRunbooks>,
    /// Builds context packs for the `pack` step.
    pub packs: Arc<dyn ContextPacks>,
    /// Program lookups, cached for the whole run.
    pub programs: Arc<ProgramPaths>,
    /// States of everything besides the repository and the notebook.
    pub states: Arc<dyn OtherStates>,
    /// Set if a nested runbook with `freshness: strict` reported fresh evidence. If it turns out
    /// that files changed during the run, that report was wrong.
    pub strict_inside: Arc<AtomicBool>,
}

impl Services {
    /// Returns services for a single attempt, which record its reads for [`basis`](Self::basis).
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            snapshot: self.snapshot.recorded(),
            notebook: self.notebook.recorded(),
            ..self.clone()
        }
    }

    /// Returns everything that an attempt has read so far. Only call this on the result of
    /// [`Services::recorded`].
    #[must_use]
    pub fn basis(&self) -> Basis {
        let notebook = self.notebook.was_asked.load(Ordering::Relaxed);
        let digest = notebook.then(|| self.notebook.digest());
        match (self.snapshot.own_reads(), digest) {
            // A read without a comparable answer, or a notebook that can't be read. A later run
            // couldn't tell if that has changed.
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

    /// Returns true if everything in `basis` is unchanged, so that outputs computed from it can be
    /// reused.
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

/// The state of other things that an output may depend on, e.g. plugins.
pub trait OtherStates: Send + Sync {
    /// Returns the current state of `name`, which is a key in [`Basis::Known`]. If this is `None`,
    /// outputs that depend on it can't be reused.
    fn state(&self, name: &str) -> Option<Digest>;
}

/// For runs in which steps only depend on the repository and the notebook.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOtherStates;

impl OtherStates for NoOtherStates {
    fn state(&self, _: &str) -> Option<Digest> {
        None
    }
}

/// The key of the notebook in a [`Basis`].
pub(crate) const NOTEBOOK: &str = "notebook";

/// The notebook in the state of its first read, which all clones share.
#[derive(Debug, Clone)]
pub struct SharedNotebook {
    file: NotebookFile,
    read: Arc<OnceLock<Result<Arc<Notebook>, String>>>,
    digest: Arc<OnceLock<Option<Digest>>>,
    /// Set once this very handle is used to read the notebook. Reads through a clone don't count.
    was_asked: Arc<AtomicBool>,
}

impl SharedNotebook {
    /// Creates a handle without reading the notebook.
    #[must_use]
    pub fn new(file: NotebookFile) -> Self {
        Self {
            file,
            read: Arc::default(),
            digest: Arc::default(),
            was_asked: Arc::default(),
        }
    }

    /// Returns the damage found in the notebook. If no step has read it yet, we don't know of any.
    #[must_use]
    pub fn damage(&self) -> Vec<Damage> {
        let read = self.read.get().and_then(|read| read.as_ref().ok());
        read.map(|notebook| notebook.damage().to_vec())
            .unwrap_or_default()
    }

    fn recorded(&self) -> Self {
        Self {
            was_asked: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the digest of everything that steps can see, or `None` if the notebook can't be
    /// read. Unused parts may change without affecting it.
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

    /// Returns true if we may read the notebook.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.file.is_enabled()
    }

    /// Reads the notebook on first use. Later calls return the same state, even if the file has
    /// changed.
    ///
    /// # Errors
    /// Returns a message if the notebook can't be read.
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
