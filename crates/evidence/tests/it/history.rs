//! Git repository of small functions for tests that need commits.

use std::path::Path;
use std::process::Command;

use windlass_base::{Judgement, RepairOutcome};
use windlass_evidence::{Captured, capture, judge};
use windlass_repo::Repo;

use crate::support::{path, span};

/// Repository to which a test adds commits.
pub(crate) struct History {
    dir: tempfile::TempDir,
}

impl History {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let history = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        history.git(&["init", "-q", "-b", "main"]);
        history.write(files);
        history.commit();
        history
    }

    pub(crate) fn without_git(files: &[(&str, &str)]) -> Self {
        let history = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        history.write(files);
        history
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Returns a git command that does not depend on settings of the machine.
    pub(crate) fn git_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.root()).args(args).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b"),
        ]);
        command
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.git_command(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub(crate) fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn step(&self, files: &[(&str, &str)]) -> String {
        self.write(files);
        self.commit()
    }

    pub(crate) fn remove(&self, file: &str) {
        std::fs::remove_file(self.root().join(file)).unwrap();
    }

    pub(crate) fn write(&self, files: &[(&str, &str)]) {
        for (file, text) in files {
            std::fs::write(self.root().join(file), text).unwrap();
        }
    }

    pub(crate) fn capture(&self, file: &str, lines: (u32, u32)) -> Captured {
        let snapshot = Repo::open(self.root()).unwrap().snapshot();
        capture(&snapshot, &path(file), span(lines.0, lines.1)).unwrap()
    }

    pub(crate) fn judge(&self, captured: &Captured) -> Judgement {
        let snapshot = Repo::open(self.root()).unwrap().snapshot();
        judge(&snapshot, &captured.pointer, Some(&captured.capture))
    }

    /// Returns the verdict in short form: `moved b:3-9`, `edited a:1-2`, `ambiguous`, `gone`,
    /// `unproven` or `fresh`.
    pub(crate) fn said(&self, captured: &Captured) -> String {
        let judgement = self.judge(captured);
        let Some(repair) = judgement.repair else {
            return judgement.status.as_str().to_owned();
        };
        let claims = matches!(repair.outcome, RepairOutcome::Moved | RepairOutcome::Edited);
        assert_eq!(claims, repair.evidence.is_some());
        assert!(repair.candidates.len() <= 3);
        match repair.evidence {
            Some(new) => format!("{} {new}", repair.outcome.as_str()),
            None => repair.outcome.as_str().to_owned(),
        }
    }
}

/// Returns a function of eight lines, followed by a blank one.
///
/// It isn't similar to functions with other names.
pub(crate) fn function(name: &str) -> String {
    format!(
        "fn {name}(input: &str) -> Result<{name}Answer, Error> {{\n    let parsed = parse_{name}(input)?;\n    \
         let checked = check_{name}(&parsed, Limits::for_{name}())?;\n    for entry in checked.{name}_entries() {{\n        \
         store_{name}(entry)?;\n    }}\n    Ok({name}Answer::of(checked))\n}}\n\n"
    )
}

pub(crate) fn functions(names: &[&str]) -> String {
    names.iter().map(|name| function(name)).collect()
}
