//! Lookup of formulas on the search path: through the repository's guard inside it, directly elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, MAX_FILE_BYTES, Refusal, Snapshot, read_foreign};
use windlass_site::Site;
use windlass_store::RootedPath;

use super::search_path::{ENDINGS, Folder, stem};
use crate::{FormulaLookup, FormulaText};

/// Formulas on the search path.
pub(super) struct Shelf<'s> {
    site: Site,
    snapshot: &'s Snapshot,
    folders: Vec<Folder>,
}

impl<'s> Shelf<'s> {
    pub(super) fn new(site: &Site, snapshot: &'s Snapshot, folders: Vec<Folder>) -> Self {
        Self {
            site: site.clone(),
            snapshot,
            folders,
        }
    }

    /// Adds a folder at the start of the search path.
    pub(super) fn search_first(&mut self, folder: Folder) {
        self.folders.insert(0, folder);
    }

    /// Returns all formulas, folder by folder, sorted by name within each.
    pub(super) fn all(&self) -> Vec<FormulaText> {
        let mut all = Vec::new();
        for folder in &self.folders {
            for name in self.files_of(folder) {
                if let Ok(Some(text)) = self.read(folder, &name) {
                    all.push(text);
                }
            }
        }
        all
    }

    /// Returns the sorted names of the formula files in a folder.
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

    fn files_inside(&self, folder: &RepoPath) -> Vec<String> {
        let query = ListQuery {
            paths: vec![folder.clone()],
            hidden: true,
            ..ListQuery::default()
        };
        let listing = self.snapshot.list(&query, &Cancel::default());
        let files = listing.map(|listing| listing.files).unwrap_or_default();
        let files = files
            .into_iter()
            .filter(|file| file.parent().as_ref() == Some(folder));
        files.map(|file| file.file_name().to_owned()).collect()
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
            Some(inside) => self
                .snapshot
                .read(&inside)
                .map(|source| source.bytes().to_vec()),
            None if self.is_led_out(path) => Err(Refusal::Missing),
            None => read_foreign(path, MAX_FILE_BYTES),
        };
        match bytes {
            Ok(bytes) => Ok(Some(FormulaText { file, bytes })),
            Err(Refusal::Missing) => Ok(None),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    /// True if a link leads out of the repository; formulas there do not belong to it.
    fn is_led_out(&self, place: &Path) -> bool {
        place.starts_with(self.snapshot.repo().root())
    }

    /// Returns the folder of a file that was found here.
    fn folder_of(&self, file: &str) -> Option<PathBuf> {
        let (folder, _) = file.rsplit_once('/').unwrap_or(("", file));
        let known = self.folders.iter().find(|known| known.shown == folder);
        known.map(|known| known.place.clone())
    }
}

impl FormulaLookup for Shelf<'_> {
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String> {
        // A name must not lead to another folder.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Ok(None);
        }
        for folder in &self.folders {
            for ending in ENDINGS {
                if let Some(text) = self.read(folder, &format!("{name}{ending}"))? {
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    fn beside(&self, file: &str, path: &str) -> Result<Option<FormulaText>, String> {
        let Some(folder) = self.folder_of(file) else {
            return Ok(None);
        };
        let refused = |boundary: &str| Err(format!("its path leads out of the {boundary}"));
        let way: Vec<&str> = path.split(['/', '\\']).collect();
        let (mut place, mut shown) = (folder.clone(), file.to_owned());
        shown.truncate(file.rfind('/').unwrap_or_default());
        if Path::new(path).is_absolute() {
            return refused("folder of the formula");
        }
        for part in way {
            match part {
                "" | "." => {}
                ".." => {
                    place.pop();
                    shown.truncate(shown.rfind('/').unwrap_or_default());
                }
                name => {
                    place.push(name);
                    let slash = if shown.is_empty() { "" } else { "/" };
                    shown = format!("{shown}{slash}{name}");
                }
            }
        }
        // A formula pack keeps texts beside its formulas; files in the repository go through its guard.
        let repo = self.snapshot.repo();
        let is_inside = |place: &Path| repo.path_of(place).is_some();
        match (is_inside(&folder), is_inside(&place)) {
            (true, true) => {}
            (true, false) if place.starts_with(repo.root()) => return Ok(None),
            (true, false) => return refused("repository"),
            (false, _) if place.starts_with(&folder) => {}
            (false, _) => return refused("folder of the formula"),
        }
        self.read_file(&place, shown)
    }

    fn names(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for folder in &self.folders {
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
