//! Adopts a notebook after its repository was moved.
//!
//! We copy the notebook and its history for the new owner, and leave the source unchanged. Adoption
//! is automatic only if it's certain: this repository has no notebook, its git folder is the same
//! as before (inode and birth time), and the former location no longer exists. Equal first commits
//! alone prove nothing, since every clone of a template shares them. In that case, a message names
//! the command that adopts the notebook. Trust is never adopted.

use std::path::Path;

use windlass_base::NextAction;
use windlass_repo::Owner;
use windlass_site::Error;

use super::NotebookDesk;
use crate::{EditMode, NotebookChange, NotebookError, Relative};

impl NotebookDesk {
    /// Adopts the notebook of the repository at `from`. Without `from`, adopts the only notebook
    /// belonging to a repository with the same first commits. The source is not changed. Its
    /// runbooks are not trusted here.
    ///
    /// # Errors
    /// Returns an error if no such notebook or more than one exists, or if this repository already
    /// has a notebook.
    pub(crate) fn adopt_from(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        let relatives = self.file().relatives()?;
        let is_meant = |relative: &&Relative| {
            // A candidate's location is its `.git` folder, but users name the parent folder.
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

    /// Adopts the notebook from a former location if this repository was certainly moved from
    /// there. Reports the result to the user.
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

    /// Tells the user about notebooks of repositories with the same first commits, if this one has
    /// no notebook. It may be a clone, or it may have been moved to another disk. Finding out
    /// requires running git.
    pub(crate) fn mention_relatives(&self) {
        /// Maximum number of locations named in the message.
        const MAX_NAMED: usize = 3;
        let file = self.file();
        if !file.is_enabled() || file.path().exists() {
            return;
        }
        let relatives = file.relatives().unwrap_or_default();
        let Some(first) = relatives.first() else {
            return;
        };
        let named = places(relatives.iter().take(MAX_NAMED)).join(", ");
        let more = match relatives.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
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
            "this repository has no notebook, but {named}{more}, with the same first commits, has one{take}"
        ));
    }

    fn adopt(&self, relative: &Relative, mode: EditMode) -> Result<NotebookChange, Error> {
        let edited = self.file().adopt(&self.writer(), mode, relative)?;
        self.pinned.forget();
        Ok(NotebookChange::new(
            edited.before,
            edited.revision,
            edited.changes,
            mode,
        ))
    }
}

/// Returns the location as the user knows it: for a `.git` folder, its parent.
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
