use std::path::{Path, PathBuf};

use windlass_context::{ContextPack, PackDiff, diff};

use super::{PackView, PrintedPack};
use crate::context::error::is_not_whole;
use crate::{Error, Workspace};

/// Which pack is shown, and how.
#[derive(Debug, Clone)]
pub struct ShowPack {
    /// Its id, the beginning of it, `last`, or a file.
    pub name: String,
    /// The folder that relative paths are meant from.
    pub start: PathBuf,
    /// How it is shown.
    pub view: PackView,
}

impl Workspace {
    /// Shows a pack: what fits of all that is kept of it.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or the budget is too small.
    pub fn show_pack(&self, request: &ShowPack) -> Result<PrintedPack, Error> {
        let pack = self.pack_to_show(&request.name, &request.start)?;
        self.print_pack(&pack, request.view, Vec::new())
    }

    /// The pack called `name`: all that is kept of it, or what there is of it.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn pack_to_show(&self, name: &str, start: &Path) -> Result<ContextPack, Error> {
        let snapshot = self.snapshot();
        match self.find_whole_pack(name, start, &snapshot) {
            // What was shown of it is better than nothing.
            Err(error) if is_not_whole(&error) => self.find_pack(name, start, &snapshot),
            found => found,
        }
    }

    /// What differs between two packs, part by part.
    ///
    /// # Errors
    /// When one is not there, or cannot be read.
    pub fn diff_packs(&self, old: &str, new: &str, start: &Path) -> Result<PackDiff, Error> {
        let snapshot = self.snapshot();
        let old = self.find_whole_pack(old, start, &snapshot)?;
        let new = self.find_whole_pack(new, start, &snapshot)?;
        Ok(diff(&old, &new))
    }
}
