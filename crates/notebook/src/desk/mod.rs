//! Notebook of the current repository, as one job sees it.

mod adopt;
mod pinned_runbooks;

use std::path::Path;
use std::sync::Arc;

use windlass_site::{Error, Site};

use crate::{AnchorFreshness, Damage, Notebook, NotebookError, NotebookFile, SavedRunbook, Writer};

use self::pinned_runbooks::PinnedRunbooks;

/// Notebook of the current repository, as one job sees it.
#[derive(Debug, Clone)]
pub struct NotebookDesk {
    site: Site,
    pinned: PinnedRunbooks,
}

impl NotebookDesk {
    /// Creates the session for the repository of `site`.
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

    /// Returns the current repository.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the notebook of this repository; switched off if there is no data folder.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        let off = self.is_switched_off();
        let repo = Arc::new(self.site.repo().clone());
        match self.site.dirs() {
            Ok(dirs) => {
                NotebookFile::new(dirs.data.path(), repo, !off).waiting(self.site.lock_timeout())
            }
            Err(_) => NotebookFile::new(Path::new(""), repo, false),
        }
    }

    /// True if the user switched the notebook off.
    #[must_use]
    pub fn is_switched_off(&self) -> bool {
        self.site.environment().switches_off("WINDLASS_NOTEBOOK")
    }

    /// Returns the notebook, after adopting the one that a moved repository left behind.
    ///
    /// # Errors
    /// If the notebook is switched off, or there is no data folder.
    pub(crate) fn usable(&self) -> Result<NotebookFile, Error> {
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

    /// Reads the notebook and notes its damaged parts.
    ///
    /// # Errors
    /// If the notebook is switched off, or there is no data folder; see [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        let notebook = self.usable()?.read()?;
        self.mention_relatives();
        self.note_damage(notebook.damage());
        Ok(notebook)
    }

    /// Notes the damaged parts of the notebook.
    pub fn note_damage<'a>(&self, damage: impl IntoIterator<Item = &'a Damage>) {
        for damage in damage {
            self.site.note_trouble(damage.to_string());
        }
    }

    /// Returns a session that reads the runbooks of the notebook once and keeps them.
    #[must_use]
    pub fn with_one_state(&self) -> Self {
        Self::pinned(&self.site, self.pinned.or_once())
    }

    /// Returns a session in which `runbooks` replace the runbooks of the notebook.
    pub(crate) fn with_saved(&self, runbooks: Vec<SavedRunbook>) -> Self {
        Self::pinned(&self.site, PinnedRunbooks::of(runbooks))
    }

    /// Returns the runbooks of the notebook. An unreadable notebook counts as empty, with a note: runbooks of
    /// the repository still work.
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

    /// Returns the author and time of the next change.
    pub(crate) fn writer(&self) -> Writer {
        let environment = self.site.environment();
        Writer {
            holder: environment.holder.clone(),
            by: self.site.actor(),
            at: environment.timestamp(),
            now: Some(environment.now()),
        }
    }

    /// Returns the repository state for anchors captured now.
    #[must_use]
    pub fn freshness(&self) -> AnchorFreshness {
        AnchorFreshness {
            captured_at: self.site.environment().timestamp(),
            git_head: self.git_head(),
        }
    }

    /// Returns the checked-out commit, if there is one.
    fn git_head(&self) -> Option<String> {
        self.site.repo().git().ok()?.revisions().head().ok()?.commit
    }
}
