//! Looks up formulas on the search path.
//!
//! The search path consists of folders inside and outside of the repository. For the former, the
//! repository's own access checks apply. We read the latter directly, but a link or a relative path
//! must not lead from a trusted folder to a file elsewhere, since a formula could otherwise copy
//! private files into its steps.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, MAX_FILE_BYTES, Refusal, Snapshot, read_foreign_text};
use windlass_site::Site;
use windlass_store::RootedPath;

use super::FormulaError;
use super::packs::{FORMULAS, MANIFEST, imports, packs_in};
use super::search_path::{ENDINGS, Folder, stem};
use crate::{FormulaLookup, FormulaText};

/// The start of paths to shared files of packs. A pack may replace such a file of an imported pack
/// by one of its own, so we search for them in order.
const ASSETS: &str = "../assets/";

pub(super) struct Shelf<'s> {
    site: Site,
    snapshot: &'s Snapshot,
    /// The folder of the file given by the user, if any. It's searched first.
    own: Option<Folder>,
    folders: Vec<Folder>,
    /// The formula's own pack, followed by imported packs.
    pack: Vec<Folder>,
    /// Formula folders below those added by the user.
    added: Vec<Folder>,
    /// Trusted folders outside the repository, with all links resolved.
    trusted: Vec<PathBuf>,
    /// The packs in the repository. Finding them takes a while, so we only do that once all other
    /// folders have been searched.
    packs: OnceCell<Vec<Folder>>,
    /// The folder of each file read so far, with all links resolved.
    ///
    /// The keys are file names as shown to the user, because [`FormulaLookup::beside`] gets those.
    origins: RefCell<BTreeMap<String, PathBuf>>,
}

impl<'s> Shelf<'s> {
    pub(super) fn new(site: &Site, snapshot: &'s Snapshot, folders: Vec<Folder>) -> Self {
        Self {
            site: site.clone(),
            snapshot,
            own: None,
            folders,
            pack: Vec::new(),
            added: Vec::new(),
            trusted: Vec::new(),
            packs: OnceCell::new(),
            origins: RefCell::default(),
        }
    }

    pub(super) fn adding(self, added: Vec<Folder>, trusted: Vec<PathBuf>) -> Self {
        Self {
            added,
            trusted,
            ..self
        }
    }

