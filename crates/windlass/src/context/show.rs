use std::path::{Path, PathBuf};

use windlass_context::{PackDiff, diff};

use super::{PackView, PrintedPack};
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
        let snapshot = self.snapshot();
        let pack = match self.find_whole_pack(&request.name, &request.start, &snapshot) {
            // What was shown of it is better than nothing.
            Err(Error::PackNotWhole { .. }) => {
                self.find_pack(&request.name, &request.start, &snapshot)?
            }
            found => found?,
        };
        self.print_pack(&pack, request.view, Vec::new())
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
