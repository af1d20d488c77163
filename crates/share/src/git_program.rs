//! Runs git for the shared log. Elsewhere, we keep the user's git settings out. Here they have to
//! apply, because they contain the credentials for the remote.

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

/// Time limit for a call by a writer.
const WRITE_LIMIT: Duration = Duration::from_secs(60);
/// Time limit for a call by a reader. The reader holds the lock of the local log in the meantime,
/// so we only allow for a fetch over SSH.
const READ_LIMIT: Duration = Duration::from_secs(5);
/// Interval at which we check for the end of a call.
const TICK: Duration = Duration::from_millis(2);
/// Variables set by git for its hooks. With these, git would use the repository and the index of
/// the hook instead of ours.
const HOOK_VARIABLES: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
];

/// Git with its repository. Unlike `windlass_repo::Git`, it can write.
#[derive(Debug, Clone)]
pub(crate) struct GitProgram {
    git_dir: PathBuf,
    variables: Arc<BTreeMap<String, OsString>>,
    limit: Duration,
}

#[derive(Debug)]
pub(crate) struct GitOutput {
    pub(crate) is_success: bool,
    pub(crate) stdout: Vec<u8>,
    /// Git's description of a failure, on one line and without passwords.
    pub(crate) complaint: String,
}

impl GitOutput {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// Fails with git's complaint if git failed.
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

    pub(crate) fn limit_for(&mut self, opening: Opening) {
        self.limit = match opening {
            Opening::Read => READ_LIMIT,
            _ => WRITE_LIMIT,
        };
    }

    /// Runs git with `arguments`, and passes it `input` on standard input.
    ///
    /// # Errors
    /// Returns an error if starting git fails, or if git takes too long.
    pub(crate) fn run(&self, arguments: &[&str], input: Vec<u8>) -> Result<GitOutput, SharedError> {
        let failed = |error: std::io::Error| SharedError::Unreachable(format!("git: {error}"));
        let mut child = self.command(arguments).spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        // Git may answer before reading everything, so write on a separate thread.
        let writer = std::thread::spawn(move || {
            // If git needed the rest, its exit code shows the failure.
            let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        });
        let stdout = read_aside(child.stdout.take());
        let stderr = read_aside(child.stderr.take());
        let status = paused(self.limit, TICK, || child.try_wait().map_err(failed))?;
        let Some(status) = status else {
            // This also ends the programs that git has started for the connection, which would go
            // on otherwise.
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
            // We compare some of git's messages, so don't let git translate them. There's nobody to
            // type a password either.
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

/// Reads a pipe to its end on a separate thread.
pub(crate) fn read_aside(
    pipe: Option<impl std::io::Read + Send + 'static>,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A broken pipe is the end of the output.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

/// Returns the first line about a failure.
///
/// Git may name the URL of the remote, and a URL may contain a password. We cut out everything in
/// front of the host.
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
    // The password may contain another `@`, so look for the last one. The rest of an address rarely
    // has any.
    match (line.find("://"), line.rfind('@')) {
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
    fn password_of_address_is_not_reported() {
        let line = "fatal: unable to access 'https://ann:p@ss@host/r.git/'";
        let shown = "fatal: unable to access 'https://…@host/r.git/'";
        assert_eq!(first_complaint(line), shown);
    }

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
        // Git starts a shell that keeps the pipe open for as long as it runs.
        let alias = format!("alias.hang=!exec tail -f /dev/null 3>'{}'", pipe.display());
        let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
        let failed = git.run(&["-c", &alias, "hang"], Vec::new()).unwrap_err();
        assert!(failed.to_string().contains("took more than"), "{failed}");
        assert!(reader.join().unwrap().is_empty());
    }
}
