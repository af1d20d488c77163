//! Runs git isolated from the repository's configuration, with limits on time and output.
//!
//! A repository can configure programs for git to run, e.g. as a pager, a file system monitor or a
//! filter. So every call starts with an empty environment, explicit settings for everything
//! dangerous (`neutral_settings`), and no settings of the user or the machine. This also makes
//! answers the same everywhere.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use windlass_redact::redact_text;

use super::git_program::program;
use super::neutral_settings::{
    ENVIRONMENT, MACHINE_VARIABLES, NO_FOREIGN_SETTINGS, USER_VARIABLES, arguments_of, settings,
};
use super::{Git, GitError};
use crate::platform::{end_process, own_process_group};

/// Maximum size of the output in bytes. If git prints more, the call fails, since a truncated
/// answer could look like a complete one.
const MAX_OUTPUT: usize = 128 << 20;

/// Maximum size of the error output in bytes. We only ever show one line of it, so the rest can be
/// dropped.
const MAX_COMPLAINT: usize = 16 << 10;

/// Interval at which we check for cancellation and the time limit while git runs.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// Settings to override in one call, as pairs of key and value.
pub(super) type Overrides = Vec<(String, String)>;

/// A git call under construction. Its [`Git`] provides the time limit and cancellation.
pub(super) struct GitCommand<'a> {
    git: &'a Git,
    name: &'static str,
    arguments: Vec<OsString>,
    accepted: i32,
    overrides: Overrides,
    foreign_settings: bool,
}

#[derive(Debug)]
pub(super) struct Output {
    code: i32,
    stdout: Vec<u8>,
}

impl Output {
    /// Returns false if git exited with the other code that the caller accepts, see
    /// [`GitCommand::accept`].
    pub(super) fn success(&self) -> bool {
        self.code == 0
    }

    pub(super) fn code(&self) -> i32 {
        self.code
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.stdout
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let body = self.stdout.strip_suffix(b"\0").unwrap_or(&self.stdout);
        let parts = (!body.is_empty()).then(|| body.split(|b| *b == 0));
        parts.into_iter().flatten()
    }
}

impl Git {
    /// Starts building a call of `git <name>`.
    pub(super) fn command(&self, name: &'static str) -> GitCommand<'_> {
        GitCommand {
            git: self,
            name,
            arguments: Vec::new(),
            accepted: 0,
            overrides: Overrides::new(),
            foreign_settings: false,
        }
    }
}

impl GitCommand<'_> {
    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        let arguments = arguments.into_iter();
        self.arguments
            .extend(arguments.map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets another exit code that isn't a failure. Many commands use 1 for an answer such as "no".
    pub(super) fn accept(mut self, code: i32) -> Self {
        self.accepted = code;
        self
    }

    pub(super) fn overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self
    }

    /// Also reads the settings of the user and the machine. Only use this to look up particular
    /// settings, since they affect nearly all commands.
    pub(super) fn with_foreign_settings(mut self) -> Self {
        self.foreign_settings = true;
        self
    }

    /// Runs the call to its end. If it fails, this is recorded (see [`Git::note_failure`]).
    ///
    /// Git refuses to work in a repository of another user unless its folder is on the user's list
    /// of trusted folders. That list is in the settings that we exclude. So after such a failure,
    /// we read the list and run git once more with that.
    pub(super) fn run(mut self) -> Result<Output, GitError> {
        let output = match self.run_once() {
            Err(GitError::OtherOwner { .. }) if !self.foreign_settings => {
                self.overrides.extend(self.git.safe_directories()?);
                self.run_once()
            }
            output => output,
        };
        output.inspect_err(|error| self.git.note_failure(error))
    }

    fn run_once(&self) -> Result<Output, GitError> {
        let command = self.name;
        let failed = |cause: io::Error| GitError::Io { command, cause };
        let mut child = self.build().spawn().map_err(|cause| {
            if cause.kind() == io::ErrorKind::NotFound {
                GitError::NotInstalled
            } else {
                failed(cause)
            }
        })?;
        let stdout = read_aside(child.stdout.take(), MAX_OUTPUT);
        let stderr = read_aside(child.stderr.take(), MAX_COMPLAINT);
        let stdout = match self.wait_for(&stdout) {
            Ok(stdout) => stdout,
            Err(error) => {
                end(&mut child);
                return Err(error);
            }
        };
        if stdout.len() > MAX_OUTPUT {
            end(&mut child);
            return Err(GitError::TooMuchOutput {
                command,
                limit: MAX_OUTPUT,
            });
        }
        // Git has closed its output, but it may still be waiting for something, so apply the time
        // limit here too.
        let complaint = match self.wait_for(&stderr) {
            Ok(complaint) => complaint,
            Err(error) => {
                end(&mut child);
                return Err(error);
            }
        };
        let status = child.wait().map_err(failed)?;
        match status.code() {
            Some(code) if code == 0 || code == self.accepted => Ok(Output { code, stdout }),
            _ if is_about_the_owner(&complaint) => Err(GitError::OtherOwner { command }),
            _ => Err(GitError::Failed {
                command,
                message: self.complaint(&complaint),
            }),
        }
    }

