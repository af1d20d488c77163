use std::cell::OnceCell;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use windlass_base::{
    Cancel, Diagnostic, Diagnostics, Digest, Ident, Place, RepoPath, did_you_mean, names_a_file,
};
use windlass_notebook::SavedRunbook;
use windlass_notebook::shared::Mark;
use windlass_plan::{Catalog, Document, Plan};
use windlass_repo::{ListQuery, Refusal, Snapshot};

use crate::RunbookError;
use crate::{Error, Workspace};
use windlass_site::{read_inside, unreadable};

/// The folders runbooks are looked for in, in this order.
pub(crate) const FOLDERS: [&str; 2] = ["runbooks", ".windlass"];

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
    /// The conditions by which it asks for variables of the environment, which only molecules do.
    pub(crate) asks: Vec<String>,
    /// Where its id stands.
    id_place: Option<Place>,
}

impl RunbookFile {
    /// A runbook that was made of something else, which is called `name` for those who trust it.
    pub(crate) fn made(name: &str, plan: Plan, digest: Digest) -> Self {
        Self {
            file: name.to_owned(),
            call: Some(name.to_owned()),
            plan: Arc::new(plan),
            warnings: Diagnostics::default(),
            digest,
            asks: Vec::new(),
            id_place: None,
        }
    }
}

/// A runbook that can be run by name, which is its id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunbookEntry {
    /// The name to run it by: its id; where none can be read, the name of its file.
    pub name: String,
    /// Where it is.
    #[serde(rename = "file")]
    pub place: RunbookPlace,
}

/// Where a runbook is that can be run by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunbookPlace {
    /// In the notebook, under this name.
    Notebook(Ident),
    /// In a file of the repository.
    File(RepoPath),
}

/// The runbooks that can be run by name, once somebody asks for them: to list them, all are looked into.
pub(crate) type AllRunbooks = OnceCell<Vec<RunbookEntry>>;

/// What is written before the name of a runbook that is meant to be the notebook's.
const IN_NOTEBOOK: &str = "notebook:";

impl fmt::Display for RunbookPlace {
    /// What it can be named by where its name alone would not do: `notebook:api`, `runbooks/api.yaml`.
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
    fn file(&self) -> Option<&RepoPath> {
        match self {
            Self::Notebook(_) => None,
            Self::File(file) => Some(file),
        }
    }
}

impl RunbookEntry {
    /// The runbook in `file`.
    fn of(file: RepoPath, snapshot: &Snapshot) -> Self {
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

    /// The runbook that is saved as `runbook`.
    fn saved(runbook: &SavedRunbook) -> Self {
        Self {
            name: runbook.id.to_string(),
            place: RunbookPlace::Notebook(runbook.id.clone()),
        }
    }
}

/// The name of the file of a runbook, without what says that it is YAML.
pub(crate) fn stem(file: &RepoPath) -> Option<&str> {
    let name = file.file_name();
    name.strip_suffix(".yaml")
        .or_else(|| name.strip_suffix(".yml"))
}

impl Workspace {
    /// The runbooks that can be run by name, sorted. Two of one name are both listed.
    #[must_use]
    pub fn runbooks(&self, snapshot: &Snapshot) -> Vec<RunbookEntry> {
        let files = FOLDERS.iter().flat_map(|folder| files_in(snapshot, folder));
        let files = files.map(|file| RunbookEntry::of(file, snapshot));
        let saved = self.saved_runbooks();
        let mut entries: Vec<RunbookEntry> =
            files.chain(saved.iter().map(RunbookEntry::saved)).collect();
        entries.sort();
        entries
    }

    /// What to say to who names no runbook: which there are.
    #[must_use]
    pub fn no_runbook_named(&self) -> Error {
        let all = self.runbooks(&self.snapshot());
        RunbookError::NoRunbookNamed { known: names(&all) }.into()
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
        let Some(own) = all
            .iter()
            .find(|entry| entry.place.to_string() == runbook.file)
        else {
            return Ok(runbook);
        };
        let mut others = all
            .iter()
            .filter(|entry| entry.name == id.as_str() && entry.place != own.place);
        let other = others.find(|other| !self.is_handed_over(own, other, snapshot));
        let has_name = |file| stem(file) == Some(id.as_str());
        let finding = if let Some(other) = other {
            let message = format!(
                "there are two runbooks `{id}`: `{}` and `{}`",
                own.place, other.place
            );
            Diagnostic::error("duplicate-runbook", message).help("give one of them another `id`")
        } else if !own.place.file().is_none_or(has_name) {
            let message = format!("the runbook `{id}` is in a file of another name");
            let help = format!(
                "it is run as `{id}`; call its file `{id}.yaml`, so that it is found at once"
            );
            Diagnostic::warning("file-name", message).help(help)
        } else {
            return Ok(runbook);
        };
        let place = runbook.id_place.clone();
        runbook.warnings.push(Diagnostic { place, ..finding });
        runbook.warnings.sort();
        if runbook.warnings.has_errors() {
            return Err(Error::document(runbook.warnings));
        }
        Ok(runbook)
    }

