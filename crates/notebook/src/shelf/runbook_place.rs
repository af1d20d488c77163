//! The locations of runbooks that are available by name.

use std::cell::OnceCell;
use std::fmt;

use serde::{Serialize, Serializer};
use windlass_base::{Cancel, Ident, RepoPath, did_you_mean, names_a_file};
use windlass_plan::Document;
use windlass_repo::{ListQuery, Refusal, Snapshot};
use windlass_site::{Error, unreadable};

use super::runbook_error::RunbookError;
use crate::SavedRunbook;

pub(super) const FOLDERS: [&str; 2] = ["runbooks", ".windlass"];

/// A runbook available by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunbookEntry {
    /// ID of the runbook, or its file name without extension if the ID is unreadable.
    pub name: String,
    /// The runbook's location. JSON has it in the form that users type.
    #[serde(rename = "file")]
    pub place: RunbookPlace,
}

/// Location of a runbook available by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunbookPlace {
    /// In the notebook, under this name.
    Notebook(Ident),
    /// In a file of the repository.
    File(RepoPath),
}

/// All runbooks available by name. To fill this list, we have to read every runbook file, so it
/// stays empty until someone needs it.
pub(super) type AllRunbooks = OnceCell<Vec<RunbookEntry>>;

/// Prefix for a runbook in the notebook. Users need it if a file has the same name.
pub(super) const IN_NOTEBOOK: &str = "notebook:";

impl fmt::Display for RunbookPlace {
    /// Writes an unambiguous name, e.g. `notebook:api` or `runbooks/api.yaml`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notebook(id) => write!(f, "{IN_NOTEBOOK}{id}"),
            Self::File(file) => file.fmt(f),
        }
    }
}

impl Serialize for RunbookPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl RunbookPlace {
    pub(super) fn file(&self) -> Option<&RepoPath> {
        match self {
            Self::Notebook(_) => None,
            Self::File(file) => Some(file),
        }
    }
}

impl RunbookEntry {
    /// Reads the ID from `file`. If that fails, the runbook is listed under the name of its file,
    /// so that users can at least find out what's wrong with it.
    pub(super) fn of(file: RepoPath, snapshot: &Snapshot) -> Self {
        let read = || {
            let source = snapshot.read(&file).ok()?;
            Document::text_of_field(source.bytes(), "id")
        };
        let name = read().unwrap_or_else(|| stem(&file).unwrap_or_default().to_owned());
        Self {
            name,
            place: RunbookPlace::File(file),
        }
    }

    pub(super) fn saved(runbook: &SavedRunbook) -> Self {
        Self {
            name: runbook.id.to_string(),
            place: RunbookPlace::Notebook(runbook.id.clone()),
        }
    }
}

/// A runbook's file name without its extension. Returns `None` for anything but a YAML file.
pub(super) fn stem(file: &RepoPath) -> Option<&str> {
    let name = file.file_name();
    name.strip_suffix(".yaml")
        .or_else(|| name.strip_suffix(".yml"))
}

/// The files that a runbook `name` may be in. They need not exist.
pub(super) fn files_called(name: &str) -> impl Iterator<Item = RepoPath> {
    FOLDERS.iter().flat_map(move |folder| {
        ["yaml", "yml"].iter().filter_map(move |extension| {
            RepoPath::parse(&format!("{folder}/{name}.{extension}")).ok()
        })
    })
}

/// Those of [`files_called`] that exist, with their contents.
pub(super) fn files_named(
    name: &str,
    snapshot: &Snapshot,
) -> Result<Vec<(RepoPath, Vec<u8>)>, Error> {
    let mut found = Vec::new();
    for path in files_called(name) {
        match snapshot.read(&path) {
            Ok(source) => found.push((path, source.bytes().to_vec())),
            Err(Refusal::Missing) => {}
            Err(refusal) => return Err(unreadable(path.as_str(), &refusal)),
        }
    }
    Ok(found)
}

pub(super) fn no_such(name: &str, all: &[RunbookEntry]) -> Error {
    // The best guess is a runbook in a file of exactly this name, whose `id` differs. Only then
    // look for typos, first in the names and then in those of the files.
    let in_file = |wanted: &str| {
        let is_wanted = |file: &&RepoPath| stem(file) == Some(wanted);
        all.iter().find_map(|entry| {
            let file = entry.place.file().filter(is_wanted)?;
            Some((entry.name.clone(), Some(file.clone())))
        })
    };
    let by_id = || did_you_mean(name, all.iter().map(|entry| entry.name.as_str()));
    let stems = all.iter().filter_map(|entry| entry.place.file());
    let by_file = || did_you_mean(name, stems.filter_map(stem));
    let similar = in_file(name)
        .or_else(|| Some((by_id()?.to_owned(), None)))
        .or_else(|| in_file(by_file()?));
    RunbookError::NoSuchRunbook {
        name: name.to_owned(),
        similar,
        known: names(all),
    }
    .into()
}

pub(super) fn is_no_such(error: &Error) -> bool {
    error.is(|error| matches!(error, RunbookError::NoSuchRunbook { .. }))
}

pub(super) fn names(all: &[RunbookEntry]) -> Vec<String> {
    let mut names: Vec<String> = all.iter().map(|entry| entry.name.clone()).collect();
    names.dedup();
    names
}

pub(super) fn files_in(snapshot: &Snapshot, folder: &str) -> Vec<RepoPath> {
    let Ok(folder) = RepoPath::parse(folder) else {
        return Vec::new();
    };
    let query = ListQuery {
        paths: vec![folder.clone()],
        hidden: true,
        ..ListQuery::default()
    };
    let Ok(listing) = snapshot.list(&query, &Cancel::default()) else {
        return Vec::new();
    };
    let is_runbook =
        // Runbooks in subfolders aren't available by name.
        |file: &RepoPath| stem(file).is_some() && file.parent().as_ref() == Some(&folder);
    listing.files.into_iter().filter(is_runbook).collect()
}

pub(super) fn looks_like_a_file(name: &str) -> bool {
    if name.starts_with(IN_NOTEBOOK) {
        return false;
    }
    names_a_file(name)
}
