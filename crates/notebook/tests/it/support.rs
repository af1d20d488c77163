//! A data folder with the notebook of one repository.

use std::fs;

use windlass_notebook::{Anchor, NotebookEdit, NotebookError, NotebookFile};
use windlass_repo::{Identity, RepoKind};

pub(crate) struct Shelf {
    dir: tempfile::TempDir,
    pub(crate) file: NotebookFile,
}

pub(crate) fn identity(repo_id: &str) -> Identity {
    Identity {
        repo_id: repo_id.to_owned(),
        root_fingerprint: "root".to_owned(),
        kind: RepoKind::Git,
    }
}

impl Shelf {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = NotebookFile::new(dir.path(), &identity("r"), true);
        Self { dir, file }
    }

    /// A shelf whose notebook holds this text.
    pub(crate) fn holding(text: impl AsRef<[u8]>) -> Self {
        let shelf = Self::new();
        fs::create_dir_all(shelf.file.path().parent().unwrap()).unwrap();
        fs::write(shelf.file.path(), text).unwrap();
        shelf
    }

    /// A shelf whose notebook holds these anchors.
    pub(crate) fn with_anchors(anchors: &str) -> Self {
        Self::holding(document(anchors))
    }

    /// The same notebook, as a repository called `repo_id` would open it, or with the notebook switched off.
    pub(crate) fn opened_as(&self, repo_id: &str, enabled: bool) -> NotebookFile {
        NotebookFile::new(self.dir.path(), &identity(repo_id), enabled)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.file.path()).unwrap()
    }

    pub(crate) fn edit<T>(
        &self,
        change: impl FnOnce(&mut NotebookEdit) -> Result<T, NotebookError>,
    ) -> Result<T, NotebookError> {
        self.file.edit("a test", change)
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        let notebook = self.file.read().unwrap();
        notebook
            .anchors()
            .map(|anchor| anchor.id.to_string())
            .collect()
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
