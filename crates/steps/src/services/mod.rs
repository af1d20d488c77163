//! Services that the built-in steps work with.

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
    /// Variables that every process gets, whatever its step says.
    pub given: Arc<BTreeMap<String, OsString>>,
    /// The runbooks that the `runbook` step may run.
    pub runbooks: Arc<dyn NestedRunbooks>,
    /// Where the `pack` step puts packs together and keeps them.
    pub packs: Arc<dyn ContextPacks>,
    /// The programs that were found: one list for the whole run.
    pub programs: Arc<ProgramPaths>,
    /// What outputs rest on beside the repository and the notebook.
    pub states: Arc<dyn OtherStates>,
    /// Raised by each nested runbook that is strict and found its evidence standing: should that be in doubt at the
    /// end of the run, it was not.
    pub strict_inside: Arc<AtomicBool>,
}

impl Services {
    /// The same, for one attempt: what it asks for is noted.
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self {
            snapshot: self.snapshot.recorded(),
            notebook: self.notebook.recorded(),
            ..self.clone()
        }
    }

    /// What was asked for of services that are [`Services::recorded`].
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

    /// Whether what an output rests on is still the same.
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

/// The state of things that outputs rest on, and that kinds of steps which are not built in know of.
pub trait OtherStates: Send + Sync {
    /// The state of what is called `name`, as [`Basis::Known`] has it; `None` where nothing can be said.
    fn state(&self, name: &str) -> Option<Digest>;
}

/// Nothing is known but what is built in.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOtherStates;

impl OtherStates for NoOtherStates {
    fn state(&self, _: &str) -> Option<Digest> {
        None
    }
}

/// The notebook's name among the things that outputs rest on.
pub(crate) const NOTEBOOK: &str = "notebook";

/// A notebook that is read when first asked for, and then stays what it was. Cloning shares it.
#[derive(Debug, Clone)]
pub struct SharedNotebook {
    file: NotebookFile,
    read: Arc<OnceLock<Result<Arc<Notebook>, String>>>,
    digest: Arc<OnceLock<Option<Digest>>>,
    /// Whether it was asked for through this handle.
    was_asked: Arc<AtomicBool>,
}

impl SharedNotebook {
    /// The notebook in `file`, not read yet.
    #[must_use]
    pub fn new(file: NotebookFile) -> Self {
        Self {
            file,
            read: Arc::default(),
            digest: Arc::default(),
            was_asked: Arc::default(),
        }
    }

    /// What of it could not be used; nothing where nobody has asked for it.
    #[must_use]
    pub fn damage(&self) -> Vec<Damage> {
        let read = self.read.get().and_then(|read| read.as_ref().ok());
        read.map(|notebook| notebook.damage().to_vec())
            .unwrap_or_default()
    }

    /// The same notebook, through a handle that nobody has asked yet.
    fn recorded(&self) -> Self {
        Self {
            was_asked: Arc::default(),
            ..self.clone()
        }
    }

    /// The digest of what steps can know of it; `None` when it cannot be read.
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

    /// Whether it may be read.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.file.is_enabled()
    }

    /// The notebook as it was when it was first asked for.
    ///
    /// # Errors
    /// Why it cannot be read.
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