    /// Whether one of two runbooks of one name is the other, handed over: the notebook's, as it stands in a file.
    fn is_handed_over(
        &self,
        one: &RunbookEntry,
        other: &RunbookEntry,
        snapshot: &Snapshot,
    ) -> bool {
        if one.place.file().is_some() == other.place.file().is_some() {
            return false;
        }
        let text = |entry: &RunbookEntry| self.text_of(&entry.place, snapshot);
        match (text(one), text(other)) {
            (Ok(one), Ok(other)) => same_text(&one, &other),
            _ => false,
        }
    }

    /// What the runbook is recorded as that is called `name`, or lies in the file `name` from `start`.
    #[must_use]
    pub fn recorded_name(&self, name: &str, start: &Path) -> String {
        let file = looks_like_a_file(name).then(|| self.repo().path_of(&start.join(name)));
        file.flatten()
            .map_or_else(|| name.to_owned(), |path| path.to_string())
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
        // One state of the notebook serves all runbooks that this one names.
        let same = self.with_one_notebook();
        match same.find_runbook(name, start, snapshot, catalog) {
            // It may be in a notebook that this repository had before it was moved.
            Err(error) if is_no_such(&error) && same.saved_runbooks().is_empty() => {
                same.adopt_if_moved();
                same.mention_relatives();
                same.find_runbook(name, start, snapshot, catalog)
            }
            found => found,
        }
    }

    fn find_runbook(
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
            let all = OnceCell::new();
            let (runbook, document) = match self.named(name, snapshot, catalog, &all) {
                Err(error) if is_no_such(&error) && is_file() => {
                    return Err(RunbookError::NotADocument(name.to_owned()).into());
                }
                found => found?,
            };
            return self.check_nested(runbook, &document, snapshot, catalog, &all);
        }
        let (file, bytes) = self.files().read_document(name, start, snapshot)?;
        let document = Document::parse(&file, &bytes).map_err(Error::document)?;
        let digest = Digest::of_bytes(&bytes);
        self.runbook_in(&document, digest, &start.join(name), snapshot, catalog)
    }

    /// Checks the runbook that `document` is, read from `path`; `digest` is that of its text.
    ///
    /// # Errors
    /// When it is not valid.
    pub(crate) fn runbook_in(
        &self,
        document: &Document,
        digest: Digest,
        path: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        let call = self.repo().path_of(path).map(|path| path.to_string());
        let runbook = compile_document(document, digest, call, catalog)?;
        self.check_nested(runbook, document, snapshot, catalog, &OnceCell::new())
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
        all: &AllRunbooks,
    ) -> Result<RunbookFile, Error> {
        if !looks_like_a_file(name) {
            return Ok(self.named(name, snapshot, catalog, all)?.0);
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
        let is_it = |entry: &RunbookEntry| entry.name == name || entry.place.to_string() == name;
        if all.iter().any(is_it) {
            return Ok(());
        }
        if !looks_like_a_file(name) {
            return Err(no_such(name, &all));
        }
        match RepoPath::parse(name) {
            Ok(path) => read_inside(&snapshot, &path).map(drop),
            // It lies outside.
            Err(_) => Ok(()),
        }
    }

    /// The document of the runbook called `name`, as it may be shown: secret values in it are replaced.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn runbook_text(&self, name: &str) -> Result<String, Error> {
        let snapshot = self.snapshot();
        let all = self.runbooks(&snapshot);
        let entry = all.iter().find(|entry| entry.name == name);
        let text = match &entry.ok_or_else(|| no_such(name, &all))?.place {
            RunbookPlace::File(file) => {
                let bytes = read_inside(&snapshot, file)?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            RunbookPlace::Notebook(id) => {
                let saved = self.saved_runbooks();
                let saved = saved.iter().find(|saved| saved.id == *id);
                saved.ok_or_else(|| no_such(name, &all))?.text.clone()
            }
        };
        Ok(windlass_redact::redact_text(&text).0.as_str().to_owned())
    }

    /// The runbook whose id is `name`, and its document: one of the notebook, else of the repository. It is looked for
    /// in the files of that name first, so that as a rule a repository of any size costs the same; in `all` others
    /// when it is not there.
    fn named(
        &self,
        name: &str,
        snapshot: &Snapshot,
        catalog: &Catalog,
        all: &AllRunbooks,
    ) -> Result<(RunbookFile, Document), Error> {
        let saved = self.saved_runbooks();
        let all = || all.get_or_init(|| self.runbooks(snapshot));
        if let Some(id) = name.strip_prefix(IN_NOTEBOOK) {
            let kept = saved.iter().find(|runbook| runbook.id.as_str() == id);
            let kept = kept.ok_or_else(|| no_such(id, all()))?;
            return compile_saved(kept, name, catalog);
        }
        let kept = saved.iter().find(|runbook| runbook.id.as_str() == name);
        let of_that_name = files_named(name, snapshot)?;
        let call = || Some(name.to_owned());
        if let Some(kept) = kept {
            let is_twin = |(_, bytes): &&(RepoPath, Vec<u8>)| {
                Document::text_of_field(bytes, "id").as_deref() == Some(name)
            };
            return match of_that_name.iter().find(is_twin) {
                // Handed over as it is: what everybody has counts.
                Some((file, bytes)) if same_text(bytes, kept.text.as_bytes()) => {
                    read_and_compile(file.as_str(), call(), bytes, catalog)
                }
                Some((file, _)) => Err(RunbookError::Ambiguous {
                    name: name.to_owned(),
                    first: RunbookPlace::Notebook(kept.id.clone()).to_string(),
                    second: file.to_string(),
                }
                .into()),
                None => compile_saved(kept, name, catalog),
            };
        }
        if let [(file, bytes)] = &of_that_name[..] {
            let found = read_and_compile(file.as_str(), call(), bytes, catalog)?;
            if found.0.plan.id().as_str() == name {
                return Ok(found);
            }
        }
        let mut found = all().iter().filter(|entry| entry.name == name);
        match (found.next(), found.next()) {
            (Some(only), None) => {
                let bytes = self.text_of(&only.place, snapshot)?;
                read_and_compile(&only.place.to_string(), call(), &bytes, catalog)
            }
            (Some(first), Some(second)) => Err(RunbookError::Ambiguous {
                name: name.to_owned(),
                first: first.place.to_string(),
                second: second.place.to_string(),
            }
            .into()),
            (None, _) => Err(self
                .dangling_runbook(name)
                .unwrap_or_else(|| no_such(name, all()))),
        }
    }

    /// The text of the runbook at `place`.
    pub(crate) fn text_of(
        &self,
        place: &RunbookPlace,
        snapshot: &Snapshot,
    ) -> Result<Vec<u8>, Error> {
        match place {
            RunbookPlace::File(file) => read_inside(snapshot, file),
            RunbookPlace::Notebook(id) => {
                let saved = self.saved_runbooks();
                let runbook = saved.iter().find(|runbook| runbook.id == *id);
                let runbook = runbook.ok_or_else(|| no_such(id.as_str(), &[]))?;
                Ok(runbook.text.clone().into_bytes())
            }
        }
    }
}

/// Whether two runbooks are the same, whatever git made of the ends of their lines.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    let mark = |bytes| std::str::from_utf8(bytes).ok().map(Mark::of_runbook);
    one == other || mark(one).is_some_and(|one| mark(other) == Some(one))
}

