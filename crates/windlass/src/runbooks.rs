use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use windlass_base::{Cancel, Diagnostic, Diagnostics, Digest, RepoPath, did_you_mean};
use windlass_plan::{Catalog, Document, Plan};
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

/// A runbook that can be run by name, which is its id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunbookEntry {
    /// The name to run it by: its id; where none can be read, the name of its file.
    pub name: String,
    /// Its file.
    pub file: RepoPath,
}

impl RunbookEntry {
    /// The runbook in `file`.
    fn of(file: RepoPath, snapshot: &Snapshot) -> Self {
        let id = || {
            let document =
                Document::parse(file.as_str(), snapshot.read(&file).ok()?.bytes()).ok()?;
            Some(document.value().get("id")?.as_str()?.to_owned())
        };
        let name = id().unwrap_or_else(|| stem(&file).unwrap_or_default().to_owned());
        Self { name, file }
    }
}

/// The name of the file of a runbook, without what says that it is YAML.
fn stem(file: &RepoPath) -> Option<&str> {
    let name = file.file_name();
    name.strip_suffix(".yaml")
        .or_else(|| name.strip_suffix(".yml"))
}

impl Workspace {
    /// The runbooks that can be run by name, sorted. Two of one name are both listed.
    #[must_use]
    pub fn runbooks(&self, snapshot: &Snapshot) -> Vec<RunbookEntry> {
        let files = FOLDERS.iter().flat_map(|folder| files_in(snapshot, folder));
        let mut entries: Vec<RunbookEntry> =
            files.map(|file| RunbookEntry::of(file, snapshot)).collect();
        entries.sort();
        entries
    }

    /// Adds to what is odd about `runbook` what `all` the runbooks that can be run by name say of its own name.
    ///
    /// # Errors
    /// When another one has the same name.
    pub fn check_name(
        &self,
        mut runbook: RunbookFile,
        all: &[RunbookEntry],
        snapshot: &Snapshot,
    ) -> Result<RunbookFile, Error> {
        let id = runbook.plan.id();
        let Some(own) = all.iter().find(|entry| entry.file.as_str() == runbook.file) else {
            return Ok(runbook);
        };
        let other = all
            .iter()
            .find(|entry| entry.name == id.as_str() && entry.file != own.file);
        let finding = if let Some(other) = other {
            let message = format!(
                "there are two runbooks `{id}`: `{}` and `{}`",
                own.file, other.file
            );
            Diagnostic::error("duplicate-runbook", message).help("give one of them another `id`")
        } else if stem(&own.file) != Some(id.as_str()) {
            let message = format!("the runbook `{id}` is in a file of another name");
            let help = format!(
                "it is run as `{id}`; call its file `{id}.yaml`, so that it is found at once"
            );
            Diagnostic::warning("file-name", message).help(help)
        } else {
            return Ok(runbook);
        };
        let document = snapshot.read(&own.file).ok();
        let document =
            document.and_then(|source| Document::parse(&runbook.file, source.bytes()).ok());
        let place = document.and_then(|document| Some(document.at("/id")?.place()));
        runbook.warnings.push(Diagnostic { place, ..finding });
        runbook.warnings.sort();
        if runbook.warnings.has_errors() {
            return Err(Error::Document(runbook.warnings));
        }
        Ok(runbook)
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
            let is_file = || {
                let path = self.repo().path_of(&start.join(name));
                path.is_some_and(|path| snapshot.read(&path).is_ok())
            };
            let (runbook, bytes) = match self.named(name, snapshot, catalog) {
                Err(Error::NoSuchRunbook { .. }) if is_file() => {
                    return Err(Error::NotADocument(name.to_owned()));
                }
                found => found?,
            };
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
            return Ok(self.named(name, snapshot, catalog)?.0);
        }
        let path = RepoPath::parse(name)?;
        compile(
            path.as_str(),
            Some(path.to_string()),
            &read_inside(snapshot, &path)?,
            catalog,
        )
    }

    /// Makes sure that there is a runbook called `name`, or a file where it names one; it need not be valid.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn check_there_is(&self, name: &str) -> Result<(), Error> {
        let snapshot = self.snapshot();
        let all = self.runbooks(&snapshot);
        let is_it = |entry: &RunbookEntry| entry.name == name || entry.file.as_str() == name;
        if all.iter().any(is_it) {
            return Ok(());
        }
        if !looks_like_a_file(name) {
            return Err(no_such(name, all));
        }
        match RepoPath::parse(name) {
            Ok(path) => read_inside(&snapshot, &path).map(drop),
            // It lies outside.
            Err(_) => Ok(()),
        }
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

    /// The runbook whose id is `name`, and its text. It is looked for in the files of that name first, so that as
    /// a rule a repository of any size costs the same; in all others when it is not there.
    fn named(
        &self,
        name: &str,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<(RunbookFile, Vec<u8>), Error> {
        let of_that_name = files_named(name, snapshot)?;
        if let [(file, bytes)] = &of_that_name[..] {
            let runbook = compile(file.as_str(), Some(name.to_owned()), bytes, catalog)?;
            if runbook.plan.id().as_str() == name {
                return Ok((runbook, bytes.clone()));
            }
        }
        let all = self.runbooks(snapshot);
        let mut found = all.iter().filter(|entry| entry.name == name);
        match (found.next(), found.next()) {
            (Some(only), None) => {
                let bytes = read_inside(snapshot, &only.file)?;
                let call = Some(name.to_owned());
                Ok((compile(only.file.as_str(), call, &bytes, catalog)?, bytes))
            }
            (Some(first), Some(second)) => Err(Error::Ambiguous {
                name: name.to_owned(),
                first: first.file.to_string(),
                second: second.file.to_string(),
            }),
            (None, _) => Err(no_such(name, all)),
        }
    }
}

/// The runbooks in files called `name`, with their texts.
fn files_named(name: &str, snapshot: &Snapshot) -> Result<Vec<(RepoPath, Vec<u8>)>, Error> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for extension in ["yaml", "yml"] {
            let Ok(path) = RepoPath::parse(&format!("{folder}/{name}.{extension}")) else {
                continue;
            };
            match snapshot.read(&path) {
                Ok(source) => found.push((path, source.bytes().to_vec())),
                Err(Refusal::Missing) => {}
                Err(refusal) => return Err(unreadable(path.as_str(), &refusal)),
            }
        }
    }
    Ok(found)
}

fn no_such(name: &str, all: Vec<RunbookEntry>) -> Error {
    let in_file = |wanted: &str| {
        let entry = all.iter().find(|entry| stem(&entry.file) == Some(wanted))?;
        Some((entry.name.clone(), Some(entry.file.clone())))
    };
    let by_id = || did_you_mean(name, all.iter().map(|entry| entry.name.as_str()));
    let by_file = || did_you_mean(name, all.iter().filter_map(|entry| stem(&entry.file)));
    let similar = in_file(name)
        .or_else(|| Some((by_id()?.to_owned(), None)))
        .or_else(|| in_file(by_file()?));
    let mut known: Vec<String> = all.into_iter().map(|entry| entry.name).collect();
    known.dedup();
    Error::NoSuchRunbook {
        name: name.to_owned(),
        similar,
        known,
    }
}

fn files_in(snapshot: &Snapshot, folder: &str) -> Vec<RepoPath> {
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
        |file: &RepoPath| stem(file).is_some() && file.parent().as_ref() == Some(&folder);
    listing.files.into_iter().filter(is_runbook).collect()
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
