use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use windlass_base::{Cancel, Diagnostics, Digest, RepoPath, did_you_mean};
use windlass_plan::{Catalog, Plan};
use windlass_repo::{ListQuery, Refusal, Snapshot, read_foreign};

use crate::{Error, Workspace};

/// The folders runbooks are looked for in, in this order.
const FOLDERS: [&str; 2] = ["runbooks", ".windlass"];

/// The largest document that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// A runbook that was found and checked.
#[derive(Debug, Clone)]
pub struct RunbookFile {
    /// The file as the user knows it: relative to the repository's root, or as it was given.
    pub file: String,
    /// What it can be run by from anywhere in the repository: its name, or its file; nothing when it lies
    /// outside.
    pub call: Option<String>,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// What is odd about it.
    pub warnings: Diagnostics,
    /// The digest of its text.
    pub digest: Digest,
}

/// A runbook that can be run by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunbookEntry {
    /// The name to run it by.
    pub name: String,
    /// Its file.
    pub file: RepoPath,
}

impl Workspace {
    /// The runbooks that can be run by name, sorted. Two of one name are both listed.
    #[must_use]
    pub fn runbooks(&self, snapshot: &Snapshot) -> Vec<RunbookEntry> {
        let mut entries: Vec<RunbookEntry> = FOLDERS
            .iter()
            .flat_map(|folder| runbooks_in(snapshot, folder))
            .collect();
        entries.sort();
        entries
    }

    /// Finds and checks the runbook called `name`, or the one in the file `name`. `start` is the folder that
    /// relative paths are meant from.
    ///
    /// # Errors
    /// When there is none, there are two, or it is not valid.
    pub fn runbook(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        if !looks_like_a_file(name) {
            let (file, bytes) = self.read_named(name, snapshot)?;
            let runbook = compile(&file, Some(name.to_owned()), &bytes, catalog)?;
            return self.check_nested(runbook, &bytes, snapshot, catalog);
        }
        let (file, bytes) = self.read_document(name, start, snapshot)?;
        let inside = self.repo().path_of(&start.join(name));
        let runbook = compile(&file, inside.map(|path| path.to_string()), &bytes, catalog)?;
        self.check_nested(runbook, &bytes, snapshot, catalog)
    }

    /// The runbook that another one names: by name, or as a file of the repository. Nothing outside of it can
    /// be named in a document.
    ///
    /// # Errors
    /// As [`Workspace::runbook`].
    pub(crate) fn nested_runbook(
        &self,
        name: &str,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        if !looks_like_a_file(name) {
            let (file, bytes) = self.read_named(name, snapshot)?;
            return compile(&file, Some(name.to_owned()), &bytes, catalog);
        }
        let path = RepoPath::parse(name)?;
        compile(
            path.as_str(),
            Some(path.to_string()),
            &read_inside(snapshot, &path)?,
            catalog,
        )
    }

    /// Reads a document the user named: inside the repository through its door, elsewhere as it is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_document(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<(String, Vec<u8>), Error> {
        let path = start.join(name);
        match self.repo().path_of(&path) {
            Some(path) => Ok((path.to_string(), read_inside(snapshot, &path)?)),
            None => {
                let bytes =
                    read_foreign(&path, MAX_BYTES).map_err(|refusal| unreadable(name, &refusal))?;
                Ok((name.to_owned(), bytes))
            }
        }
    }

    fn read_named(&self, name: &str, snapshot: &Snapshot) -> Result<(String, Vec<u8>), Error> {
        // Two files are asked for by name, so that a repository of any size costs the same.
        let mut found = Vec::new();
        for folder in FOLDERS {
            for extension in ["yaml", "yml"] {
                let Ok(path) = RepoPath::parse(&format!("{folder}/{name}.{extension}")) else {
                    continue;
                };
                match snapshot.read(&path) {
                    Ok(source) => found.push((path, source)),
                    Err(Refusal::Missing) => {}
                    Err(refusal) => return Err(unreadable(path.as_str(), &refusal)),
                }
            }
        }
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some((path, source)), None) => Ok((path.to_string(), source.bytes().to_vec())),
            (Some((first, _)), Some((second, _))) => Err(Error::Ambiguous {
                name: name.to_owned(),
                first: first.to_string(),
                second: second.to_string(),
            }),
            (None, _) => Err(self.no_such(name, snapshot)),
        }
    }

    fn no_such(&self, name: &str, snapshot: &Snapshot) -> Error {
        let mut known: Vec<String> = self
            .runbooks(snapshot)
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        known.dedup();
        let similar = did_you_mean(name, known.iter().map(String::as_str)).map(str::to_owned);
        Error::NoSuchRunbook {
            name: name.to_owned(),
            similar,
            known,
        }
    }
}

fn runbooks_in(snapshot: &Snapshot, folder: &str) -> Vec<RunbookEntry> {
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
    let entry = |file: RepoPath| {
        let name = file
            .file_name()
            .strip_suffix(".yaml")
            .or_else(|| file.file_name().strip_suffix(".yml"))?;
        let direct = file.parent().as_ref() == Some(&folder);
        direct.then(|| RunbookEntry {
            name: name.to_owned(),
            file: file.clone(),
        })
    };
    listing.files.into_iter().filter_map(entry).collect()
}

fn looks_like_a_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name.contains(['/', '\\']) || matches!(extension, "yaml" | "yml" | "json")
}

fn read_inside(snapshot: &Snapshot, path: &RepoPath) -> Result<Vec<u8>, Error> {
    let source = snapshot
        .read(path)
        .map_err(|refusal| unreadable(path.as_str(), &refusal))?;
    Ok(source.bytes().to_vec())
}

fn unreadable(file: &str, refusal: &Refusal) -> Error {
    Error::Unreadable {
        file: file.to_owned(),
        why: refusal.to_string(),
        missing: matches!(refusal, Refusal::Missing),
        secret: matches!(refusal, Refusal::Secret { .. }),
    }
}

/// Checks the document `bytes` and makes a plan of it.
fn compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    let (plan, warnings) =
        windlass_plan::load_runbook(file, bytes, catalog).map_err(Error::Document)?;
    Ok(RunbookFile {
        file: file.to_owned(),
        call,
        plan: Arc::new(plan),
        warnings,
        digest: Digest::of_bytes(bytes),
    })
}