fn compile_saved(
    saved: &SavedRunbook,
    call: &str,
    catalog: &Catalog,
) -> Result<(RunbookFile, Document), Error> {
    let place = RunbookPlace::Notebook(saved.id.clone()).to_string();
    read_and_compile(
        &place,
        Some(call.to_owned()),
        saved.text.as_bytes(),
        catalog,
    )
}

/// The files that a runbook called `name` would be in.
pub(crate) fn files_called(name: &str) -> impl Iterator<Item = RepoPath> {
    FOLDERS.iter().flat_map(move |folder| {
        ["yaml", "yml"].iter().filter_map(move |extension| {
            RepoPath::parse(&format!("{folder}/{name}.{extension}")).ok()
        })
    })
}

/// The runbooks in files called `name`, with their texts.
fn files_named(name: &str, snapshot: &Snapshot) -> Result<Vec<(RepoPath, Vec<u8>)>, Error> {
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

fn no_such(name: &str, all: &[RunbookEntry]) -> Error {
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

fn is_no_such(error: &Error) -> bool {
    error.is(|error| matches!(error, RunbookError::NoSuchRunbook { .. }))
}

fn names(all: &[RunbookEntry]) -> Vec<String> {
    let mut names: Vec<String> = all.iter().map(|entry| entry.name.clone()).collect();
    names.dedup();
    names
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
    if name.starts_with(IN_NOTEBOOK) {
        return false;
    }
    names_a_file(name)
}

/// Checks the document `bytes` and makes a plan of it.
pub(crate) fn compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    Ok(read_and_compile(file, call, bytes, catalog)?.0)
}

/// The same, and the document.
pub(crate) fn read_and_compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<(RunbookFile, Document), Error> {
    let document = Document::parse(file, bytes).map_err(Error::document)?;
    let runbook = compile_document(&document, Digest::of_bytes(bytes), call, catalog)?;
    Ok((runbook, document))
}

fn compile_document(
    document: &Document,
    digest: Digest,
    call: Option<String>,
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    let (plan, warnings) =
        windlass_plan::resolve_document(document, catalog).map_err(Error::document)?;
    Ok(RunbookFile {
        file: document.source().name().to_owned(),
        call,
        plan: Arc::new(plan),
        warnings,
        digest,
        asks: Vec::new(),
        id_place: document.at("/id").map(|id| id.place()),
    })
}
