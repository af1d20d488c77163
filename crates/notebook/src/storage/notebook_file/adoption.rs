//! Adopts a notebook whose repository was moved or cloned to this location.
//!
//! Notebooks are stored by location. If a repository is moved, its notebook stays in the folder for
//! the old location, and at first the repository seems to have none.

use std::path::{Path, PathBuf};

use windlass_repo::Owner;
use windlass_store::{RootedPath, folders_in, read_file};

use crate::storage::edit_mode::EditMode;
use crate::storage::notebook_document::Parsed;
use crate::storage::notebook_place::NotebookPlace;
use crate::storage::parsed_notebook::parse;
use crate::storage::rewriting::Standing;
use crate::storage::superseded::History;
use crate::{Edited, NotebookEdit, NotebookError, NotebookFile, Writer};

/// Maximum number of folders searched for notebooks.
const MAX_FOLDERS: usize = 1_000;

/// Name of the file that marks a notebook as adopted. It contains the path of the notebook that did
/// so.
const MARK: &str = "adopted";
/// Maximum size of that file in bytes.
const MAX_MARK_BYTES: u64 = 16 << 10;

/// A notebook at another location that may belong to this repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// The notebook file to adopt.
    pub path: PathBuf,
    /// Git folder of the repository at the other location, which may no longer exist.
    pub place: PathBuf,
}

/// A notebook at another location, with its owner.
struct Stranger {
    relative: Relative,
    owner: Owner,
    /// Path of the notebook that adopted this one.
    adopter: Option<PathBuf>,
}

impl NotebookFile {
    /// Returns this repository's notebooks from former locations. The file system must prove the
    /// move: the git folder has the same birth time, and the former location no longer exists. This
    /// doesn't start git.
    ///
    /// Equal first commits prove nothing, because all clones of a template share them. Neither does
    /// a missing location, since a clone may have been deleted. If these were enough, one clone
    /// could take over another's private anchors.
    ///
    /// # Errors
    /// Returns an error if the folder of notebooks cannot be read.
    pub(crate) fn moved_from(&self) -> Result<Vec<Relative>, NotebookError> {
        let Some(birth) = self.at.repo.birth() else {
            return Ok(Vec::new());
        };
        let mut found = self.at.strangers_elsewhere()?;
        found.retain(|one| {
            // An error doesn't prove that the location is gone. For example, we may not have access
            // to it.
            one.owner.birth == Some(birth) && matches!(one.relative.place.try_exists(), Ok(false))
        });
        // After several moves, all notebooks but the last have been adopted at a later location, so
        // only the last one is a candidate.
        let paths: Vec<PathBuf> = found.iter().map(|one| one.relative.path.clone()).collect();
        found.retain(|one| {
            let adopter = one.adopter.as_deref();
            adopter.is_none_or(|by| by != self.path() && !paths.iter().any(|path| path == by))
        });
        Ok(found.into_iter().map(|one| one.relative).collect())
    }

    /// Returns the notebooks at other locations that may belong to this repository, sorted by
    /// location. Their repositories have either the same first commits or the same git folder.
    ///
    /// # Errors
    /// Returns an error if the folder of notebooks cannot be read.
    pub(crate) fn relatives(&self) -> Result<Vec<Relative>, NotebookError> {
        let mut found = self.at.strangers_elsewhere()?;
        if !found.is_empty() {
            // We need git to find the first commits, so only look for them if there's a notebook to
            // compare.
            let Owner { lineage, birth, .. } = self.at.repo.owner(None);
            found.retain(|one| {
                let is_same = birth.is_some() && one.owner.birth == birth;
                is_same || one.owner.lineage.iter().any(|one| lineage.contains(one))
            });
        }
        Ok(found.into_iter().map(|one| one.relative).collect())
    }

    /// Adopts the notebook `relative` with its history. The only change to the source is a mark
    /// that it was adopted.
    ///
    /// # Errors
    /// Returns an error if this repository already has a notebook, or if the source is damaged or
    /// cannot be read.
    pub fn adopt(
        &self,
        writer: &Writer,
        mode: EditMode,
        relative: &Relative,
    ) -> Result<Edited<()>, NotebookError> {
        let _guard = self.at.begin(mode)?;
        if self.at.text()?.is_some() {
            return Err(NotebookError::Inhabited {
                path: self.path().to_owned(),
            });
        }
        let there = self.at.place.with_path(&relative.path);
        let there = there.unwrap_or_else(|| RootedPath::typed(&relative.path));
        let text = NotebookPlace::text_at(&there)?.unwrap_or_default();
        let mut edit = foreign(&text, &relative.path)?;
        edit.follow(&NotebookEdit::default());
        let before = edit.revision();
        let revision = match mode {
            EditMode::DryRun => before,
            EditMode::Write => {
                // Another repository's revisions may be left in our history, with numbers that the
                // adopted notebook uses as well.
                self.at.set_strangers_aside()?;
                let old = History::of(&there);
                for snapshot in old.snapshots()? {
                    // A revision that can't be read couldn't be restored either.
                    let Ok(Some(text)) = NotebookPlace::text_at(&snapshot.place) else {
                        continue;
                    };
                    if let Ok(edit) = foreign(&text, snapshot.place.path()) {
                        self.at.rewrite(&edit, snapshot.revision)?;
                    }
                }
                let (revision, _) = self.at.replace(&edit, Standing::Missing, writer, None)?;
                let mark = there.with_file_name(MARK);
                self.at
                    .write(&mark, self.path().to_string_lossy().as_bytes())?;
                revision
            }
        };
        Ok(Edited {
            answer: (),
            before,
            revision,
            changes: edit.changes().clone(),
            set_aside: None,
        })
    }
}

impl NotebookPlace {
    fn strangers_elsewhere(&self) -> Result<Vec<Stranger>, NotebookError> {
        let own = self.place.parent();
        let repos = own.as_ref().and_then(RootedPath::parent);
        let (true, Some(own), Some(repos)) = (self.enabled, own, repos) else {
            return Ok(Vec::new());
        };
        let folders = folders_in(&repos)?.into_iter().take(MAX_FOLDERS);
        let others = folders.filter(|folder| *folder != own);
        let mut found: Vec<Stranger> = others.filter_map(|folder| self.stranger(&folder)).collect();
        found.sort_by(|a, b| a.relative.place.cmp(&b.relative.place));
        Ok(found)
    }

    fn stranger(&self, folder: &RootedPath) -> Option<Stranger> {
        let file = folder.join(self.path().file_name()?);
        let owner = Self::owner_of(&file)?;
        let path = file.path().to_owned();
        let place = owner.place.clone()?;
        let mark = read_file(&folder.join(MARK), MAX_MARK_BYTES).ok().flatten();
        let adopter = mark.and_then(|mark| String::from_utf8(mark).ok());
        Some(Stranger {
            relative: Relative { path, place },
            owner,
            adopter: adopter.map(PathBuf::from),
        })
    }
}

/// Parses the notebook `text` from another location, as read from `path`. A damaged one is refused.
fn foreign<'a>(text: &'a [u8], path: &Path) -> Result<NotebookEdit<'a>, NotebookError> {
    let Parsed { document, lost } = parse(text, path)?;
    match lost.first() {
        Some(lost) => Err(NotebookError::DamagedRevision {
            revision: document.revision,
            path: path.to_owned(),
            why: lost.to_string(),
        }),
        None => Ok(NotebookEdit::from(document)),
    }
}
