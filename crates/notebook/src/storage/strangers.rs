//! Superseded revisions that belong to another repository: the one that was in this place before.

use std::path::PathBuf;

use windlass_repo::Owner;

use super::damage::{Damage, DamageState};
use super::notebook_place::NotebookPlace;
use super::superseded::{History, Snapshot};
use crate::NotebookError;

/// What the name of a folder begins with that holds revisions of another repository.
const SET_ASIDE: &str = "history.of-another-";

/// Superseded revisions, the oldest first.
pub(super) struct ByOwner {
    /// Those of this repository, and those that say nothing of their owner.
    pub(super) own: Vec<Snapshot>,
    pub(super) foreign: Vec<Snapshot>,
}

impl NotebookPlace {
    /// The history, by whose it is.
    pub(super) fn history_by_owner(&self) -> Result<ByOwner, NotebookError> {
        let mut sorted = ByOwner {
            own: Vec::new(),
            foreign: Vec::new(),
        };
        // Most have the same owner, and git may have to be asked about it.
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

    /// Moves what belongs to another repository out of the history, which is about to begin anew.
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
            self.disk.keep(&snapshot.place, &folder.join(name))?;
            self.disk.remove(&snapshot.place)?;
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
