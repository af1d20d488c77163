//! Determines before a run which files and anchors a step depends on, as far as its input tells.
//!
//! Other commands use this to find the runbooks that a change may affect, without running any of
//! them.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::RepoPath;
use windlass_evidence::Claim;
use windlass_repo::GlobSet;

use crate::kinds::anchors_step::{self, TakenAnchors};
use crate::kinds::evidence_step::{self, written_claims};
use crate::kinds::file_scope::Scope;
use crate::kinds::read_step::{self, FilePart};
use crate::kinds::{
    doc_step, files_step, outline_step, pack_step, playbook_step, recall_step, runbook_step,
    search_step,
};

/// Dependencies of a step's output. See [`rests_on`].
#[derive(Debug)]
pub enum RestsOn {
    /// Anchors in the notebook, which may change or move.
    Anchors(TakenAnchors),
    /// Pointers that are written in the step itself.
    Claims(Vec<Claim>),
    /// A part of a file.
    Part(Box<FilePart>),
    /// All files in a scope, regardless of their contents.
    Files(FilesIn),
    /// Another runbook, by name.
    Runbook(String),
}

/// Determines what the output of a step of the kind `uses` depends on.
///
/// The caller must have resolved references to runbook inputs in `with`. Returns `None` if the step
/// does not depend on any files, or if we cannot tell because it depends on the output of another
/// step.
#[must_use]
pub fn rests_on(uses: &str, with: &Value) -> Option<RestsOn> {
    match uses {
        anchors_step::NAME => TakenAnchors::of(with).map(RestsOn::Anchors),
        evidence_step::NAME => written_claims(with).map(RestsOn::Claims),
        read_step::NAME => Some(RestsOn::Part(Box::new(FilePart::of(with)?))),
        files_step::NAME | outline_step::NAME | search_step::NAME => {
            FilesIn::of(with).map(RestsOn::Files)
        }
        doc_step::NAME | playbook_step::NAME => FilesIn::only(with).map(RestsOn::Files),
        recall_step::NAME => FilesIn::folder(windlass_memory::FOLDER).map(RestsOn::Files),
        pack_step::NAME => FilesIn::named(pack_step::named_files(with)?).map(RestsOn::Files),
        runbook_step::NAME => runbook_step::named(with).map(RestsOn::Runbook),
        _ => None,
    }
}

/// The scope of a step that reads files.
#[derive(Debug)]
pub struct FilesIn {
    paths: Vec<RepoPath>,
    globs: GlobSet,
    hidden: bool,
}

impl FilesIn {
    fn of(with: &Value) -> Option<Self> {
        let Scope {
            paths,
            globs,
            hidden,
        } = Scope::deserialize(with).ok()?;
        Some(Self {
            paths,
            globs: GlobSet::new(&globs).ok()?,
            hidden,
        })
    }

    fn only(with: &Value) -> Option<Self> {
        Some(Self {
            paths: vec![RepoPath::deserialize(with.get("file")?).ok()?],
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    /// Returns `None` if there are no paths, because an empty scope would mean the whole
    /// repository.
    fn named(paths: Vec<RepoPath>) -> Option<Self> {
        (!paths.is_empty()).then_some(Self {
            paths,
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    fn folder(path: &str) -> Option<Self> {
        Some(Self {
            paths: vec![RepoPath::parse(path).ok()?],
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    /// Returns true if `file` is in the scope. We do not look at ignore files here, so the step may
    /// still skip the file.
    #[must_use]
    pub fn hold(&self, file: &RepoPath) -> bool {
        let root = [RepoPath::root()];
        let paths = if self.paths.is_empty() {
            &root[..]
        } else {
            &self.paths
        };
        let is_in = |path: &RepoPath| {
            let tail = match path.is_root() {
                true => Some(file.as_str()),
                false => file.as_str().strip_prefix(path.as_str()),
            };
            // Hidden parts only matter below the path that the step names: if it names `.github`,
            // it wants that folder.
            file.is_under(path)
                && tail.is_some_and(|tail| {
                    self.hidden || !tail.split('/').any(|part| part.starts_with('.'))
                })
        };
        paths.iter().any(is_in) && self.globs.matches(file)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(with: &Value, file: &str) -> bool {
        let files = FilesIn::of(with).unwrap();
        files.hold(&RepoPath::parse(file).unwrap())
    }

    #[test]
    fn files_in_scope_matched() {
        let all = json!({ "pattern": "x" });
        let some = json!({ "paths": ["src", ".ci"], "globs": ["*.rs", "!gen.rs"] });
        for (with, file, wanted) in [
            (&all, "a/b.rs", true),
            (&all, ".ci/run", false),
            (&json!({ "hidden": true }), ".ci/run", true),
            (&some, "src/a.rs", true),
            (&some, "src/gen.rs", false),
            (&some, "src/.x/a.rs", false),
            (&some, ".ci/a.rs", true),
            (&some, "srcs/a.rs", false),
            (&some, "src/a.py", false),
        ] {
            assert_eq!(holds(with, file), wanted, "{with} {file}");
        }
    }

    #[test]
    fn document_rests_on_one_file() {
        for uses in ["doc", "playbook"] {
            let with = json!({ "file": ".work/tasks.tron" });
            let Some(RestsOn::Files(files)) = rests_on(uses, &with) else {
                panic!("a document is a file");
            };
            assert!(files.hold(&RepoPath::parse(".work/tasks.tron").unwrap()));
            assert!(!files.hold(&RepoPath::parse(".work/other.tron").unwrap()));
        }
    }

    #[test]
    fn rests_on_reference_unknown() {
        let open = json!({ "file": { "$ref": "#/steps/a/output/file" } });
        assert!(rests_on("read", &open).is_none());
        assert!(rests_on("git", &json!({ "show": "log" })).is_none());
        let part = rests_on("read", &json!({ "file": "a.rs", "lines": "3" }));
        assert!(matches!(part, Some(RestsOn::Part(part)) if part.names_lines()));
    }
}
