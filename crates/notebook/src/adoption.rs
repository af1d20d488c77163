//! Notebooks of repositories in other places, which may be this one: it was moved, or cloned.

use std::path::{Path, PathBuf};

use windlass_repo::Owner;
use windlass_store::folders_in;

use crate::file::Standing;
use crate::history::History;
use crate::reading::Parsed;
use crate::{EditMode, Edited, NotebookEdit, NotebookError, NotebookFile, Writer};

/// The most folders that are looked at.
const MAX_FOLDERS: usize = 1_000;

/// Stands beside a notebook that was adopted, so that no other place takes it without being asked to.
const MARK: &str = "adopted";

/// The notebook of a repository that has first commits in common with this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// The file.
    pub path: PathBuf,
    /// Where its repository is, or was: git's folder.
    pub place: PathBuf,
    /// Whether there is nothing any more, and nobody has adopted it yet.
    pub is_abandoned: bool,
}

impl NotebookFile {
    /// The notebooks of repositories in other places that have first commits in common with this one, by place.
    ///
    /// With `abandoned` only those whose place is no longer there; git is asked only where there is one.
    ///
    /// # Errors
    /// When the folder of notebooks cannot be read.
    pub fn relatives(&self, abandoned: bool) -> Result<Vec<Relative>, NotebookError> {
        let own = self.path().parent();
        let repos = own.and_then(Path::parent);
        let (true, Some(own), Some(repos)) = (self.is_enabled(), own, repos) else {
            return Ok(Vec::new());
        };
        let folders = folders_in(repos)?.into_iter().take(MAX_FOLDERS);
        let others = folders.filter(|folder| folder != own);
        let mut found: Vec<(Relative, Owner)> = others
            .filter_map(|folder| self.stranger(&folder))
            .filter(|(relative, _)| relative.is_abandoned || !abandoned)
            .collect();
        if !found.is_empty() {
            let lineage = self.ownership().owner(None).lineage;
            found.retain(|(_, owner)| owner.lineage.iter().any(|one| lineage.contains(one)));
        }
        let mut found: Vec<Relative> = found.into_iter().map(|(relative, _)| relative).collect();
        found.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(found)
    }

    /// The notebook in `folder`, if it says where its repository is.
    fn stranger(&self, folder: &Path) -> Option<(Relative, Owner)> {
        let path = folder.join(self.path().file_name()?);
        let owner = Self::owner_of(&path)?;
        let place = owner.place.clone()?;
        let is_gone = matches!(place.try_exists(), Ok(false));
        let is_adopted = folder.join(MARK).exists();
        let relative = Relative {
            path,
            place,
            is_abandoned: is_gone && !is_adopted,
        };
        Some((relative, owner))
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
        let _guard = self.begin(writer, mode)?;
        if self.text()?.is_some() {
            return Err(NotebookError::Inhabited {
                path: self.path().to_owned(),
            });
        }
        let text = Self::text_at(&relative.path)?.unwrap_or_default();
        let edit = self.foreign(&text, &relative.path)?;
        let mut edit = edit;
        edit.note_all(&NotebookEdit::default());
        let before = edit.revision();
        let revision = match mode {
            EditMode::DryRun => before,
            EditMode::Write => {
                self.set_strangers_aside()?;
                let old = History::of(&relative.path);
                for snapshot in old.snapshots()? {
                    // One that cannot be read stays where it is.
                    let Ok(Some(text)) = Self::text_at(&snapshot.path) else {
                        continue;
                    };
                    if let Ok(edit) = self.foreign(&text, &snapshot.path) {
                        self.rewrite(&edit, snapshot.revision)?;
                    }
                }
                let (revision, _) = self.replace(&edit, Standing::Missing, writer, None)?;
                let mark = relative.path.with_file_name(MARK);
                self.write(&mark, self.path().to_string_lossy().as_bytes())?;
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

    /// What stands in the `text` of another place's notebook, the file at `path`; all of it has to be whole.
    fn foreign<'a>(&self, text: &'a [u8], path: &Path) -> Result<NotebookEdit<'a>, NotebookError> {
        let Parsed { document, lost } = crate::reading::parse(text, path)?;
        match lost.first() {
            Some(lost) => Err(NotebookError::DamagedRevision {
                revision: document.revision,
                path: path.to_owned(),
                why: lost.to_string(),
            }),
            None => Ok(NotebookEdit::from(document)),
        }
    }
}
