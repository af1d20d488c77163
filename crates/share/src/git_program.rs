//! Calls git for the shared log, with the user's settings, since these have the credentials for the
//! remote.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use windlass_ledger::{Opening, SharedError};
use windlass_repo::{end_process, own_process_group};

use crate::paused;

/// Maximum duration of a writer's call.
const WRITE_LIMIT: Duration = Duration::from_secs(60);
/// Maximum duration of a reader's call. The reader holds the lock of the local log meanwhile, so we
/// only allow enough for a fetch by SSH.
const READ_LIMIT: Duration = Duration::from_secs(5);
/// Interval at which a running call is checked.
const TICK: Duration = Duration::from_millis(2);
/// Variables by which a git hook points git at its own repository and index.
const HOOK_VARIABLES: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
];

/// Git in a repository.
#[derive(Debug, Clone)]
pub(crate) struct GitProgram {
    git_dir: PathBuf,
    variables: Arc<BTreeMap<String, OsString>>,
    /// Maximum duration of a call.
    limit: Duration,
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct GitOutput {
    pub(crate) is_success: bool,
    pub(crate) stdout: Vec<u8>,
    /// Error output, on one line.
    pub(crate) complaint: String,
}

impl GitOutput {
    /// Returns the standard output without surrounding white space.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// Returns the output of a successful call.
    ///
    /// # Errors
    /// Returns git's complaint if the call failed.
    pub(crate) fn checked(self) -> Result<Self, SharedError> {
        match self.is_success {
            true => Ok(self),
            false => Err(SharedError::Unreachable(self.complaint)),
        }
    }
}

impl GitProgram {
    pub(crate) fn new(
        git_dir: &Path,
        variables: Arc<BTreeMap<String, OsString>>,
        opening: Opening,
    ) -> Self {
        let mut git = Self {
            git_dir: git_dir.to_owned(),
            variables,
            limit: WRITE_LIMIT,
        };
        git.limit_for(opening);
        git
    }

    /// Sets the maximum duration of the following calls.
    pub(crate) fn limit_for(&mut self, opening: Opening) {
        self.limit = match opening {
            Opening::Read => READ_LIMIT,
            _ => WRITE_LIMIT,
        };
    }

    /// Runs git with `arguments` and `input`.
    ///
    /// # Errors
    /// Returns an error if git can't be started or takes too long.
    pub(crate) fn run(&self, arguments: &[&str], input: Vec<u8>) -> Result<GitOutput, SharedError> {
        let failed = |error: std::io::Error| SharedError::Unreachable(format!("git: {error}"));
        let mut child = self.command(arguments).spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        // Write on a separate thread, as git may answer before it has read everything.
        let writer = std::thread::spawn(move || {
            // If this fails, git's exit code tells us whether it got what it needs.
            let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        });
        let stdout = read_aside(child.stdout.take());
        let stderr = read_aside(child.stderr.take());
        let status = paused(self.limit, TICK, || child.try_wait().map_err(failed))?;
        let Some(status) = status else {
            // End the programs that git started for the connection as well, or they'd go on.
            end_process(&mut child);
            let _ = child.wait();
            let seconds = self.limit.as_secs();
            return Err(SharedError::Unreachable(format!(
                "git took more than {seconds} s"
            )));
        };
        let _ = writer.join();
        let complaint = stderr.join().unwrap_or_default();
        Ok(GitOutput {
            is_success: status.success(),
            stdout: stdout.join().unwrap_or_default(),
            complaint: first_complaint(&String::from_utf8_lossy(&complaint)),
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a push needs the user's settings and credentials, which `windlass-repo` shuts out"
    )]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        let kept = self.variables.iter();
        let kept = kept.filter(|(name, _)| !HOOK_VARIABLES.contains(&name.as_str()));
        command
            .env_clear()
            .envs(kept)
            // We compare answers with the untranslated text, and there's nobody to type a password.
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .args([
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "gc.auto=0",
                "-c",
                "maintenance.auto=false",
            ])
            .arg("--git-dir")
            .arg(&self.git_dir)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_process_group(&mut command);
        command
    }
}

/// Reads a pipe on a thread of its own.
pub(crate) fn read_aside(
    pipe: Option<impl std::io::Read + Send + 'static>,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A broken pipe just ends the output.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

/// Returns the first line describing a failure. Git may name the remote's URL, and a URL may have a
/// password in it.
fn first_complaint(text: &str) -> String {
    let is_failure = |line: &&str| {
        ["fatal:", "error:", "remote:", " ! "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let line = text
        .lines()
        .find(is_failure)
        .or_else(|| text.lines().next());
    let line = line.unwrap_or("git gave no reason").trim();
    match (line.find("://"), line.find('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}://…{}", &line[..scheme], &line[at..])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_gives_git_less_time_than_writer() {
        let mut git = GitProgram::new(Path::new("/repo/.git"), Arc::default(), Opening::Read);
        for (opening, want) in [(Opening::Write, WRITE_LIMIT), (Opening::Read, READ_LIMIT)] {
            git.limit_for(opening);
            assert_eq!(git.limit, want, "{opening:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    #[expect(clippy::disallowed_methods, reason = "a test may make a pipe")]
    fn git_that_takes_too_long_ends_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let variables = ["PATH", "HOME"].map(|name| {
            let value = std::env::var_os(name).unwrap_or_default();
            (name.to_owned(), value)
        });
        let mut git = GitProgram::new(folder.path(), Arc::new(variables.into()), Opening::Read);
        git.limit = Duration::from_millis(20);
        // A shell started by git keeps the pipe open for as long as it runs.
        let alias = format!("alias.hang=!exec tail -f /dev/null 3>'{}'", pipe.display());
        let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
        let failed = git.run(&["-c", &alias, "hang"], Vec::new()).unwrap_err();
        assert!(failed.to_string().contains("took more than"), "{failed}");
        assert!(reader.join().unwrap().is_empty());
    }
}
