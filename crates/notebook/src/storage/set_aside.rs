//! Damaged notebooks, moved aside next to the new notebook.

use windlass_store::{RootedPath, files_in, have_same_bytes, keep_file, read_versioned};

use super::damage::{Damage, DamageState};
use super::notebook_document::SCHEMA_VERSION;
use super::notebook_limits::MAX_BYTES;
use super::notebook_place::NotebookPlace;
use super::salvage::salvage;
use crate::NotebookError;

/// First part of the name of a damaged notebook's file.
const SET_ASIDE: &str = "notebook.damaged-";

impl NotebookPlace {
    /// Copies the notebook file under another name before a rewrite.
    ///
    /// If an earlier attempt was interrupted, it has left a copy, which we use again. Each failed
    /// change would leave another copy otherwise.
    pub(super) fn put_aside(&self) -> Result<Damage, NotebookError> {
        let mut number = 1_u32;
        loop {
            let place = self
                .place
                .with_file_name(format!("{SET_ASIDE}{number}.json"));
            match keep_file(&self.place, &place) {
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

    /// Finds the damaged notebooks that were moved aside. They are parsed again each time, so that
    /// the user keeps being told what was lost until the file is removed.
    pub(super) fn set_aside(&self) -> Vec<Damage> {
        let Some(folder) = self.place.parent() else {
            return Vec::new();
        };
        let is_ours = |name: &str| name.starts_with(SET_ASIDE);
        let files = files_in(&folder, is_ours).unwrap_or_default().into_iter();
        files.map(|file| set_aside(&file.place)).collect()
    }
}

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
