//! Adopts a notebook after its repository was moved.
//!
//! A notebook is stored under a fingerprint of its repository's path, so we do not find it any more
//! once the repository has moved. We then copy the notebook and its history for the new owner, and
//! leave the source as it is.
//!
//! Automatic adoption requires certainty. This repository must not have a notebook, its git folder
//! must be the same as before (by inode and birth time), and the former location must no longer
//! exist. Equal first commits alone do not prove anything, because all clones of a template share
//! them. In that case, we only tell the user which command adopts the notebook. Trust is never
//! adopted.

use std::path::Path;

use windlass_base::{NextAction, first_names};
use windlass_repo::Owner;
use windlass_site::Error;

use super::NotebookDesk;
use crate::{EditMode, NotebookChange, NotebookError, Relative};

impl NotebookDesk {
    /// Adopts the notebook of the repository at `from`.
    ///
    /// Without `from`, this adopts the only notebook of a repository with the same first commits.
    /// The source stays as it is, and its runbooks are not trusted here.
    ///
    /// # Errors
    /// Returns an error if no notebook or more than one qualifies, or if this repository already
    /// has a notebook.
    pub(crate) fn adopt_from(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        let relatives = self.file().relatives()?;
        let is_meant = |relative: &&Relative| {
            // Users name the folder of the working tree, but a candidate's location is its `.git`
            // folder.
            from.is_none_or(|from| relative.place == from || relative.place.parent() == Some(from))
        };
        let meant: Vec<&Relative> = relatives.iter().filter(is_meant).collect();
        match &meant[..] {
            [only] => {
                let change = self.adopt(only, mode)?;
                Ok((home_of(only), change))
            }
            [] if relatives.is_empty() && Owner::of(self.site.repo(), None).lineage.is_empty() => {
                Err(NotebookError::UnknownLineage.into())
            }
            [] => Err(NotebookError::NothingToAdopt(places(&relatives)).into()),
            _ => Err(NotebookError::SeveralToAdopt(places(meant.iter().copied())).into()),
        }
    }

    /// Adopts the notebook from this repository's former location and tells the user, provided that
    /// the repository was certainly moved. Errors are only reported, because the command at hand
    /// can usually go on without a notebook.
    pub fn adopt_if_moved(&self) {
        let file = self.file();
        if !file.is_enabled() || file.path().exists() {
            return;
        }
        let Ok(places_before) = file.moved_from() else {
            return;
        };
        match &places_before[..] {
            [] => {}
            [only] => {
                let place = home_of(only);
                self.site.note_trouble(match self.adopt(only, EditMode::Write) {
                    Ok(_) => format!(
                        "adopted the notebook of `{place}`, which no longer exists; \
                         its trust does not apply here: trust each runbook again"
                    ),
                    Err(error) => format!("cannot adopt the notebook of `{place}`, which no longer exists: {error}"),
                });
            }
            several => self.site.note_trouble(format!(
                "several notebooks of places that no longer exist can be adopted: {}; \
                 `windlass notebook adopt --repo DIR` adopts one of them",
                places(several).join(", ")
            )),
        }
    }

    /// If this repository has no notebook, tells the user about those of repositories with the same
    /// first commits.
    ///
    /// This repository may be a clone, or have been moved to another disk, so it is up to the user.
    /// Unlike [`NotebookDesk::adopt_if_moved`], this has to run git.
    pub(crate) fn mention_relatives(&self) {
        const MAX_NAMED: usize = 3;
        let file = self.file();
        if !file.is_enabled() || file.path().exists() {
            return;
        }
        let relatives = file.relatives().unwrap_or_default();
        let Some(first) = relatives.first() else {
            return;
        };
        let named = first_names(places(&relatives), MAX_NAMED, " and ");
        let call = NextAction::new("notebook adopt", "")
            .option("repo", home_of(first))
            .for_caller(self.site.caller());
        let take = call.map_or(String::new(), |call| {
            format!(
                ": `{}` adopts it, if this is the same repository",
                call.written_out()
            )
        });
        self.site.note_trouble(format!(
            "this repository has no notebook, but {named}, with the same first commits, has one{take}"
        ));
    }

    fn adopt(&self, relative: &Relative, mode: EditMode) -> Result<NotebookChange, Error> {
        let edited = self.file().adopt(&self.writer(), mode, relative)?;
        // The runbooks that were read before are those of the missing notebook.
        self.pinned.forget();
        Ok(NotebookChange::new(
            edited.before,
            edited.revision,
            edited.changes,
            mode,
        ))
    }
}

/// The location as the user knows it: the working tree, if the location is its `.git` folder.
fn home_of(relative: &Relative) -> String {
    let place = &relative.place;
    let is_git = place.file_name().is_some_and(|name| name == ".git");
    let home = place.parent().filter(|_| is_git).unwrap_or(place);
    home.display().to_string()
}

fn places<'a>(relatives: impl IntoIterator<Item = &'a Relative>) -> Vec<String> {
    let homes = relatives.into_iter().map(home_of);
    homes.map(|home| format!("`{home}`")).collect()
}
