//! Finds the repository's counterpart of a notebook runbook.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Ident, RepoPath};
use windlass_plan::Catalog;
use windlass_repo::{Refusal, Snapshot};

use windlass_site::unreadable;

use crate::anchor_exchange::Mark;
use crate::shelf::compile;
use crate::{NotebookEdit, RunbookPlace, RunbookShelf, SavedRunbook};

/// The repository's runbook of the same name as one in the notebook.
pub(super) enum Twin {
    /// There's none. An export would write one to this path.
    None(RepoPath),
    /// The file with the runbook, and its text.
    File(RepoPath, String),
    /// There's a file that we can't read or must not overwrite, for this reason.
    InTheWay(String),
}

impl Twin {
    pub(super) fn mark(&self) -> Option<Mark> {
        match self {
            Self::File(_, text) => Some(Mark::of_runbook(text)),
            Self::None(_) | Self::InTheWay(_) => None,
        }
    }
}

pub(super) struct RunbookFiles<'a> {
    snapshot: &'a Snapshot,
    by_name: BTreeMap<String, Vec<RepoPath>>,
    /// Paths in lowercase. On a file system that ignores case, `Api.yaml` and `api.yaml` are the
    /// same file.
    small: BTreeSet<String>,
    catalog: Catalog,
}

impl<'a> RunbookFiles<'a> {
    pub(super) fn new(shelf: &RunbookShelf, catalog: Catalog, snapshot: &'a Snapshot) -> Self {
        let mut by_name: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        let mut small = BTreeSet::new();
        let none_saved = shelf.with_saved(Vec::new());
        for entry in none_saved.all(snapshot) {
            if let RunbookPlace::File(file) = entry.place {
                small.insert(file.as_str().to_lowercase());
                by_name.entry(entry.name).or_default().push(file);
            }
        }
        Self {
            snapshot,
            by_name,
            small,
            catalog,
        }
    }

    /// Finds the repository's runbook named `id`, or else the path for exporting it.
    pub(super) fn twin(&self, id: &Ident) -> Twin {
        match self.by_name.get(id.as_str()).map(Vec::as_slice) {
            None | Some([]) => self.free_place(id),
            Some([file]) => match self.snapshot.read(file) {
                Ok(source) => match std::str::from_utf8(source.bytes()) {
                    Ok(text) => Twin::File(file.clone(), text.to_owned()),
                    Err(_) => Twin::InTheWay(format!("`{file}` is not UTF-8")),
                },
                Err(refusal) => Twin::InTheWay(unreadable(file.as_str(), &refusal).to_string()),
            },
            Some([first, second, ..]) => Twin::InTheWay(format!(
                "the repository has two of that name: `{first}` and `{second}`"
            )),
        }
    }

    pub(super) fn why_invalid(&self, file: &RepoPath, text: &str) -> Option<String> {
        let compiled = compile(file.as_str(), None, text.as_bytes(), &self.catalog);
        compiled
            .is_err()
            .then(|| format!("`{file}` is not valid; run `windlass check {file}` to see why"))
    }

    fn free_place(&self, id: &Ident) -> Twin {
        let Ok(file) = RepoPath::parse(&format!("runbooks/{id}.yaml")) else {
            return Twin::InTheWay("no file can have that name".to_owned());
        };
        if let Some(rule) = self.snapshot.repo().secrets().rule_for(file.as_str()) {
            return Twin::InTheWay(format!("`{file}` would be a secret file (`{rule}`)"));
        }
        if self.small.contains(&file.as_str().to_lowercase()) {
            return Twin::InTheWay(format!(
                "the repository has another runbook in `{file}`, or in a file whose name differs by small and capital \
                 letters alone"
            ));
        }
        match self.snapshot.read(&file) {
            Err(Refusal::Missing) => Twin::None(file),
            Ok(_) => Twin::InTheWay(format!("`{file}` holds something else")),
            Err(refusal) => Twin::InTheWay(unreadable(file.as_str(), &refusal).to_string()),
        }
    }
}

pub(super) fn saved(edit: &NotebookEdit<'_>) -> BTreeMap<Ident, SavedRunbook> {
    let runbooks = edit.runbooks().into_iter();
    runbooks
        .map(|runbook| (runbook.id.clone(), runbook))
        .collect()
}

/// Gives `text` the line endings of `old`, which it's about to replace.
pub(super) fn with_ends_of(text: &str, old: &str) -> String {
    let text = text.replace("\r\n", "\n");
    if old.contains("\r\n") {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}
