//! The operations on context packs: building, printing, comparing, merging and rebuilding them.
//!
//! A printed pack is often cut to a budget. We store the whole pack as well, so that a caller who
//! only has such a shortened view can still see the rest of it, compare it or merge it.

use std::path::{Path, PathBuf};

use windlass_base::{Cancel, NextAction};
use windlass_packs::context::{
    ContextPack, OutsideResults, PackDiff, PackId, PackView, PrintedPack, Source, diff,
};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::compose::{BuildPack, compose_pack, shown_outside};
use crate::context_error::is_not_whole;
use crate::named_packs::NamedPacks;
use crate::pack_merging::{MergePacks, MergedPacks, PackJoin};
use crate::rebuild::{RebuiltPack, rebuild_pack};

/// A pack, and as much of it as the budget allows.
#[derive(Debug)]
pub struct BuiltPack {
    /// The whole pack, regardless of the budget.
    pub pack: ContextPack,
    /// The parts that fit the budget.
    pub printed: PrintedPack,
    /// Reason why the pack could not be stored. `None` if it was.
    pub not_kept: Option<String>,
}

/// Names a pack and the way to print it.
#[derive(Debug, Clone)]
pub struct ShowPack {
    /// An ID, the beginning of one, `last`, or a file.
    pub name: String,
    /// Relative paths start here.
    pub start: PathBuf,
    /// Format and budget.
    pub view: PackView,
}

/// The context packs of one repository.
#[derive(Debug, Clone)]
pub struct PackService {
    shelf: NamedPacks,
}

