//! Service for a repository's formulas: search path, listing, checking and cooking.

mod formula_error;
mod formula_paths;
mod packs;
mod search_path;
mod shelf;

use std::path::Path;

use serde::Serialize;
use windlass_base::{Diagnostics, RepoPath, did_you_mean};
use windlass_repo::{Refusal, Snapshot};
use windlass_site::{Error, Site, SiteError};

use self::packs::{packs_below, trusted_root};
use self::search_path::{Folder, folders, stem};
use self::shelf::Shelf;
use crate::{
    CookOptions, CookedFormula, FormulaHead, FormulaLookup, FormulaRef, FormulaText, check_formula,
    cook_formula,
};

pub use formula_error::FormulaError;
pub use formula_paths::FormulaPaths;

/// Names and texts of the example formulas shipped with Windlass, starting with the default.
/// `{name}` stands for the new formula's name.
pub const FORMULA_EXAMPLES: [(&str, &str); 3] = [
    ("feature", include_str!("../../scaffolds/feature.toml")),
    ("release", include_str!("../../scaffolds/release.toml")),
    ("review", include_str!("../../scaffolds/review.toml")),
];

/// A cooked formula, with the file it came from.
#[derive(Debug, Clone)]
pub struct FormulaFile {
    /// The file name as shown to the user.
    pub file: String,
    /// The cooked formula.
    pub cooked: CookedFormula,
    /// Warnings about the formula and its sources.
    pub warnings: Diagnostics,
}

/// A formula on the search path.
#[derive(Debug, Clone, Serialize)]
pub struct FormulaEntry {
    /// The name by which the formula is found, derived from its file name.
    pub name: String,
    /// The file name as shown to the user.
    pub file: String,
    /// The formula's head, if it can be read.
    #[serde(flatten)]
    pub head: Option<FormulaHead>,
    /// The first problem, if the formula can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A file of the same name that hides this one, because it comes earlier on the search path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_by: Option<String>,
}

/// A repository's formulas.
#[derive(Debug, Clone)]
pub struct FormulaService {
    site: Site,
}

