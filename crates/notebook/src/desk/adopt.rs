//! Taking over the notebook of another place, which may be this one.

use std::path::Path;

use windlass_base::NextAction;
use windlass_repo::Owner;
use windlass_site::Error;

use super::NotebookDesk;
use crate::{EditMode, NotebookChange, NotebookError, Relative};

impl NotebookDesk {
    /// Takes over the notebook of the repository at `from`, or the only one there is that this one was moved or
    /// cloned from. That notebook is left as it is; what was trusted there is not trusted here.
    ///
    /// # Errors
    /// When there is no such notebook, there are several, or this repository has one.
    pub(crate) fn adopt_from(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        let relatives = self.file().relatives()?;
        let is_meant = |relative: &&Relative| {
            // The folder of git lies inside of what people call the repository.
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

    /// Takes over the notebook of the place that this repository was moved from, as far as that is proven. Whether that
    /// was done is noted.
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
                        "the notebook of `{place}`, which is no longer there, is now the notebook of this repository; \
                         what was trusted there is to be trusted anew"
                    ),
                    Err(error) => format!("the notebook of `{place}`, which is no longer there, cannot be used: {error}"),
                });
            }
            several => self.site.note_trouble(format!(
                "the notebooks of several places that are no longer there may be meant: {}; \
                 `windlass notebook adopt --from PLACE` takes over one of them",
                places(several).join(", ")
            )),
        }
    }

    /// Notes that there are notebooks of repositories with the same first commits, where this one has none: it may be a
    /// clone, or have been moved to another disk. Git is asked for that.
    pub(crate) fn mention_relatives(&self) {
        /// As many are named.
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
            .option("from", home_of(first))
            .for_caller(self.site.caller());
        let take = call.map_or(String::new(), |call| {
            format!(
                ": `{}` takes it over, if this is the same work",
                call.written_out()
            )
        });
        self.site.note_trouble(format!(
            "this repository has no notebook; there is one of {named}{more}, with the same first commits{take}"
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

/// What people call the place of a repository: git's folder lies inside of it.
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
