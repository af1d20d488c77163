//! Finds runbooks by name, in the notebook and in the folders `runbooks` and `.windlass`.
//!
//! A runbook's name is the `id` in its document, which need not be the name of its file. Names
//! should be unique across all of these places. The one exception is an exported runbook, which is
//! both in the notebook and in `runbooks/`: as long as the texts are equal, both count as the same
//! runbook.

mod linked_runbooks;
mod nested_check;
mod nested_inputs;
mod runbook_error;
mod runbook_file;
mod runbook_place;
mod shelf_health;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use windlass_base::{Diagnostic, Digest, RepoPath};
use windlass_plan::{Catalog, Document};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site, read_inside};

use self::linked_runbooks::{dangling_runbook, linked_runbooks};
use self::nested_check::check_nested;
use self::runbook_file::{compile_document, compile_saved, same_text};
use self::runbook_place::{
    AllRunbooks, FOLDERS, IN_NOTEBOOK, files_in, files_named, is_no_such, looks_like_a_file, names,
    no_such, stem,
};
use crate::{NotebookDesk, SavedRunbook};

pub use self::nested_check::{MAX_NESTING, nested_steps};
pub use self::runbook_error::RunbookError;
pub use self::runbook_file::RunbookFile;
pub use self::runbook_place::{RunbookEntry, RunbookPlace};

pub(crate) use self::runbook_file::{compile, read_and_compile};

/// Finds the runbooks of a repository and its notebook.
#[derive(Debug, Clone)]
pub struct RunbookShelf {
    desk: NotebookDesk,
}

