//! Creates data folders with a repository's notebook.

use std::fs;

use std::sync::Arc;

use windlass_notebook::{
    Anchor, EditMode, NotebookEdit, NotebookError, NotebookFile, Ownership, Writer,
};
use windlass_repo::{Birth, Foreign, Owner};

pub(crate) struct Shelf {
    dir: tempfile::TempDir,
    pub(crate) file: NotebookFile,
}

/// A repository with this ID and these first commits. It accepts a notebook whose owner has none.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) repo_id: String,
    pub(crate) lineage: Vec<String>,
}

impl Ownership for Named {
    fn repo_id(&self) -> &str {
        &self.repo_id
    }

    fn owner(&self, _: Option<&Owner>) -> Owner {
        Owner {
            repo_id: self.repo_id.clone(),
            root_fingerprint: Some("root".to_owned()),
            place: None,
            lineage: self.lineage.clone(),
            birth: None,
        }
    }

    fn birth(&self) -> Option<Birth> {
        None
    }

    fn check(&self, owner: &Owner) -> Result<(), Foreign> {
        if owner.repo_id != self.repo_id {
            Err(Foreign::Elsewhere)
        } else if !owner.lineage.is_empty() && owner.lineage != self.lineage {
            Err(Foreign::Replaced)
        } else {
            Ok(())
        }
    }
}

fn named(repo_id: &str) -> Arc<Named> {
    Arc::new(Named {
        repo_id: repo_id.to_owned(),
        lineage: Vec::new(),
    })
}

impl Shelf {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = NotebookFile::new(dir.path(), named("r"), true);
        Self { dir, file }
    }

    pub(crate) fn holding(text: impl AsRef<[u8]>) -> Self {
        let shelf = Self::new();
        fs::create_dir_all(shelf.file.path().parent().unwrap()).unwrap();
        fs::write(shelf.file.path(), text).unwrap();
        shelf
    }

    pub(crate) fn with_anchors(anchors: &str) -> Self {
        Self::holding(document(anchors))
    }

    /// Opens the notebook for a repository called `repo_id`. It may be turned off.
    pub(crate) fn opened_as(&self, repo_id: &str, enabled: bool) -> NotebookFile {
        NotebookFile::new(self.dir.path(), named(repo_id), enabled)
    }

    pub(crate) fn with_lineage(&self, lineage: &str) -> NotebookFile {
        let repo = Named {
            repo_id: "r".to_owned(),
            lineage: vec![lineage.to_owned()],
        };
        NotebookFile::new(self.dir.path(), Arc::new(repo), true)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.file.path()).unwrap()
    }

    pub(crate) fn edit<T>(
        &self,
        change: impl FnOnce(&mut NotebookEdit<'_>) -> Result<T, NotebookError>,
    ) -> Result<T, NotebookError> {
        edit(&self.file, change)
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        let notebook = self.file.read().unwrap();
        notebook
            .anchors()
            .map(|anchor| anchor.id.to_string())
            .collect()
    }
}

pub(crate) fn edit<T>(
    file: &NotebookFile,
    change: impl FnOnce(&mut NotebookEdit<'_>) -> Result<T, NotebookError>,
) -> Result<T, NotebookError> {
    let edited = file.edit(&Writer::default(), EditMode::Write, change)?;
    Ok(edited.answer)
}

/// Short forms of frequent edits.
pub(crate) trait Changing {
    fn add(&mut self, anchor: Anchor) -> Result<(), NotebookError>;
    fn add_all(&mut self, anchors: Vec<Anchor>) -> Result<(), NotebookError>;
}

impl Changing for NotebookEdit<'_> {
    fn add(&mut self, anchor: Anchor) -> Result<(), NotebookError> {
        self.put_anchor(&anchor)
    }

    fn add_all(&mut self, anchors: Vec<Anchor>) -> Result<(), NotebookError> {
        anchors
            .iter()
            .try_for_each(|anchor| self.put_anchor(anchor))
    }
}

pub(crate) fn document(anchors: &str) -> String {
    format!(r#"{{"schema_version":1,"repo":{{"repo_id":"r"}},"anchors":[{anchors}]}}"#)
}

pub(crate) fn anchor(id: &str) -> Anchor {
    let json = format!(
        r#"{{"id":"{id}","label":"L","evidence":[{{"file":"x","start_line":1,"end_line":1}}]}}"#
    );
    serde_json::from_str(&json).unwrap()
}
