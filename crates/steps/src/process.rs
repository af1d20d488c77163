//! Processes, and everything they start.
//!
//! A process runs in a group of its own, and the group ends with it: when it exits, when its step is
//! stopped, and when the future that waits for it is dropped.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use crate::capture::Capture;
use crate::program_path::ProgramPaths;

/// Output beyond this many bytes ends the process: it is not read to its end, however patient we are.
const RUNAWAY_BYTES: u64 = 256 << 20;

/// What to start.
pub(crate) struct ProcessSpec {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    /// The whole environment.
    pub(crate) environment: BTreeMap<String, OsString>,
    /// How many bytes of each output stream are kept.
    pub(crate) max_output_bytes: usize,
}

/// What became of it.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// A started process; its group is killed when this is dropped before it was waited for.
pub(crate) struct Process {
    child: Child,
    group: Group,
    max_output_bytes: usize,
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
        let child = command.spawn()?;
        let group = Group(child.id());
        Ok(Self {
            child,
            group,
            max_output_bytes: spec.max_output_bytes,
        })
    }

    /// Waits until the process has exited and its output is read. Whatever it left running is ended.
    pub(crate) async fn finish(mut self) -> io::Result<Finished> {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let max = self.max_output_bytes;
        let wait = async {
            let status = self.child.wait().await;
            // Children that outlive their parent would keep the pipes open.
            self.group.kill();
            status
        };
        // When one of them fails nobody waits for the others: dropping the process ends it.
        let (status, stdout, stderr) =
            tokio::try_join!(wait, capture(stdout, max), capture(stderr, max))?;
        self.group.forget();
        Ok(Finished {
            status,
            stdout,
            stderr,
        })
    }

    /// The group, to end it while somebody else waits.
    pub(crate) fn group(&self) -> Group {
        Group(self.group.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

async fn capture(stream: Option<impl AsyncRead + Unpin>, max: usize) -> io::Result<Capture> {
    let mut captured = Capture::new(max);
    let Some(mut stream) = stream else {
        return Ok(captured);
    };
    let mut buffer = vec![0; 8 << 10];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(captured);
        }
        captured.push(&buffer[..count]);
        if captured.bytes() > RUNAWAY_BYTES {
            return Err(io::Error::other("it prints without end"));
        }
    }
}

/// A process and what it started.
pub(crate) struct Group(Option<u32>);

impl Group {
    /// Asks politely, then insists.
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
        // The group may be gone already; that is what is wanted.
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn terminate(group: Option<u32>) {
    kill(group);
}

/// Windows has no groups that a signal reaches; its own tool ends a process with all its descendants.
#[cfg(not(unix))]
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