impl PackService {
    /// Opens the packs of the repository of `site`. Nothing is read yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            shelf: NamedPacks::new(site),
        }
    }

    pub(crate) fn site(&self) -> &Site {
        self.shelf.site()
    }

    /// Builds a pack, stores it, and prints the parts that fit the budget of `view`. If we cannot
    /// store the pack, the caller still gets it, with the reason in `not_kept`.
    ///
    /// # Errors
    /// Returns an error if a named document, file or pack is missing or unreadable, or if the
    /// budget is too small for the mandatory parts.
    pub fn build(&self, request: &BuildPack, view: PackView) -> Result<BuiltPack, Error> {
        let site = self.site();
        let pack = self.compose(request, &site.snapshot(), site.cancel());
        // A cancelled call leaves an incomplete pack, which we mustn't store.
        site.go_on()?;
        let pack = pack?;
        let outside = results_outside(site, &pack, request);
        let not_kept = self.shelf.kept().keep(&pack, Some(outside));
        let not_kept = not_kept.err().map(|error| error.to_string());
        let printed = self.print_whole(&pack, view, not_kept.is_none())?;
        Ok(BuiltPack {
            pack,
            printed,
            not_kept,
        })
    }

    /// Builds a pack from `snapshot` without storing it.
    ///
    /// # Errors
    /// Returns an error if a named document, file or pack is missing or cannot be read.
    pub fn compose(
        &self,
        request: &BuildPack,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, Error> {
        compose_pack((self.site(), &self.shelf), request, snapshot, cancel)
    }

    /// Prints the parts of a whole pack that fit the budget. A stored pack (`is_kept`) comes with
    /// the command that shows more of it.
    ///
    /// # Errors
    /// Returns an error if the mandatory parts do not fit.
    pub fn print_whole(
        &self,
        pack: &ContextPack,
        view: PackView,
        is_kept: bool,
    ) -> Result<PrintedPack, Error> {
        // `pack show` wouldn't find a pack that isn't stored, so don't suggest it.
        if !is_kept {
            return self.print(pack, view, Vec::new());
        }
        let more =
            NextAction::new("pack show", "see more of it").positional(pack.pack_id.to_string());
        self.print_cut(pack, view, more)
    }

    /// Prints the parts that fit the budget, with `actions` as next steps. Unlike for
    /// [`Self::print_whole`], the pack may be a shortened view.
    ///
    /// # Errors
    /// Returns an error if the mandatory parts do not fit.
    pub fn print(
        &self,
        pack: &ContextPack,
        view: PackView,
        actions: Vec<NextAction>,
    ) -> Result<PrintedPack, Error> {
        Ok(view.print(pack, actions, self.site().caller())?)
    }

    /// Like [`Self::print`], but `more` only becomes the next step if some parts do not fit.
    ///
    /// # Errors
    /// Returns the same errors as [`PackService::print`].
    pub fn print_cut(
        &self,
        pack: &ContextPack,
        view: PackView,
        more: NextAction,
    ) -> Result<PrintedPack, Error> {
        Ok(view.print_cut(pack, more, self.site().caller())?)
    }

    /// Looks up the pack like [`Self::to_show`], and prints the parts that fit the budget.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, it cannot be read, or the budget is too small.
    pub fn show(&self, request: &ShowPack) -> Result<PrintedPack, Error> {
        let pack = self.to_show(&request.name, &request.start)?;
        self.print(&pack, request.view, Vec::new())
    }

    /// Finds the pack to show. If `name` is a file with a shortened view, we prefer the whole pack,
    /// but show the view if we do not have that.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, or it cannot be read.
    pub fn to_show(&self, name: &str, start: &Path) -> Result<ContextPack, Error> {
        let snapshot = self.site().snapshot();
        match self.shelf.find_whole(name, start, &snapshot) {
            Err(error) if is_not_whole(&error) => self.shelf.find(name, start, &snapshot),
            found => found,
        }
    }

    /// Compares two packs part by part. Shortened views will not do, because a part that was only
    /// left out would look like a removed one. So if an argument is such a view, its whole pack has
    /// to be stored.
    ///
    /// # Errors
    /// Returns an error if a pack is missing or cannot be read.
    pub fn diff(&self, old: &str, new: &str, start: &Path) -> Result<PackDiff, Error> {
        let snapshot = self.site().snapshot();
        let old = self.shelf.find_whole(old, start, &snapshot)?;
        let new = self.shelf.find_whole(new, start, &snapshot)?;
        Ok(diff(&old, &new))
    }

    /// Builds a pack again from the recorded origins of its parts. Nothing is stored, see
    /// [`Self::keep_rebuilt`].
    ///
    /// # Errors
    /// Returns an error if there is no such pack, or the call was cancelled.
    pub fn rebuild(&self, name: &str, start: &Path) -> Result<RebuiltPack, Error> {
        rebuild_pack(&self.shelf, name, start)
    }

    /// Merges packs and stores the result. As for [`Self::build`], a failure to store it is no
    /// error.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or is not whole, or the join waits for more
    /// inputs.
    pub fn merge(&self, request: &MergePacks) -> Result<MergedPacks, Error> {
        PackJoin::new(&self.shelf).merge(request)
    }

    /// Stores a pack that was composed here and is sealed.
    ///
    /// # Errors
    /// Returns an error if it is too large or cannot be written.
    pub fn keep(&self, pack: &ContextPack) -> Result<(), Error> {
        let outside = Some(OutsideResults::default());
        self.shelf.kept().keep(pack, outside)
    }

    /// Stores a rebuilt pack. Unlike with [`Self::keep`], it only counts as built here if the
    /// original was.
    ///
    /// # Errors
    /// Returns an error if it is too large or cannot be written.
    pub fn keep_rebuilt(&self, rebuilt: &RebuiltPack) -> Result<(), Error> {
        let outside = self.shelf.outside_of(rebuilt.pack_id);
        self.shelf.kept().keep(&rebuilt.pack, outside)
    }

    /// At most `limit` stored packs, newest first.
    ///
    /// # Errors
    /// Returns an error if the stored packs cannot be listed.
    pub fn newest(&self, limit: usize) -> Result<Vec<ContextPack>, Error> {
        self.shelf.kept().newest(limit)
    }

    /// Looks up a stored pack. `None` if it is altered, missing, or of another repository.
    ///
    /// # Errors
    /// Returns an error if there is no state folder.
    pub fn kept(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        self.shelf.kept().pack(id)
    }
}

/// Collects the locations of results from outside the repository. They are not part of the pack,
/// because sharing it would then reveal the author's folders. Results in the repository do not need
/// this, since the pack has their paths.
fn results_outside(site: &Site, pack: &ContextPack, request: &BuildPack) -> OutsideResults {
    let mut outside = OutsideResults::default();
    let items = pack.provenance.iter().flat_map(|it| &it.items);
    let sources: Vec<&Source> = items.map(|it| &it.source).collect();
    for name in &request.results {
        let path = request.start.join(name);
        if site.repo().path_of(&path).is_some() {
            continue;
        }
        let shown = shown_outside(name);
        let is_it = |it: &&&Source| it.outside && it.path.as_deref() == Some(&*shown);
        let place = std::path::absolute(&path).ok();
        if let (Some(place), Some(source)) = (place, sources.iter().find(is_it))
            && let Some(hash) = &source.hash
        {
            outside.note((&shown, hash), &place);
        }
    }
    outside
}
