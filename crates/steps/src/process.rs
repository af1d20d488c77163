//! Processes, and everything they start.
//!
//! A process runs in a group of its own, and the group ends with it: when it exits, when its step is
//! stopped, and when the future that waits for it is dropped.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use crate::capture::Capture;

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
    pub(crate) fn start(spec: &ProcessSpec) -> io::Result<Self> {
        let mut command = command(spec)?;
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

/// The program, found on the `PATH` that the process will see.
///
/// The standard library leaves that to the child when the environment is not its own, and has to copy all
/// of this process for it (`fork`); a program with a path is started without (`posix_spawn`), in a tenth of
/// the time.
#[cfg(unix)]
fn command(spec: &ProcessSpec) -> io::Result<Command> {
    if spec.program.as_encoded_bytes().contains(&b'/') {
        return Ok(Command::new(&spec.program));
    }
    let path = spec.environment.get("PATH").map(OsString::as_os_str);
    let found = std::env::split_paths(path.unwrap_or(OsStr::new(DEFAULT_PATH)))
        .map(|folder| spec.folder.join(folder).join(&spec.program))
        .find(|file| is_executable(file))
        .ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(found);
    command.arg0(&spec.program);
    Ok(command)
}

/// Where programs are looked for without a `PATH`.
#[cfg(unix)]
const DEFAULT_PATH: &str = "/bin:/usr/bin";

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn command(spec: &ProcessSpec) -> io::Result<Command> {
    Ok(Command::new(&spec.program))
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn spec(program: &str, arguments: &[&str], path: Option<&Path>) -> ProcessSpec {
        let path = path.map(|path| ("PATH".to_owned(), path.as_os_str().to_owned()));
        ProcessSpec {
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            folder: std::env::temp_dir(),
            environment: path.into_iter().collect(),
            max_output_bytes: 1000,
        }
    }

    async fn said(spec: &ProcessSpec) -> String {
        let finished = Process::start(spec).unwrap().finish().await.unwrap();
        finished.stdout.finish().text().as_str().to_owned()
    }

    #[tokio::test]
    async fn a_program_goes_by_the_name_it_was_asked_for() {
        let name = ["-c", "echo $0"];
        assert_eq!(said(&spec("sh", &name, None)).await, "sh\n");
        let path = Path::new("/nowhere:/bin:/usr/bin");
        assert_eq!(said(&spec("sh", &name, Some(path))).await, "sh\n");
        assert_eq!(said(&spec("/bin/sh", &name, None)).await, "/bin/sh\n");
    }

    #[tokio::test]
    async fn only_what_can_be_run_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        for (at, mode) in [(&first, 0o644), (&second, 0o755)] {
            let file = at.join("tool");
            std::fs::create_dir(at).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
            std::fs::write(&file, "#!/bin/sh\necho second\n").unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        }
        let both = std::env::join_paths([&first, &second]).unwrap();
        let tool = spec("tool", &[], Some(Path::new(&both)));
        assert_eq!(said(&tool).await, "second\n");
        let error = Process::start(&spec("tool", &[], Some(&first))).map(|_| ());
        let error = error.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