    /// Returns the command without running it, for callers that talk to git over pipes of their
    /// own.
    pub(super) fn prepared(&self) -> Command {
        self.build()
    }

    fn build(&self) -> Command {
        let place = &self.git.place;
        let mut command = Command::new(program());
        command
            .args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"])
            .args(settings().flat_map(|setting| ["-c", setting]))
            .arg(self.name)
            .args(arguments_of(self.name))
            .args(&self.arguments)
            .current_dir(&place.root)
            .env_clear()
            .envs(
                MACHINE_VARIABLES
                    .iter()
                    .filter_map(|name| Some((*name, std::env::var_os(name)?))),
            )
            .envs(ENVIRONMENT.iter().copied())
            // Without this, git would use `core.worktree` from the repository's settings, or search
            // the folders above.
            .env("GIT_WORK_TREE", &place.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let environment = place.environment.as_deref();
        // Git fails on a `~` in the repository's settings if there's no `HOME` at all.
        command.env("HOME", "/dev/null");
        command.envs(
            USER_VARIABLES
                .iter()
                .filter_map(|name| Some((*name, environment?.get(*name)?))),
        );
        if environment.is_none() || !self.foreign_settings {
            command.envs(NO_FOREIGN_SETTINGS.iter().copied());
        }
        if let Some(above) = place.root.parent() {
            // If the root turns out not to be a repository, git mustn't go on to the folders above.
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        if !self.overrides.is_empty() {
            command.env("GIT_CONFIG_COUNT", self.overrides.len().to_string());
        }
        for (at, (key, value)) in self.overrides.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        own_process_group(&mut command);
        command
    }

    fn wait_for(&self, bytes: &Receiver<io::Result<Vec<u8>>>) -> Result<Vec<u8>, GitError> {
        let command = self.name;
        // This crate must not depend on a clock, so add up the pauses instead of asking for the
        // time.
        let mut waited = Duration::ZERO;
        loop {
            if self.git.cancel.is_cancelled() {
                return Err(GitError::Cancelled { command });
            }
            match bytes.recv_timeout(PAUSE) {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(cause)) => return Err(GitError::Io { command, cause }),
                Err(RecvTimeoutError::Timeout) if waited < self.git.timeout => waited += PAUSE,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(GitError::Timeout {
                        command,
                        limit: self.git.timeout,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
            }
        }
    }

    /// Picks the line of git's error output that says most, and removes secrets and the location of
    /// the repository from it.
    fn complaint(&self, bytes: &[u8]) -> windlass_base::Redacted {
        let text = String::from_utf8_lossy(bytes);
        let root = self.git.place.root.to_string_lossy();
        let text = text.replace(&*root, ".");
        let line = text
            .lines()
            .find(|line| line.starts_with("fatal:") || line.starts_with("error:"))
            .or_else(|| text.lines().next())
            .unwrap_or("it gave no reason");
        redact_text(line).0
    }
}

fn is_about_the_owner(complaint: &[u8]) -> bool {
    // Git prints the first text since 2.37.1, and the second one before. The third one comes from
    // `git diff` outside of a repository. All of our calls are inside one, so it means that git
    // rejected the owner, too.
    [
        "detected dubious ownership",
        "unsafe repository",
        "Use --no-index to compare",
    ]
    .iter()
    .any(|words| memchr::memmem::find(complaint, words.as_bytes()).is_some())
}

/// Reads a pipe on a thread of its own, since git would block if we read only one of its two pipes.
/// We read one byte more than `limit`, so that the caller notices a longer output.
fn read_aside(
    pipe: Option<impl Read + Send + 'static>,
    limit: usize,
) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |pipe| {
            pipe.take(limit as u64 + 1).read_to_end(&mut bytes)
        });
        // If the call has failed by now, nobody is waiting for the output any more.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

pub(super) fn end(child: &mut Child) {
    end_process(child);
    let _ = child.wait();
}
