//! Damaged notebooks that were moved aside and are kept next to the new notebook.

use windlass_store::{RootedPath, files_in, have_same_bytes, read_versioned};

use super::damage::{Damage, DamageState};
use super::notebook_document::SCHEMA_VERSION;
use super::notebook_limits::MAX_BYTES;
use super::notebook_place::NotebookPlace;
use super::salvage::salvage;
use crate::NotebookError;

/// Start of the file name of a notebook moved aside.
const SET_ASIDE: &str = "notebook.damaged-";

impl NotebookPlace {
    /// Copies the notebook file under another name before it's rewritten, or reuses a copy left by
    /// an interrupted attempt. Otherwise, each failed change would leave another copy.
    pub(super) fn put_aside(&self) -> Result<Damage, NotebookError> {
        let mut number = 1_u32;
        loop {
            let place = self
                .place
                .with_file_name(format!("{SET_ASIDE}{number}.json"));
            match self.disk.keep(&self.place, &place) {
                Ok(()) => return Ok(set_aside(&place)),
                Err(error) if error.is_taken() => {
                    if have_same_bytes(&self.place, &place)? {
                        return Ok(set_aside(&place));
                    }
                    number += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the damaged notebooks that were moved aside.
    pub(super) fn set_aside(&self) -> Vec<Damage> {
        let Some(folder) = self.place.parent() else {
            return Vec::new();
        };
        let is_ours = |name: &str| name.starts_with(SET_ASIDE);
        let files = files_in(&folder, is_ours).unwrap_or_default().into_iter();
        files.map(|file| set_aside(&file.place)).collect()
    }
}

/// Describes the file at `place`, which was moved aside.
fn set_aside(place: &RootedPath) -> Damage {
    let text = read_versioned(place, SCHEMA_VERSION, MAX_BYTES);
    let text = text.ok().flatten();
    let salvaged = text.as_deref().and_then(salvage);
    Damage {
        lost: salvaged.map(|salvaged| salvaged.lost).unwrap_or_default(),
        path: place.path().to_owned(),
        state: DamageState::SetAside,
    }
}
