//! Notebooks of repositories in other places, which may be this one: it was moved, or cloned.

use std::path::{Path, PathBuf};

use windlass_repo::Owner;
use windlass_store::{RootedPath, folders_in, read_file};

use crate::storage::edit_mode::EditMode;
use crate::storage::notebook_place::NotebookPlace;
use crate::storage::parsed_notebook::{Parsed, parse};
use crate::storage::rewriting::Standing;
use crate::storage::superseded::History;
use crate::{Edited, NotebookEdit, NotebookError, NotebookFile, Writer};

/// The most folders that are looked at.
const MAX_FOLDERS: usize = 1_000;

/// Stands beside a notebook that was adopted, and names the one that took it over.
const MARK: &str = "adopted";
/// The longest such mark, in bytes.
const MAX_MARK_BYTES: u64 = 16 << 10;

/// The notebook of a repository in another place, which may be this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// The file.
    pub path: PathBuf,
    /// Where its repository is, or was: git's folder.
    pub place: PathBuf,
}

/// A notebook of another place, and what is known of it.
struct Stranger {
    relative: Relative,
    owner: Owner,
    /// The notebook that took it over.
    adopter: Option<PathBuf>,
}

impl NotebookFile {
    /// The notebooks of other places that this very repository had, as the file system proves: git's folder is the same
    /// one, and is no longer there. Git is not asked.
    ///
    /// First commits in common prove nothing: all clones of a template have them, and the place of one that was
    /// deleted is gone as well.
    ///
    /// # Errors
    /// When the folder of notebooks cannot be read.
    pub(crate) fn moved_from(&self) -> Result<Vec<Relative>, NotebookError> {
        let Some(birth) = self.at.repo.birth() else {
            return Ok(Vec::new());
        };
        let mut found = self.at.strangers_elsewhere()?;
        found.retain(|one| {
            one.owner.birth == Some(birth) && matches!(one.relative.place.try_exists(), Ok(false))
        });
        // Of several moves, the last one's notebook was taken over by none of the others, and not by this one either.
        let paths: Vec<PathBuf> = found.iter().map(|one| one.relative.path.clone()).collect();
        found.retain(|one| {
            let adopter = one.adopter.as_deref();
            adopter.is_none_or(|by| by != self.path() && !paths.iter().any(|path| path == by))
        });
        Ok(found.into_iter().map(|one| one.relative).collect())
    }

    /// The notebooks of repositories in other places that have first commits in common with this one, or are proven to
    /// be this one, by place.
    ///
    /// # Errors
    /// When the folder of notebooks cannot be read.
    pub(crate) fn relatives(&self) -> Result<Vec<Relative>, NotebookError> {
        let mut found = self.at.strangers_elsewhere()?;
        if !found.is_empty() {
            let Owner { lineage, birth, .. } = self.at.repo.owner(None);
            found.retain(|one| {
                let is_same = birth.is_some() && one.owner.birth == birth;
                is_same || one.owner.lineage.iter().any(|one| lineage.contains(one))
            });
        }
        Ok(found.into_iter().map(|one| one.relative).collect())
    }

    /// Takes over the notebook `relative` and what it was before. It is left as it is.
    ///
    /// # Errors
    /// When this repository has a notebook already, or that one is damaged or cannot be read.
    pub fn adopt(
        &self,
        writer: &Writer,
        mode: EditMode,
        relative: &Relative,
    ) -> Result<Edited<()>, NotebookError> {
        let _guard = self.at.begin(writer, mode)?;
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
                self.at.set_strangers_aside()?;
                let old = History::of(&there);
                for snapshot in old.snapshots()? {
                    // One that cannot be read stays where it is.
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
    /// The notebooks of all other places, by place.
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

    /// The notebook in `folder`, if it says where its repository is.
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

/// What stands in the `text` of another place's notebook, the file at `path`; all of it has to be whole.
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
