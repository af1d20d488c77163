//! Deals with the revisions of another repository in our history.
//!
//! If a repository is deleted and another one is created at the same location, the two may share an
//! ID and thus a folder.

use std::path::PathBuf;

use windlass_repo::Owner;
use windlass_store::{keep_file, remove_file};

use super::damage::{Damage, DamageState};
use super::notebook_place::NotebookPlace;
use super::superseded::{History, Snapshot};
use crate::NotebookError;

/// First part of the name of a folder with another repository's revisions.
const SET_ASIDE: &str = "history.of-another-";

pub(super) struct ByOwner {
    /// This repository's revisions. If we cannot read the owner of a revision, it is assumed to be
    /// ours.
    pub(super) own: Vec<Snapshot>,
    pub(super) foreign: Vec<Snapshot>,
}

impl NotebookPlace {
    pub(super) fn history_by_owner(&self) -> Result<ByOwner, NotebookError> {
        let mut sorted = ByOwner {
            own: Vec::new(),
            foreign: Vec::new(),
        };
        // The check may have to start git. Most revisions have the same owner, so remember the
        // result.
        let mut verdict: Option<(Owner, bool)> = None;
        for snapshot in History::of(&self.place).snapshots()? {
            let is_own = match (Self::owner_of(&snapshot.place), &verdict) {
                (None, _) => true,
                (Some(owner), Some((known, is_own))) if owner == *known => *is_own,
                (Some(owner), _) => {
                    let is_own = self.check_owner(&owner).is_ok();
                    verdict = Some((owner, is_own));
                    is_own
                }
            };
            let list = if is_own {
                &mut sorted.own
            } else {
                &mut sorted.foreign
            };
            list.push(snapshot);
        }
        Ok(sorted)
    }

    /// Moves another repository's revisions out of the history, because their numbers would collide
    /// with those of a new notebook.
    pub(super) fn set_strangers_aside(&self) -> Result<Option<Damage>, NotebookError> {
        let foreign = self.history_by_owner()?.foreign;
        if foreign.is_empty() {
            return Ok(None);
        }
        let mut number = 1_u32;
        let folder = loop {
            let folder = self.place.with_file_name(format!("{SET_ASIDE}{number}"));
            if !folder.is_there() {
                break folder;
            }
            number += 1;
        };
        for snapshot in foreign {
            let Some(name) = snapshot.place.file_name() else {
                continue;
            };
            keep_file(&snapshot.place, &folder.join(name))?;
            remove_file(&snapshot.place)?;
        }
        Ok(Some(of_another(folder.path().to_owned())))
    }
}

pub(super) fn of_another(path: PathBuf) -> Damage {
    Damage {
        path,
        lost: Vec::new(),
        state: DamageState::OfAnother,
    }
}
