//! The front door of context packs: they are built, shown, compared, rebuilt and joined here.

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

/// A pack that was put together.
#[derive(Debug)]
pub struct BuiltPack {
    /// All of it.
    pub pack: ContextPack,
    /// What is printed of it.
    pub printed: PrintedPack,
    /// Why it is not kept, where it is not.
    pub not_kept: Option<String>,
}

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

/// The context packs of a repository.
#[derive(Debug, Clone)]
pub struct PackService {
    shelf: NamedPacks,
}

impl PackService {
    /// Those of the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            shelf: NamedPacks::new(site),
        }
    }

    /// The repository.
    pub(crate) fn site(&self) -> &Site {
        self.shelf.site()
    }

    /// Puts a pack together, keeps all of it, and prints what fits.
    ///
    /// # Errors
    /// When something that was named is not there or cannot be read, or the budget is too small for what is always shown.
    pub fn build(&self, request: &BuildPack, view: PackView) -> Result<BuiltPack, Error> {
        let site = self.site();
        let pack = self.compose(request, &site.snapshot(), site.cancel());
        // Half a pack is none, and is not kept.
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

    /// Puts a pack together, and does not keep it.
    ///
    /// # Errors
    /// When something that was named is not there or cannot be read.
    pub fn compose(
        &self,
        request: &BuildPack,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<ContextPack, Error> {
        compose_pack((self.site(), &self.shelf), request, snapshot, cancel)
    }

    /// Prints what fits of a pack that is whole, and, if it `is_kept`, how to see more of it.
    ///
    /// # Errors
    /// When what is always shown does not fit.
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

    /// Prints what fits of `pack`, which is whole or a view already, with `actions` as what to do next.
    ///
    /// # Errors
    /// When what is always shown does not fit.
    pub fn print(
        &self,
        pack: &ContextPack,
        view: PackView,
        actions: Vec<NextAction>,
    ) -> Result<PrintedPack, Error> {
        Ok(view.print(pack, actions, self.site().caller())?)
    }

    /// The same, with `more` as what to do next where not all of it fits.
    ///
    /// # Errors
    /// As [`PackService::print`].
    pub fn print_cut(
        &self,
        pack: &ContextPack,
        view: PackView,
        more: NextAction,
    ) -> Result<PrintedPack, Error> {
        Ok(view.print_cut(pack, more, self.site().caller())?)
    }

    /// Shows a pack: what fits of all that is kept of it.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or the budget is too small.
    pub fn show(&self, request: &ShowPack) -> Result<PrintedPack, Error> {
        let pack = self.to_show(&request.name, &request.start)?;
        self.print(&pack, request.view, Vec::new())
    }

    /// The pack called `name`: all that is kept of it, or what there is of it.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn to_show(&self, name: &str, start: &Path) -> Result<ContextPack, Error> {
        let snapshot = self.site().snapshot();
        match self.shelf.find_whole(name, start, &snapshot) {
            // What was shown of it is better than nothing.
            Err(error) if is_not_whole(&error) => self.shelf.find(name, start, &snapshot),
            found => found,
        }
    }

    /// What differs between two packs, part by part.
    ///
    /// # Errors
    /// When one is not there, or cannot be read.
    pub fn diff(&self, old: &str, new: &str, start: &Path) -> Result<PackDiff, Error> {
        let snapshot = self.site().snapshot();
        let old = self.shelf.find_whole(old, start, &snapshot)?;
        let new = self.shelf.find_whole(new, start, &snapshot)?;
        Ok(diff(&old, &new))
    }

    /// Makes a pack anew from where its parts come from.
    ///
    /// # Errors
    /// When there is no such pack, or nobody waits for the answer any more.
    pub fn rebuild(&self, name: &str, start: &Path) -> Result<RebuiltPack, Error> {
        rebuild_pack(&self.shelf, name, start)
    }

    /// Joins packs, keeps the pack they make, and says what is in it.
    ///
    /// # Errors
    /// When one cannot be read or is not whole, or the join waits for more.
    pub fn merge(&self, request: &MergePacks) -> Result<MergedPacks, Error> {
        PackJoin::new(&self.shelf).merge(request)
    }

    /// Keeps `pack`, which is sealed, under its name.
    ///
    /// # Errors
    /// When it is too large, or cannot be written.
    pub fn keep(&self, pack: &ContextPack) -> Result<(), Error> {
        self.shelf.kept().keep(pack, OutsideResults::default())
    }

    /// Returns the newest `limit` stored packs, the newest first.
    ///
    /// # Errors
    /// If the stored packs cannot be listed.
    pub fn newest(&self, limit: usize) -> Result<Vec<ContextPack>, Error> {
        self.shelf.kept().newest(limit)
    }

    /// The pack that is kept under `id`, if it is there, whole, and of this repository.
    ///
    /// # Errors
    /// When there is no folder to keep things in.
    pub fn kept(&self, id: PackId) -> Result<Option<ContextPack>, Error> {
        self.shelf.kept().pack(id)
    }
}

/// Where the results are that `request` names outside of the repository.
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
