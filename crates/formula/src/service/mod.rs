//! Formulas of a repository: the folders they are looked for in, and what is made of them.

mod formula_error;
mod search_path;
mod shelf;

use std::path::Path;

use serde::Serialize;
use windlass_base::{Diagnostics, did_you_mean};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site, SiteError};

use self::search_path::{Folder, folders, stem};
use self::shelf::Shelf;
use crate::{
    CookOptions, CookedFormula, FormulaHead, FormulaLookup, FormulaRef, FormulaText, check_formula,
    cook_formula,
};

pub use formula_error::FormulaError;

/// A formula that was cooked.
#[derive(Debug, Clone)]
pub struct FormulaFile {
    /// The file it was found in, as the user knows it.
    pub file: String,
    /// The result.
    pub cooked: CookedFormula,
    /// What is odd about it.
    pub warnings: Diagnostics,
}

/// A formula on the search path.
#[derive(Debug, Clone, Serialize)]
pub struct FormulaEntry {
    /// The name it is found by: that of its file.
    pub name: String,
    /// Its file.
    pub file: String,
    /// What it says of itself.
    #[serde(flatten)]
    pub head: Option<FormulaHead>,
    /// What is wrong with it, where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The file of that name that comes first on the search path, so that this one is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_by: Option<String>,
}

/// The formulas of a repository: found by name, listed, checked, cooked.
#[derive(Debug, Clone)]
pub struct FormulaService {
    site: Site,
}

impl FormulaService {
    /// The formulas of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// The folders that formulas are looked for in, as the user knows them, in this order.
    #[must_use]
    pub fn search_path(&self, start: &Path) -> Vec<String> {
        let folders = folders(&self.site, start);
        folders.into_iter().map(|folder| folder.shown).collect()
    }

    /// The formulas on the search path, in its order, by name within a folder.
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

    /// Cooks the formula `name`, by its name or in a file. `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When it cannot be found or read; all that is wrong with it, or with the values given for its variables.
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

    /// What is wrong with the formula `name`, as far as that can be said without values for its variables; and its file.
    ///
    /// # Errors
    /// When it cannot be found or read.
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

    /// What a formula says of itself, and its file.
    ///
    /// # Errors
    /// When it cannot be found or read, or is no formula.
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

    /// The text of a formula, and where what it names is looked up: beside its file first, where a file was named.
    fn formula_text<'s>(
        &self,
        name: &str,
        start: &Path,
        snapshot: &'s Snapshot,
    ) -> Result<(Shelf<'s>, FormulaText), Error> {
        let mut shelf = self.shelf(start, snapshot);
        if is_file_name(name) {
            let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
            let folder = start.join(name);
            if let Some(folder) = folder.parent() {
                let shown = Path::new(&file).parent().unwrap_or(Path::new("")).display();
                shelf.look_first_in(Folder {
                    shown: shown.to_string(),
                    place: folder.to_owned(),
                });
            }
            return Ok((shelf, FormulaText { file, bytes }));
        }
        match shelf.formula(name) {
            Ok(Some(text)) => Ok((shelf, text)),
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
        Shelf::new(&self.site, snapshot, folders(&self.site, start))
    }
}

/// Whether a file is meant, and not the name of a formula.
fn is_file_name(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml") || name.ends_with(".json")
}

/// Whether a file is a formula by its name: nothing else that is checked is TOML.
#[must_use]
pub fn is_formula_file(name: &str) -> bool {
    name.ends_with(".toml") || name.ends_with(".formula.json")
}