    /// Puts the folder of a file given by the user at the start of the search path.
    ///
    /// If the file is a link, paths inside are relative to the link's target.
    ///
    /// # Errors
    /// See [`Shelf::search_pack_of`].
    pub(super) fn search_first(
        &mut self,
        folder: Folder,
        path: &Path,
        file: &str,
    ) -> Result<(), FormulaError> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let origin = target.parent().unwrap_or(&folder.place).to_owned();
        self.origins.borrow_mut().insert(file.to_owned(), origin);
        self.own = Some(folder);
        self.search_pack_of(file)
    }

    /// Adds the pack of a loaded formula, as well as the packs imported by it, directly or
    /// indirectly.
    ///
    /// # Errors
    /// Returns an error if an imported folder is neither in the repository nor added by the user.
    pub(super) fn search_pack_of(&mut self, file: &str) -> Result<(), FormulaError> {
        let Some(folder) = self.origins.borrow().get(file).cloned() else {
            return Ok(());
        };
        let mut next = vec![folder];
        while let Some(place) = next.pop() {
            // Packs may import each other.
            if self.pack.iter().any(|known| known.place == place) {
                continue;
            }
            let Some(pack) = place.parent() else {
                continue;
            };
            let manifest = match self.read_file(&pack.join(MANIFEST), MANIFEST.to_owned()) {
                Ok(Some(manifest)) => manifest,
                Ok(None) => continue,
                Err(why) => {
                    tracing::debug!(pack = %pack.display(), %why, "manifest not read");
                    continue;
                }
            };
            let mut imported = Vec::new();
            for source in imports(&manifest.bytes) {
                imported.extend(self.imported(pack, source)?);
            }
            // We take the next folder from the end. In reverse, the first import comes first.
            next.extend(imported.into_iter().rev());
            let shown = self.shown(&place);
            self.pack.push(Folder { shown, place });
        }
        Ok(())
    }

    /// The formula folder of an imported pack, or `None` if the pack doesn't exist.
    fn imported(&self, pack: &Path, source: String) -> Result<Option<PathBuf>, FormulaError> {
        let target = windlass_base::lexical(&pack.join(&source));
        let folder = match target.canonicalize() {
            Ok(folder) => folder,
            Err(error) => {
                tracing::debug!(pack = %pack.display(), %source, %error, "import skipped");
                return Ok(None);
            }
        };
        let is_inside = folder.starts_with(self.snapshot.repo().root());
        if is_inside || self.root_of(&folder).is_some() {
            return Ok(Some(folder.join(FORMULAS)));
        }
        let manifest = self.shown(&pack.join(MANIFEST));
        Err(FormulaError::ImportOutside {
            manifest,
            import: source,
            folder,
        })
    }

    /// Returns the folder to show. It's relative to the repository if it's inside.
    fn shown(&self, place: &Path) -> String {
        let inside = place.strip_prefix(self.snapshot.repo().root());
        inside.unwrap_or(place).to_string_lossy().replace('\\', "/")
    }

    /// The folders in search order. The repository's packs come last, because we have to find them
    /// first.
    pub(super) fn all_folders(&self) -> impl Iterator<Item = &Folder> {
        let known = self.own.iter().chain(&self.folders);
        let known = known.chain(&self.pack).chain(&self.added);
        let packs =
            std::iter::once(()).flat_map(|()| self.packs.get_or_init(|| packs_in(self.snapshot)));
        known.chain(packs)
    }

    pub(super) fn all(&self) -> Vec<FormulaText> {
        let mut all = Vec::new();
        for folder in self.all_folders() {
            for name in self.files_of(folder) {
                if let Ok(Some(text)) = self.read(folder, &name) {
                    all.push(text);
                }
            }
        }
        all
    }

    fn files_of(&self, folder: &Folder) -> Vec<String> {
        let mut names = match self.snapshot.repo().path_of(&folder.place) {
            Some(inside) => self.files_inside(&inside),
            None if self.is_led_out(&folder.place) => Vec::new(),
            None => {
                let wanted = |name: &str| stem(name).is_some();
                let place = RootedPath::new(&folder.place);
                let files = windlass_store::files_in(&place, wanted);
                let files = files.unwrap_or_else(|error| {
                    self.site
                        .note_trouble(format!("skipped `{}`: {error}", folder.shown));
                    Vec::new()
                });
                files.into_iter().map(|file| file.name).collect()
            }
        };
        names.retain(|name| stem(name).is_some());
        names.sort();
        names
    }

    /// The files and links directly inside a folder of the repository.
    ///
    /// The listing doesn't contain links, so we add them.
    fn files_inside(&self, folder: &RepoPath) -> Vec<String> {
        let query = ListQuery {
            paths: vec![folder.clone()],
            hidden: true,
            ..ListQuery::default()
        };
        let listing = self.snapshot.list(&query, &Cancel::default());
        let listing =
            listing.inspect_err(|error| tracing::debug!(%folder, %error, "formulas not listed"));
        let files = listing.map(|listing| listing.files).unwrap_or_default();
        let files = files
            .into_iter()
            .filter(|file| file.parent().as_ref() == Some(folder));
        let links = self.snapshot.repo().links_in(folder);
        let all = files.chain(links);
        let all: BTreeSet<String> = all.map(|file| file.file_name().to_owned()).collect();
        all.into_iter().collect()
    }

    fn read(&self, folder: &Folder, name: &str) -> Result<Option<FormulaText>, String> {
        let shown = match folder.shown.as_str() {
            "" => name.to_owned(),
            shown => format!("{shown}/{name}"),
        };
        self.read_file(&folder.place.join(name), shown)
    }

    fn read_file(&self, path: &Path, file: String) -> Result<Option<FormulaText>, String> {
        let bytes = match self.snapshot.repo().path_of(path) {
            Some(inside) => match self.snapshot.read(&inside) {
                Ok(source) => Ok(source.bytes().to_vec()),
                // A link in the repository may lead to a folder that the user has added.
                Err(Refusal::OutsideRoot) => self.read_trusted(path, Refusal::OutsideRoot),
                Err(refusal) => Err(refusal),
            },
            None if self.is_led_out(path) => self.read_trusted(path, Refusal::Missing),
            None if self.is_led_astray(path) => Err(Refusal::OutsideRoot),
            None => read_foreign_text(path, MAX_FILE_BYTES),
        };
        match bytes {
            Ok(bytes) => {
                let target = path.canonicalize();
                if let Some(folder) = target.ok().as_deref().and_then(Path::parent) {
                    let mut origins = self.origins.borrow_mut();
                    origins.insert(file.clone(), folder.to_owned());
                }
                Ok(Some(FormulaText { file, bytes }))
            }
            Err(Refusal::Missing) => Ok(None),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    /// Reads the target of a link that leads out of the repository, but only if it's in a trusted
    /// folder.
    ///
    /// In all other cases, this fails with `otherwise`.
    fn read_trusted(&self, path: &Path, otherwise: Refusal) -> Result<Vec<u8>, Refusal> {
        match path.canonicalize() {
            Ok(target) if self.root_of(&target).is_some() => {
                read_foreign_text(&target, MAX_FILE_BYTES)
            }
            _ => Err(otherwise),
        }
    }

    /// Returns the trusted folder around `path`. Links in `path` must already be resolved.
    fn root_of(&self, path: &Path) -> Option<&Path> {
        let mut roots = self.trusted.iter();
        roots
            .find(|root| path.starts_with(root))
            .map(PathBuf::as_path)
    }

    /// True if a path is below the repository by name.
    ///
    /// We only ask this about paths that the repository has rejected, which means that a link leads
    /// outside. The formulas there don't belong to the repository.
    fn is_led_out(&self, place: &Path) -> bool {
        place.starts_with(self.snapshot.repo().root())
    }

    /// True if a link leads from a trusted folder to one that's neither trusted nor in the
    /// repository.
    fn is_led_astray(&self, path: &Path) -> bool {
        let leads_out = |target: &Path| {
            self.root_of(target).is_none() && !target.starts_with(self.snapshot.repo().root())
        };
        self.root_of(path).is_some() && path.canonicalize().is_ok_and(|target| leads_out(&target))
    }

    /// Reads the file at `path` relative to `folder`. We refuse paths that lead out of the
    /// formula's own repository, folder or pack.
    fn read_below(&self, folder: &Path, path: &str) -> Result<Option<FormulaText>, String> {
        let refused = |boundary: &str| Err(format!("its path leads out of the {boundary}"));
        let place = windlass_base::lexical(&folder.join(path.replace('\\', "/")));
        let repo = self.snapshot.repo();
        let is_inside = |place: &Path| repo.path_of(place).is_some();
        match (is_inside(folder), is_inside(&place)) {
            (true, true) => {}
            (true, false) if place.starts_with(repo.root()) => return Ok(None),
            (true, false) => return refused("repository"),
            (false, _) if place.starts_with(folder) => {}
            (false, _) => {
                let Some(root) = self.root_of(folder) else {
                    return refused("folder of the formula");
                };
                match place.canonicalize() {
                    Ok(target) if target.starts_with(root) => {}
                    Ok(_) => return refused("pack"),
                    Err(_) => return Ok(None),
                }
            }
        }
        self.read_file(&place, self.shown(&place))
    }
}

impl FormulaLookup for Shelf<'_> {
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String> {
        // A name must never lead to another folder.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Ok(None);
        }
        for folder in self.all_folders() {
            for ending in ENDINGS {
                if let Some(text) = self.read(folder, &format!("{name}{ending}"))? {
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    fn beside(&self, file: &str, path: &str) -> Result<Option<FormulaText>, String> {
        let Some(folder) = self.origins.borrow().get(file).cloned() else {
            return Ok(None);
        };
        if Path::new(path).is_absolute() {
            return Err("its path leads out of the folder of the formula".to_owned());
        }
        if path.starts_with(ASSETS) {
            for pack in self.folders.iter().chain(&self.pack) {
                // `../assets` may be out of bounds for one of the folders. A later one may still
                // have the file.
                if let Ok(Some(text)) = self.read_below(&pack.place, path) {
                    return Ok(Some(text));
                }
            }
        }
        self.read_below(&folder, path)
    }

    fn names(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for folder in self.all_folders() {
            let files = self.files_of(folder);
            names.extend(
                files
                    .iter()
                    .filter_map(|file| stem(file))
                    .map(str::to_owned),
            );
        }
        names.into_iter().collect()
    }
}
