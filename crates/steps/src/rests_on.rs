//! Files that steps depend on, as far as we can tell from their input before a run.

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

/// The data behind a step's output.
#[derive(Debug)]
pub enum RestsOn {
    /// Anchors in the notebook, which may change or move.
    Anchors(TakenAnchors),
    /// Pointers written in the step itself.
    Claims(Vec<Claim>),
    /// A part of a file.
    Part(Box<FilePart>),
    /// All files in a scope, with any content.
    Files(FilesIn),
    /// Sections of another runbook.
    Runbook(String),
}

/// Returns the dependency of a step of the kind `uses`. Its input `with` already contains the
/// inputs of the runbook. Returns `None` if the step depends on no files, or on the output of other
/// steps.
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

/// Files listed or searched by a step.
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

    /// Returns a scope with the single `file` of an input.
    fn only(with: &Value) -> Option<Self> {
        Some(Self {
            paths: vec![RepoPath::deserialize(with.get("file")?).ok()?],
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    /// Returns a scope with the named files, or `None` if there are none.
    fn named(paths: Vec<RepoPath>) -> Option<Self> {
        (!paths.is_empty()).then_some(Self {
            paths,
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    /// Returns a scope with all files in a folder.
    fn folder(path: &str) -> Option<Self> {
        Some(Self {
            paths: vec![RepoPath::parse(path).ok()?],
            globs: GlobSet::new(&[]).ok()?,
            hidden: true,
        })
    }

    /// True if `file` belongs to the scope. We don't look at ignore files here, so the step may
    /// still skip it.
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
            // A path named by the step belongs to the scope even if it's hidden.
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