impl RunbookShelf {
    /// Creates the shelf for the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self::at(NotebookDesk::new(site))
    }

    /// Like [`Self::new`], for an existing desk.
    #[must_use]
    pub fn at(desk: NotebookDesk) -> Self {
        Self { desk }
    }

    /// A shelf that reads the notebook only once, so that all runbooks come from the same state
    /// even if another process writes in between.
    #[must_use]
    pub fn with_one_notebook(&self) -> Self {
        Self::at(self.desk.with_one_state())
    }

    /// A shelf with `runbooks` in place of the notebook's own. We use this to check an edit before
    /// it is saved.
    #[must_use]
    pub(crate) fn with_saved(&self, runbooks: Vec<SavedRunbook>) -> Self {
        Self::at(self.desk.with_saved(runbooks))
    }

    pub(crate) fn root(&self) -> &Path {
        self.site().repo().root()
    }

    fn site(&self) -> &Site {
        self.desk.site()
    }

    fn saved(&self) -> Arc<[SavedRunbook]> {
        self.desk.saved_runbooks()
    }

    /// Lists all runbooks available by name, sorted. If two have the same name, the list includes
    /// both.
    #[must_use]
    pub fn all(&self, snapshot: &Snapshot) -> Vec<RunbookEntry> {
        let files = FOLDERS.iter().flat_map(|folder| files_in(snapshot, folder));
        let files = files.map(|file| RunbookEntry::of(file, snapshot));
        let saved = self.saved();
        let mut entries: Vec<RunbookEntry> =
            files.chain(saved.iter().map(RunbookEntry::saved)).collect();
        entries.sort();
        entries
    }

    /// The error for a call without a runbook. It lists the known names.
    #[must_use]
    pub fn none_named(&self) -> Error {
        let all = self.all(&self.site().snapshot());
        RunbookError::NoRunbookNamed { known: names(&all) }.into()
    }

    /// Checks that no other runbook shares the name of `runbook`, and warns if its file has a
    /// different name. `all` contains the runbooks available by name.
    ///
    /// # Errors
    /// Returns an error if another runbook has the same name.
    pub fn check_name(
        &self,
        mut runbook: RunbookFile,
        all: &[RunbookEntry],
        snapshot: &Snapshot,
    ) -> Result<RunbookFile, Error> {
        let id = runbook.plan.id();
        // A runbook outside of our folders isn't available by name, so it can't clash with others.
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
                "duplicate runbook `{id}`: `{}` and `{}`",
                own.place, other.place
            );
            Diagnostic::error("duplicate-runbook", message)
                .help("give one of them a different `id`")
        } else if !own.place.file().is_none_or(has_name) {
            let message = format!("the runbook `{id}` is in a file with a different name");
            let help = format!("it is run as `{id}`; rename its file to `{id}.yaml`");
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

    /// True if two runbooks of the same name are copies, because one is an export of the other. Two
    /// files, or two entries of the notebook, never are.
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

    /// The runbook's name in records of its runs. `name` is a runbook's name, or a file relative to
    /// `start`. Files are recorded relative to the root, so the folder of the call does not matter.
    #[must_use]
    pub fn recorded_name(&self, name: &str, start: &Path) -> String {
        let file = looks_like_a_file(name).then(|| self.site().repo().path_of(&start.join(name)));
        file.flatten()
            .map_or_else(|| name.to_owned(), |path| path.to_string())
    }

    /// Finds and checks a runbook. `name` is a runbook's name, or a file relative to `start`.
    ///
    /// # Errors
    /// Returns an error if no runbook or more than one matches, or if the runbook is invalid.
    pub fn find(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        // Nested runbooks must come from the same state of the notebook as the outer one.
        let same = self.with_one_notebook();
        match same.found(name, start, snapshot, catalog) {
            // If the repository was moved, the runbook may be in the notebook of its former
            // location.
            Err(error) if is_no_such(&error) && same.saved().is_empty() => {
                same.desk.adopt_if_moved();
                same.desk.mention_relatives();
                same.found(name, start, snapshot, catalog)
            }
            found => found,
        }
    }

    fn found(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        if !looks_like_a_file(name) {
            // The user may have meant a file that doesn't look like one, e.g. `deploy` instead of
            // `deploy.yaml`. Only check this after looking for a runbook of that name.
            let is_file = || {
                let path = self.site().repo().path_of(&start.join(name));
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
        let (file, bytes) = self.site().files().read_document(name, start, snapshot)?;
        let document = Document::parse(&file, &bytes).map_err(Error::document)?;
        let digest = Digest::of_bytes(&bytes);
        self.runbook_in(&document, digest, &start.join(name), snapshot, catalog)
    }

    /// Compiles the runbook in `document`, and checks its nested runbooks. `path` is the document's
    /// file, and `digest` the digest of its text.
    ///
    /// # Errors
    /// Returns an error if the runbook is invalid.
    pub fn runbook_in(
        &self,
        document: &Document,
        digest: Digest,
        path: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        let call = self
            .site()
            .repo()
            .path_of(path)
            .map(|path| path.to_string());
        let runbook = compile_document(document, digest, call, catalog)?;
        self.check_nested(runbook, document, snapshot, catalog, &OnceCell::new())
    }

    /// Finds a nested runbook by name or by file. Unlike [`RunbookShelf::find`], this refuses files
    /// outside of the repository, because the name comes from a document and not from the user.
    ///
    /// # Errors
    /// Returns an error in the cases of [`RunbookShelf::find`].
    pub fn nested(
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

    /// Checks that a runbook or a file `name` exists, valid or not.
    ///
    /// # Errors
    /// Returns an error if neither exists.
    pub fn check_there_is(&self, name: &str) -> Result<(), Error> {
        let snapshot = self.site().snapshot();
        let all = self.all(&snapshot);
        let is_it = |entry: &RunbookEntry| entry.name == name || entry.place.to_string() == name;
        if all.iter().any(is_it) {
            return Ok(());
        }
        if !looks_like_a_file(name) {
            return Err(no_such(name, &all));
        }
        match RepoPath::parse(name) {
            Ok(path) => read_inside(&snapshot, &path).map(drop),
            // Users may run files outside of the repository. We don't check these here.
            Err(_) => Ok(()),
        }
    }

    /// The text of the runbook `name`, with secret values redacted.
    ///
    /// # Errors
    /// Returns an error if the runbook does not exist or is unreadable.
    pub fn text(&self, name: &str) -> Result<String, Error> {
        let snapshot = self.site().snapshot();
        let all = self.all(&snapshot);
        let entry = all.iter().find(|entry| entry.name == name);
        let text = match &entry.ok_or_else(|| no_such(name, &all))?.place {
            RunbookPlace::File(file) => {
                let bytes = read_inside(&snapshot, file)?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            RunbookPlace::Notebook(id) => {
                let saved = self.saved();
                let saved = saved.iter().find(|saved| saved.id == *id);
                saved.ok_or_else(|| no_such(name, &all))?.text.clone()
            }
        };
        Ok(windlass_redact::redact_text(&text).0.as_str().to_owned())
    }

    /// Finds the runbook `name` in the notebook or the repository, along with its document.
    ///
    /// We try the files of that name before we list all runbooks. A runbook is usually in the file
    /// with its name, so the cost does not depend on the repository's size in practice.
    fn named(
        &self,
        name: &str,
        snapshot: &Snapshot,
        catalog: &Catalog,
        all: &AllRunbooks,
    ) -> Result<(RunbookFile, Document), Error> {
        let saved = self.saved();
        let all = || all.get_or_init(|| self.all(snapshot));
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
                // The runbook was exported and hasn't changed since, so it doesn't matter which one
                // we take.
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
                // The file's name says nothing definite: the document may have another `id`, and
                // then the list has to decide.
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
            (None, _) => {
                Err(dangling_runbook(self.site().repo(), name)
                    .unwrap_or_else(|| no_such(name, all())))
            }
        }
    }

    /// Lists links in the runbook folders that are named like a runbook, sorted. Broken ones come
    /// with an error.
    #[must_use]
    pub fn linked(&self, snapshot: &Snapshot) -> Vec<(RepoPath, Option<Error>)> {
        linked_runbooks(self.site().repo(), snapshot)
    }

    /// Checks the runbooks nested in `runbook`.
    ///
    /// A missing runbook, a cycle or excessive nesting is an error. An invalid nested runbook is
    /// only worth a warning, because the run may never get there.
    pub(crate) fn check_nested(
        &self,
        runbook: RunbookFile,
        document: &Document,
        snapshot: &Snapshot,
        catalog: &Catalog,
        all: &AllRunbooks,
    ) -> Result<RunbookFile, Error> {
        check_nested(runbook, document, &|name| {
            self.nested(name, snapshot, catalog, all)
        })
    }

    /// The text of the runbook at `place` as it is, including secret values.
    pub(crate) fn text_of(
        &self,
        place: &RunbookPlace,
        snapshot: &Snapshot,
    ) -> Result<Vec<u8>, Error> {
        match place {
            RunbookPlace::File(file) => read_inside(snapshot, file),
            RunbookPlace::Notebook(id) => {
                let saved = self.saved();
                let runbook = saved.iter().find(|runbook| runbook.id == *id);
                let runbook = runbook.ok_or_else(|| no_such(id.as_str(), &[]))?;
                Ok(runbook.text.clone().into_bytes())
            }
        }
    }
}
