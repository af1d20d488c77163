//! Gives a job, such as a command or a run, access to the notebook.

mod adopt;
mod pinned_runbooks;

use std::path::Path;
use std::sync::Arc;

use windlass_site::{Error, Site};

use crate::{AnchorFreshness, Damage, Notebook, NotebookError, NotebookFile, SavedRunbook, Writer};

use self::pinned_runbooks::PinnedRunbooks;

/// Access to the current repository's notebook for the duration of a job, such as a command or a
/// run.
///
/// While [`NotebookFile`] knows just the file, the desk also knows the environment: it honors
/// `WINDLASS_NOTEBOOK`, adopts the notebook after the repository was moved, and tells the user
/// about damage.
#[derive(Debug, Clone)]
pub struct NotebookDesk {
    site: Site,
    pinned: PinnedRunbooks,
}

impl NotebookDesk {
    /// Creates access to the notebook of the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self::pinned(site, PinnedRunbooks::default())
    }

    fn pinned(site: &Site, pinned: PinnedRunbooks) -> Self {
        Self {
            site: site.clone(),
            pinned,
        }
    }

    /// Returns the repository's site.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the notebook file.
    ///
    /// It's disabled if the user turned the notebook off, or if there's no data folder. Reading a
    /// disabled notebook yields an empty one.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        let off = self.is_switched_off();
        let repo = Arc::new(self.site.repo().clone());
        match self.site.dirs() {
            Ok(dirs) => {
                let file = NotebookFile::new(dirs.data.path(), repo, !off).on(self.site.disk());
                file.waiting(self.site.lock_request())
            }
            Err(_) => NotebookFile::new(Path::new(""), repo, false),
        }
    }

    /// Returns true if the user turned the notebook off.
    #[must_use]
    pub fn is_switched_off(&self) -> bool {
        self.site.environment().switches_off("WINDLASS_NOTEBOOK")
    }

    /// Returns the notebook file, unlike [`Self::file`] only if it's enabled. If the repository was
    /// moved, we adopt the notebook of the former location first.
    ///
    /// # Errors
    /// Returns an error if the notebook is turned off, or if there's no data folder.
    pub(crate) fn usable(&self) -> Result<NotebookFile, Error> {
        // The lack of a data folder has an error message of its own, so check this before the rest.
        self.site.dirs()?;
        let notebook = self.file();
        match notebook.is_enabled() {
            true => {
                self.adopt_if_moved();
                Ok(notebook)
            }
            false => Err(NotebookError::SwitchedOff.into()),
        }
    }

    /// Reads the notebook and reports damaged parts to the user.
    ///
    /// # Errors
    /// Returns an error if the notebook is turned off, if there's no data folder, or in the cases
    /// of [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        let notebook = self.usable()?.read()?;
        self.mention_relatives();
        self.note_damage(notebook.damage());
        Ok(notebook)
    }

    /// Reports damaged parts of the notebook to the user.
    pub fn note_damage<'a>(&self, damage: impl IntoIterator<Item = &'a Damage>) {
        for damage in damage {
            self.site.note_trouble(damage.to_string());
        }
    }

    /// Returns access that reads the notebook's runbooks only once. The whole job then uses the
    /// same ones, even if they are edited in the meantime.
    #[must_use]
    pub fn with_one_state(&self) -> Self {
        Self::pinned(&self.site, self.pinned.or_once())
    }

    /// Returns access with `runbooks` in place of the notebook's own, e.g. to check them before
    /// they are saved.
    pub(crate) fn with_saved(&self, runbooks: Vec<SavedRunbook>) -> Self {
        Self::pinned(&self.site, PinnedRunbooks::of(runbooks))
    }

    /// Returns the notebook's runbooks. If we can't read them, we warn the user and return none,
    /// because the runbooks in the repository are still usable.
    pub(crate) fn saved_runbooks(&self) -> Arc<[SavedRunbook]> {
        self.pinned.get_or(|| match self.file().runbooks() {
            Ok(saved) => {
                self.note_damage(&saved.damage);
                Arc::from(saved.runbooks)
            }
            Err(error) => {
                self.site
                    .note_trouble(format!("no runbook of the notebook can be used: {error}"));
                Arc::default()
            }
        })
    }

    pub(crate) fn writer(&self) -> Writer {
        let environment = self.site.environment();
        Writer {
            by: self.site.actor(),
            at: environment.timestamp(),
            now: Some(environment.now()),
        }
    }

    /// Returns the repository state to store with anchors captured now.
    #[must_use]
    pub fn freshness(&self) -> AnchorFreshness {
        AnchorFreshness {
            captured_at: self.site.environment().timestamp(),
            git_head: self.git_head(),
        }
    }

    fn git_head(&self) -> Option<String> {
        self.site.repo().git().ok()?.revisions().head().ok()?.commit
    }
}
