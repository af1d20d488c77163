//! Builds, shows, compares, rebuilds and merges context packs.

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

/// The result of a build.
#[derive(Debug)]
pub struct BuiltPack {
    /// The whole pack, before cutting it to the budget.
    pub pack: ContextPack,
    /// A view of the pack that fits the budget.
    pub printed: PrintedPack,
    /// Reason why the pack couldn't be stored, or `None` if it was.
    pub not_kept: Option<String>,
}

/// A request to show a pack.
#[derive(Debug, Clone)]
pub struct ShowPack {
    /// The pack to show: an id, the beginning of one, `last`, or a file.
    pub name: String,
    /// Folder for resolving relative paths.
    pub start: PathBuf,
    /// The output's format and budget.
    pub view: PackView,
}

/// A repository's context packs.
#[derive(Debug, Clone)]
pub struct PackService {
    shelf: NamedPacks,
}

impl PackService {
    /// Opens the packs of the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            shelf: NamedPacks::new(site),
        }
    }

    pub(crate) fn site(&self) -> &Site {
        self.shelf.site()
    }

    /// Builds a pack, stores it, and prints the parts that fit the budget of `view`.
    ///
    /// # Errors
    /// Returns an error if a named document, file or pack is missing or unreadable, or if the
    /// budget is too small for the mandatory parts.
    pub fn build(&self, request: &BuildPack, view: PackView) -> Result<BuiltPack, Error> {
        let site = self.site();
        let pack = self.compose(request, &site.snapshot(), site.cancel());
        // If the call was cancelled, the pack is incomplete and must not be stored.
        site.go_on()?;
        let pack = pack?;
        let outside = results_outside(site, &pack, request);
        let not_kept = self.shelf.kept().keep(&pack, outside);
        let not_kept = not_kept.err().map(|error| error.to_string());
        let printed = self.print_whole(&pack, view, not_kept.is_none())?;
        Ok(BuiltPack {
            pack,
            printed,
            not_kept,
        })
    }

    /// Builds a pack without storing it.
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

    /// Prints the parts of a whole pack that fit the budget. If the pack `is_kept`, also names the
    /// command for showing more.
    ///
    /// # Errors
    /// Returns an error if the mandatory parts do not fit.
    pub fn print_whole(
        &self,
        pack: &ContextPack,
        view: PackView,
        is_kept: bool,
    ) -> Result<PrintedPack, Error> {
        if !is_kept {
            return self.print(pack, view, Vec::new());
        }
        let more =
            NextAction::new("pack show", "see more of it").positional(pack.pack_id.to_string());
        self.print_cut(pack, view, more)
    }

    /// Prints the parts of `pack` that fit the budget, with `actions` as next steps. The pack may
    /// be a shortened view.
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

    /// Prints a pack like [`Self::print`], with `more` as the next step if some parts don't fit.
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

    /// Prints the parts of a stored pack, or of one in a file, that fit the budget.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, it cannot be read, or the budget is too small.
    pub fn show(&self, request: &ShowPack) -> Result<PrintedPack, Error> {
        let pack = self.to_show(&request.name, &request.start)?;
        self.print(&pack, request.view, Vec::new())
    }

    /// Returns the pack called `name`: the whole pack if it's stored, or else the view in the file.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, or it cannot be read.
    pub fn to_show(&self, name: &str, start: &Path) -> Result<ContextPack, Error> {
        let snapshot = self.site().snapshot();
        match self.shelf.find_whole(name, start, &snapshot) {
            // The whole pack isn't stored, so use the view.
            Err(error) if is_not_whole(&error) => self.shelf.find(name, start, &snapshot),
            found => found,
        }
    }

    /// Compares two packs part by part.
    ///
    /// # Errors
    /// Returns an error if a pack is missing or cannot be read.
    pub fn diff(&self, old: &str, new: &str, start: &Path) -> Result<PackDiff, Error> {
        let snapshot = self.site().snapshot();
        let old = self.shelf.find_whole(old, start, &snapshot)?;
        let new = self.shelf.find_whole(new, start, &snapshot)?;
        Ok(diff(&old, &new))
    }

    /// Builds a pack again from the recorded origins of its parts.
    ///
    /// # Errors
    /// Returns an error if there is no such pack, or the call was cancelled.
    pub fn rebuild(&self, name: &str, start: &Path) -> Result<RebuiltPack, Error> {
        rebuild_pack(&self.shelf, name, start)
    }

    /// Merges packs and stores the result.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or is not whole, or the join waits for more inputs.
    pub fn merge(&self, request: &MergePacks) -> Result<MergedPacks, Error> {
        PackJoin::new(&self.shelf).merge(request)
    }

    /// Stores `pack` under its id. The pack must be sealed.
    ///
    /// # Errors
    /// Returns an error if it is too large or cannot be written.
    pub fn keep(&self, pack: &ContextPack) -> Result<(), Error> {
        self.shelf.kept().keep(pack, OutsideResults::default())
    }

    /// Returns the newest `limit` stored packs, newest first.
    ///
    /// # Errors
    /// Returns an error if the stored packs cannot be listed.
    pub fn newest(&self, limit: usize) -> Result<Vec<ContextPack>, Error> {
        self.shelf.kept().newest(limit)
    }

    /// Returns the stored pack `id`, or `None` unless it's intact and belongs to this repository.
    ///
    /// # Errors
    /// Returns an error if there is no state folder.
    pub fn kept(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        self.shelf.kept().pack(id)
    }
}

/// Returns the locations of requested results outside of the repository.
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