impl FormulaService {
    /// Creates the service for `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Creates a formula called `name` from the example `text`, in the repository's
    /// `.beads/formulas/`. Returns the path of the file.
    ///
    /// # Errors
    /// Returns an error if `name` isn't a plain name, or if the file exists or can't be written.
    pub fn create(&self, name: &str, text: &str) -> Result<RepoPath, Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let path = format!(".beads/formulas/{name}.formula.toml");
        let file = RepoPath::parse(&path)
            .ok()
            .filter(|_| !name.is_empty() && name.chars().all(is_plain))
            .ok_or_else(|| FormulaError::Name(name.to_owned()))?;
        let place = self.site.files().place_of(&file)?;
        if !matches!(self.site.snapshot().read(&file), Err(Refusal::Missing)) {
            return Err(FormulaError::Exists(file).into());
        }
        windlass_store::write_shared(&place, text.replace("{name}", name).as_bytes())?;
        Ok(file)
    }

    /// Returns the folders of the search path in search order, as shown to the user.
    #[must_use]
    pub fn search_path(&self, start: &Path) -> Vec<String> {
        let snapshot = self.site.snapshot();
        let shelf = self.shelf(start, &snapshot);
        let folders = shelf.all_folders();
        folders.map(|folder| folder.shown.clone()).collect()
    }

    /// Returns the folders added by the user to the search path.
    #[must_use]
    pub fn paths(&self) -> FormulaPaths {
        FormulaPaths::new(&self.site)
    }

    /// Lists the formulas on the search path, folder by folder and by name within a folder.
    #[must_use]
    pub fn list(&self, start: &Path, snapshot: &Snapshot) -> Vec<FormulaEntry> {
        let shelf = self.shelf(start, snapshot);
        let mut entries: Vec<FormulaEntry> = Vec::new();
        for text in shelf.all() {
            let name = stem(&text.file).unwrap_or_default().to_owned();
            let earlier = entries
                .iter()
                .find(|entry| entry.name == name && entry.hidden_by.is_none());
            let hidden_by = earlier.map(|entry| entry.file.clone());
            let (head, error) = match FormulaHead::read(&text) {
                Ok(head) => (
                    Some(FormulaHead {
                        name: name.clone(),
                        ..head
                    }),
                    None,
                ),
                Err(found) => (None, found.iter().next().map(ToString::to_string)),
            };
            entries.push(FormulaEntry {
                name,
                file: text.file,
                head,
                error,
                hidden_by,
            });
        }
        entries
    }

    /// Cooks the formula `name`, which is a name or a file name. Relative paths start at `start`.
    ///
    /// # Errors
    /// Returns an error if the formula isn't found or can't be read. Otherwise, returns all
    /// problems in the formula and in the values of its variables.
    pub fn cook(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        options: &CookOptions<'_>,
    ) -> Result<FormulaFile, Error> {
        let (shelf, text) = self.formula_text(name, start, snapshot)?;
        let file = text.file.clone();
        let cooked = cook_formula(&shelf, FormulaRef::Text(text), options);
        let (cooked, warnings) = cooked.map_err(Error::document)?;
        Ok(FormulaFile {
            file,
            cooked,
            warnings,
        })
    }

    /// Checks the formula `name`, as far as that's possible without values for its variables.
    /// Returns its file and the findings.
    ///
    /// # Errors
    /// Returns an error if the formula isn't found or can't be read.
    pub fn check(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        options: &CookOptions<'_>,
    ) -> Result<(String, Diagnostics), Error> {
        let (shelf, text) = self.formula_text(name, start, snapshot)?;
        let file = text.file.clone();
        Ok((file, check_formula(&shelf, FormulaRef::Text(text), options)))
    }

    /// Returns the file and the head of a formula.
    ///
    /// # Errors
    /// Returns an error if the file isn't found, can't be read, or isn't a formula.
    pub fn head(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<(String, FormulaHead), Error> {
        let (_, text) = self.formula_text(name, start, snapshot)?;
        let head = FormulaHead::read(&text).map_err(Error::document)?;
        Ok((text.file, head))
    }

    /// Returns the formula's text and the lookup for other formulas. If `name` is a file name, the
    /// file's own folder is searched first.
    fn formula_text<'s>(
        &self,
        name: &str,
        start: &Path,
        snapshot: &'s Snapshot,
    ) -> Result<(Shelf<'s>, FormulaText), Error> {
        let mut shelf = self.shelf(start, snapshot);
        if is_file_name(name) {
            let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
            let path = start.join(name);
            if let Some(folder) = path.parent() {
                let shown = Path::new(&file).parent().unwrap_or(Path::new("")).display();
                let folder = Folder {
                    shown: shown.to_string(),
                    place: folder.to_owned(),
                };
                shelf.search_first(folder, &path, &file)?;
            }
            return Ok((shelf, FormulaText { file, bytes }));
        }
        match shelf.formula(name) {
            Ok(Some(text)) => {
                shelf.search_pack_of(&text.file)?;
                Ok((shelf, text))
            }
            Ok(None) => {
                let known = shelf.names();
                let similar = did_you_mean(name, known.iter().map(String::as_str));
                Err(FormulaError::NoSuchFormula {
                    name: name.to_owned(),
                    similar: similar.map(str::to_owned),
                    searched: self.search_path(start),
                }
                .into())
            }
            Err(why) => Err(SiteError::Unreadable {
                file: name.to_owned(),
                why,
                missing: false,
                secret: false,
            }
            .into()),
        }
    }

    fn shelf<'s>(&self, start: &Path, snapshot: &'s Snapshot) -> Shelf<'s> {
        let paths = self.paths().all().unwrap_or_else(|error| {
            self.site
                .note_trouble(format!("skipped the added formula paths: {error}"));
            Vec::new()
        });
        let added = paths.iter().flat_map(|path| packs_below(path)).collect();
        let trusted = paths.iter().map(|path| trusted_root(path)).collect();
        Shelf::new(&self.site, snapshot, folders(&self.site, start)).adding(added, trusted)
    }
}

/// True if the text is a file name rather than a formula's name.
fn is_file_name(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml") || name.ends_with(".json")
}

/// True for the file name of a formula. Any TOML file counts as a formula, because no other
/// document we can check is written in TOML.
#[must_use]
pub fn is_formula_file(name: &str) -> bool {
    name.ends_with(".toml") || name.ends_with(".formula.json")
}
