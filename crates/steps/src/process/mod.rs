//! Starts processes, and makes sure that they and their descendants end.
//!
//! Each process runs in its own process group. The group ends with the process, with its step, or
//! when the future that waits for it is dropped. Programs can leave the group (daemons do so), so
//! on Linux, we also look for descendants outside of it. On Unix, the group ends even if we are
//! killed ourselves, which takes a guard process.

mod captured_output;
#[cfg(unix)]
mod descendants;
#[cfg(unix)]
mod process_guard;
mod program_paths;

pub(crate) use self::captured_output::Kept;
pub use self::program_paths::ProgramPaths;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use self::captured_output::Capture;
#[cfg(unix)]
use descendants::Descendants;
#[cfg(unix)]
use process_guard::Guarded;

/// Maximum number of bytes that a process may print before we end it. We only keep a small part of
/// the output, but a program that prints this much is most likely in an endless loop.
const RUNAWAY_BYTES: u64 = 256 << 20;

pub(crate) struct ProcessSpec {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    /// The complete environment. The process does not inherit anything else from us.
    pub(crate) environment: BTreeMap<String, OsString>,
    /// The limit for each of the two output streams.
    pub(crate) max_output_bytes: usize,
}

pub(crate) struct Printed {
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// A started process. If it is dropped before [`finish`](Self::finish) has returned, its group is
/// killed.
pub(crate) struct Process {
    child: Child,
    group: Group,
    printed: Printed,
    #[cfg(unix)]
    _guarded: Guarded,
}

impl Process {
    pub(crate) fn start(spec: &ProcessSpec, programs: &ProgramPaths) -> io::Result<Self> {
        let mut command = programs.command(spec)?;
        command.args(&spec.arguments).current_dir(&spec.folder);
        command.env_clear().envs(&spec.environment);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        own_group(&mut command);
        #[cfg(unix)]
        process_guard::make_ready();
        let child = command.spawn()?;
        let group = Group(child.id());
        let capture = || Capture::new(spec.max_output_bytes);
        Ok(Self {
            child,
            #[cfg(unix)]
            _guarded: Guarded::new(group.0),
            group,
            printed: Printed {
                stdout: capture(),
                stderr: capture(),
            },
        })
    }

    /// Waits for the process to exit and for its output. Processes that it leaves running are
    /// ended.
    pub(crate) async fn finish(&mut self) -> io::Result<ExitStatus> {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let wait = async {
            let status = self.child.wait().await;
            // Child processes that are still running would keep the pipes open, and we'd wait for
            // their output forever.
            self.group.kill();
            status
        };
        let printed = &mut self.printed;
        // If one of these fails, the caller drops the process, which ends everything.
        let (status, (), ()) = tokio::try_join!(
            wait,
            capture(stdout, &mut printed.stdout),
            capture(stderr, &mut printed.stderr)
        )?;
        // The system may soon use the ID for another group, so make sure that we never signal it
        // again.
        self.group.forget();
        Ok(status)
    }

    /// Returns the output that we have read so far, even if the process is still running.
    pub(crate) fn into_printed(mut self) -> Printed {
        let nothing = || Capture::new(0);
        let none = Printed {
            stdout: nothing(),
            stderr: nothing(),
        };
        std::mem::replace(&mut self.printed, none)
    }

    pub(crate) fn group(&self) -> Group {
        Group(self.group.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        let mut below = self.group.descendants();
        self.group.kill();
        #[cfg(unix)]
        below.kill();
    }
}

async fn capture(stream: Option<impl AsyncRead + Unpin>, captured: &mut Capture) -> io::Result<()> {
    let Some(mut stream) = stream else {
        return Ok(());
    };
    let mut buffer = vec![0; 8 << 10];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        captured.push(&buffer[..count]);
        if captured.bytes() > RUNAWAY_BYTES {
            return Err(io::Error::other("its output exceeds the limit"));
        }
    }
}

/// The process group of a child, or `None` if the group has ended or we do not know its ID.
pub(crate) struct Group(Option<u32>);

impl Group {
    #[cfg(unix)]
    pub(crate) fn descendants(&self) -> Descendants {
        let mut found = Descendants::default();
        if self.0.is_some() {
            found.look(self.0);
        }
        found
    }

    #[cfg(unix)]
    pub(crate) fn id(&self) -> Option<u32> {
        self.0
    }

    /// Asks the group to end, waits for `patience`, and then kills it.
    pub(crate) async fn end(&self, patience: Duration) {
        terminate(self.0);
        tokio::time::sleep(patience).await;
        self.kill();
    }

    fn kill(&self) {
        kill(self.0);
    }

    fn forget(&mut self) {
        self.0 = None;
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    command.process_group(0);
}

#[cfg(unix)]
fn terminate(group: Option<u32>) {
    signal(group, rustix::process::Signal::TERM);
}

#[cfg(unix)]
fn kill(group: Option<u32>) {
    signal(group, rustix::process::Signal::KILL);
}

#[cfg(unix)]
fn signal(group: Option<u32>, signal: rustix::process::Signal) {
    let pid = group
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // The group may have ended in the meantime, so ignore errors.
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn terminate(group: Option<u32>) {
    kill(group);
}

/// Windows has no signals for process groups, so `taskkill` ends the process and all of its
/// descendants. There is no gentle way either.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "it ends what was started")]
fn kill(group: Option<u32>) {
    if let Some(id) = group {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &id.to_string()]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _ = command.spawn();
    }
}
