use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Caller, Cancel};
use windlass_notebook::{Damage, Notebook, NotebookError, NotebookFile, SavedRunbook, Writer};
use windlass_site::Site;

use crate::{Environment, Error};

/// The runbooks of the notebook; nothing before they are asked for.
type PinnedRunbooks = Mutex<Option<Arc<[SavedRunbook]>>>;

/// A repository, and what is kept about it.
#[derive(Debug, Clone)]
pub struct Workspace {
    site: Site,
    /// The runbooks of the notebook, where one state of them is to serve a whole job.
    saved: Option<Arc<PinnedRunbooks>>,
}

impl Deref for Workspace {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

impl Workspace {
    /// Opens the repository that `start` lies in.
    ///
    /// # Errors
    /// When there is no such folder, or its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::discover(start, environment)?))
    }

    /// Opens the repository whose root is `root`.
    ///
    /// # Errors
    /// As [`Workspace::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::open(root, environment)?))
    }

    fn of(site: Site) -> Self {
        Self { site, saved: None }
    }

    /// The repository at hand.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// See [`Site::called_with_root`].
    #[must_use]
    pub fn called_with_root(self, root: &str) -> Self {
        Self {
            site: self.site.called_with_root(root),
            ..self
        }
    }

    /// See [`Site::called_at_the_root`].
    #[must_use]
    pub fn called_at_the_root(self) -> Self {
        Self {
            site: self.site.called_at_the_root(),
            ..self
        }
    }

    /// See [`Site::called_by`].
    #[must_use]
    pub fn called_by(self, caller: Caller) -> Self {
        Self {
            site: self.site.called_by(caller),
            ..self
        }
    }

    /// See [`Site::confined`].
    #[must_use]
    pub fn confined(self) -> Self {
        Self {
            site: self.site.confined(),
            ..self
        }
    }

    /// See [`Site::starting_nothing`].
    #[must_use]
    pub fn starting_nothing(self) -> Self {
        Self {
            site: self.site.starting_nothing(),
            ..self
        }
    }

    /// See [`Site::stopped_by`].
    #[must_use]
    pub fn stopped_by(self, cancel: &Cancel) -> Self {
        Self {
            site: self.site.stopped_by(cancel),
            ..self
        }
    }

    /// The notebook of this repository. Where nothing can be kept it is switched off.
    #[must_use]
    pub fn notebook(&self) -> NotebookFile {
        let off = self.is_notebook_switched_off();
        let repo = Arc::new(self.repo().clone());
        match self.dirs() {
            Ok(dirs) => {
                NotebookFile::new(dirs.data.path(), repo, !off).waiting(self.lock_timeout())
            }
            Err(_) => NotebookFile::new(Path::new(""), repo, false),
        }
    }

    /// True if the user switched the notebook off.
    pub(crate) fn is_notebook_switched_off(&self) -> bool {
        self.environment().switches_off("WINDLASS_NOTEBOOK")
    }

    /// The same, for who has no use for one that is switched off; what a repository that moved here left behind is
    /// brought along first.
    ///
    /// # Errors
    /// When it is switched off, or there is no folder to keep it in.
    pub(crate) fn usable_notebook(&self) -> Result<NotebookFile, Error> {
        self.dirs()?;
        let notebook = self.notebook();
        match notebook.is_enabled() {
            true => {
                self.adopt_if_moved();
                Ok(notebook)
            }
            false => Err(NotebookError::SwitchedOff.into()),
        }
    }

    /// What of the notebook is used in this workspace, from its anchors to its runbooks. What cannot be used is
    /// noted.
    ///
    /// # Errors
    /// When it is switched off, or there is no folder to keep it in; see [`NotebookFile::read`].
    pub fn read_notebook(&self) -> Result<Notebook, Error> {
        let notebook = self.usable_notebook()?.read()?;
        self.mention_relatives();
        self.note_damage(notebook.damage());
        Ok(notebook)
    }

    pub(crate) fn note_damage<'a>(&self, damage: impl IntoIterator<Item = &'a Damage>) {
        for damage in damage {
            self.note_trouble(damage.to_string());
        }
    }

    /// The same, in which the runbooks of the notebook stay as they are when first asked for.
    pub(crate) fn with_one_notebook(&self) -> Self {
        let mut same = self.clone();
        same.saved.get_or_insert_default();
        same
    }

    /// The same, in which these are the runbooks of the notebook.
    pub(crate) fn with_saved(&self, runbooks: Vec<SavedRunbook>) -> Self {
        let saved = Mutex::new(Some(Arc::from(runbooks)));
        Self {
            saved: Some(Arc::new(saved)),
            ..self.clone()
        }
    }

    /// Lets the runbooks of the notebook be read anew, where they were read before there was one.
    pub(crate) fn forget_saved(&self) {
        if let Some(saved) = &self.saved {
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// The runbooks of the notebook. One that cannot be read has none for those who look for a runbook, which is
    /// noted: whatever they find instead is in the repository.
    pub(crate) fn saved_runbooks(&self) -> Arc<[SavedRunbook]> {
        let read = || match self.notebook().runbooks() {
            Ok(saved) => {
                self.note_damage(&saved.damage);
                Arc::from(saved.runbooks)
            }
            Err(error) => {
                self.note_trouble(format!("no runbook of the notebook can be used: {error}"));
                Arc::default()
            }
        };
        match &self.saved {
            Some(saved) => {
                let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(saved.get_or_insert_with(read))
            }
            None => read(),
        }
    }

    /// Who changes the notebook, and when.
    pub(crate) fn writer(&self) -> Writer {
        Writer {
            holder: self.environment().holder.clone(),
            by: self.environment().actor(),
            at: self.environment().timestamp(),
            now: Some(self.environment().now()),
        }
    }
}
