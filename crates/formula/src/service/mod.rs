//! Finds, lists, checks and cooks the formulas of a repository.

mod formula_error;
mod formula_paths;
mod packs;
mod search_path;
mod shelf;

use std::path::Path;

use serde::Serialize;
use windlass_base::{Diagnostics, RepoPath, did_you_mean};
use windlass_repo::{Refusal, Snapshot};
use windlass_site::{Error, Site};

use self::packs::{packs_below, trusted_root};
use self::search_path::{Folder, folders, stem};
use self::shelf::Shelf;
use crate::{
    CookOptions, CookedFormula, FormulaHead, FormulaLookup, FormulaRef, FormulaText, check_formula,
    cook_formula,
};

pub use formula_error::FormulaError;
pub use formula_paths::FormulaPaths;

/// Names and texts of the included examples, starting with the default.
///
/// In the text, `{name}` stands for the name of the new formula.
pub const FORMULA_EXAMPLES: [(&str, &str); 3] = [
    ("feature", include_str!("../../scaffolds/feature.toml")),
    ("release", include_str!("../../scaffolds/release.toml")),
    ("review", include_str!("../../scaffolds/review.toml")),
];

/// A cooked formula and its file.
#[derive(Debug, Clone)]
pub struct FormulaFile {
    /// The file name as shown to the user.
    pub file: String,
    /// The result. If there had been errors, we would have returned those instead.
    pub cooked: CookedFormula,
    /// Warnings about the formula and all of its sources.
    pub warnings: Diagnostics,
}

/// A formula on the search path, readable or not.
#[derive(Debug, Clone, Serialize)]
pub struct FormulaEntry {
    /// The formula's name for lookups, i.e. its file name without the ending.
    pub name: String,
    /// The file name as shown to the user.
    pub file: String,
    /// `None` if the file isn't a readable formula, with the reason in `error`.
    #[serde(flatten)]
    pub head: Option<FormulaHead>,
    /// The first problem with an unreadable formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// An earlier file on the search path with the same name. Lookups find that one instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_by: Option<String>,
}

/// Access to the formulas of a repository and of the folders added by its user.
#[derive(Debug, Clone)]
pub struct FormulaService {
    site: Site,
}

impl FormulaService {
    /// Creates the service without reading any files. Each call looks at the current ones.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Creates a formula called `name` in the repository's `.beads/formulas/`, and returns the path
    /// of its file.
    ///
    /// `text` is one of the [`FORMULA_EXAMPLES`].
    ///
    /// # Errors
    /// Returns an error if `name` contains characters other than letters, digits, `-` and `_`, or
    /// if the file already exists or can't be written.
    pub fn create(&self, name: &str, text: &str) -> Result<RepoPath, Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let path = format!(".beads/formulas/{name}.formula.toml");
        let file = RepoPath::parse(&path)
            .ok()
            .filter(|_| !name.is_empty() && name.chars().all(is_plain))
            .ok_or_else(|| FormulaError::Name(name.to_owned()))?;
        let place = self.site.files().place_of(&file)?;
        // Any other refusal (e.g. a file too large to read) also means that there's something.
        if !matches!(self.site.snapshot().read(&file), Err(Refusal::Missing)) {
            return Err(FormulaError::Exists(file).into());
        }
        windlass_store::write_shared(&place, text.replace("{name}", name).as_bytes())?;
        Ok(file)
    }

    /// The folders of the search path in search order, as shown to the user. Some of them may not
    /// exist.
    #[must_use]
    pub fn search_path(&self, start: &Path) -> Vec<String> {
        let snapshot = self.site.snapshot();
        let shelf = self.shelf(start, &snapshot);
        let folders = shelf.all_folders();
        folders.map(|folder| folder.shown.clone()).collect()
    }

    /// The folders outside the repository, added by the user.
    #[must_use]
    pub fn paths(&self) -> FormulaPaths {
        FormulaPaths::new(&self.site)
    }

    /// Lists the formulas on the search path, by folder and then by name.
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
                // Formulas are looked up by file name, so show that name even if the document has
                // another.
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

    /// Cooks the formula `name`, which may also be a file name. A relative path starts at `start`.
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

    /// Like [`cook`](Self::cook), but this accepts missing values, and returns problems as findings
    /// rather than as an error.
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

    /// Reads a formula's head, and also returns its file name.
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

    /// Reads the formula `name`, and returns it with the lookup for the formulas it mentions.
    ///
    /// If `name` is a file name, the lookup searches the folder of that file first.
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
                // The formula may mention others from its own pack, or from a pack that this one
                // imports.
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
            Err(why) => Err(Error::unusable(name, why)),
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

fn is_file_name(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml") || name.ends_with(".json")
}

/// True for any TOML file, because no other type of document that we can check uses TOML.
#[must_use]
pub fn is_formula_file(name: &str) -> bool {
    name.ends_with(".toml") || name.ends_with(".formula.json")
}
