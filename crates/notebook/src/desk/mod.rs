//! The notebook of the repository at hand, as one job sees it.

mod adopt;
mod pinned_runbooks;

use std::path::Path;
use std::sync::Arc;

use windlass_site::{Error, Site};

use crate::{AnchorFreshness, Damage, Notebook, NotebookError, NotebookFile, SavedRunbook, Writer};

use self::pinned_runbooks::PinnedRunbooks;

/// The notebook of the repository at hand, as one job sees it.
#[derive(Debug, Clone)]
pub struct NotebookDesk {
    site: Site,
    pinned: PinnedRunbooks,
}

impl NotebookDesk {
    /// That of the repository of `site`.
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

    /// The repository at hand.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The notebook of this repository. Where nothing can be kept it is switched off.
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

    /// The same, for who has no use for one that is switched off; what a repository that moved here left behind is
    /// brought along first.
    ///
    /// # Errors
    /// When it is switched off, or there is no folder to keep it in.
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

    /// What of the notebook is used, from its anchors to its runbooks. What cannot be used is noted.
    ///
    /// # Errors
    /// When it is switched off, or there is no folder to keep it in; see [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        let notebook = self.usable()?.read()?;
        self.mention_relatives();
        self.note_damage(notebook.damage());
        Ok(notebook)
    }

    /// Notes what of the notebook cannot be used.
    pub fn note_damage<'a>(&self, damage: impl IntoIterator<Item = &'a Damage>) {
        for damage in damage {
            self.site.note_trouble(damage.to_string());
        }
    }

    /// The same, in which the runbooks of the notebook stay as they are when first asked for.
    #[must_use]
    pub fn with_one_state(&self) -> Self {
        Self::pinned(&self.site, self.pinned.or_once())
    }

    /// The same, in which these are the runbooks of the notebook.
    pub(crate) fn with_saved(&self, runbooks: Vec<SavedRunbook>) -> Self {
        Self::pinned(&self.site, PinnedRunbooks::of(runbooks))
    }

    /// The runbooks of the notebook. One that cannot be read has none for those who look for a runbook, which is
    /// noted: whatever they find instead is in the repository.
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

    /// Who changes the notebook, and when.
    pub(crate) fn writer(&self) -> Writer {
        let environment = self.site.environment();
        Writer {
            holder: environment.holder.clone(),
            by: environment.actor(),
            at: environment.timestamp(),
            now: Some(environment.now()),
        }
    }

    /// The state of the repository in which anchors are captured now.
    #[must_use]
    pub fn freshness(&self) -> AnchorFreshness {
        AnchorFreshness {
            captured_at: self.site.environment().timestamp(),
            git_head: self.git_head(),
        }
    }

    /// The commit that is checked out, where there is one.
    fn git_head(&self) -> Option<String> {
        self.site.repo().git().ok()?.revisions().head().ok()?.commit
    }
}
