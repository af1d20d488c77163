//! Child processes, which end with all of their descendants when the caller stops waiting.
//! Differences between operating systems are confined to this module. Git variables of a hook are
//! not passed on.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use windlass_base::Cancel;

/// Interval between checks for cancellation.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Environment variables passed to a program. All others are dropped, in particular the `GIT_…`
/// variables of a calling git hook, which name the user's repository.
pub(crate) const PASSED_ON: [&str; 7] = [
    "PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "TMPDIR",
    "TEMP",
    "TMP",
];

/// Outcome of a program.
pub(crate) enum Ended {
    ByItself {
        status: ExitStatus,
        printed: Vec<u8>,
        said: Vec<u8>,
    },
    /// The program was killed, because the caller cancelled it or it took too long.
    Stopped,
}

/// Runs `command` until it closes its output, `cancel` is raised, or `patience` is over.
///
/// # Errors
///
/// If it cannot be started or waited for.
pub(crate) fn output(
    mut command: Command,
    cancel: &Cancel,
    patience: Duration,
) -> io::Result<Ended> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let mut child = command.spawn()?;
    let printed = read_aside(child.stdout.take());
    let said = read_aside(child.stderr.take());
    // The pauses are added up, so that no clock is needed.
    let mut waited = Duration::ZERO;
    let printed = loop {
        match printed.recv_timeout(PAUSE) {
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() || waited >= patience => {
                end(&mut child);
                return Ok(Ended::Stopped);
            }
            Err(RecvTimeoutError::Timeout) => waited += PAUSE,
            Err(RecvTimeoutError::Disconnected) => break Vec::new(),
            Ok(printed) => break printed,
        }
    };
    let said = said.recv().unwrap_or_default();
    let status = child.wait()?;
    Ok(Ended::ByItself {
        status,
        printed,
        said,
    })
}

/// Reads `pipe` to its end on a thread.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, read) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe ends the output.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    read
}

/// Puts `command` into its own process group, so that it and its descendants can be killed
/// together.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Does nothing: without process groups, only the program itself is killed.
#[cfg(not(unix))]
pub(crate) fn own_group(_: &mut Command) {}

/// Removes git's variables from the environment of `command`. Those of a calling git hook name the
/// user's repository and its index, and would redirect a program that uses git in another folder.
#[expect(
    clippy::disallowed_methods,
    reason = "a measured program gets the environment of this process"
)]
pub(crate) fn without_git(command: &mut Command) {
    let is_of_git = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("GIT_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_git(name)) {
        command.env_remove(name);
    }
}

/// Returns the exit status of `child` if it has ended, and then kills its descendants.
///
/// # Errors
///
/// If its status cannot be read.
pub(crate) fn ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    if has_ended(child) {
        end_group(child);
    }
    child.try_wait()
}

/// Kills `child`, if it is still running, and its descendants.
pub(crate) fn end(child: &mut Child) {
    // The group of an ended child is already killed, and its number may have been reused.
    if matches!(ended(child), Ok(None)) {
        end_group(child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Returns true if the child has ended but was not waited for, so that its number is not reused
/// yet.
#[cfg(unix)]
fn has_ended(child: &Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    number(child).is_some_and(|id| matches!(waitid(WaitId::Pid(id), look), Ok(Some(_))))
}

#[cfg(not(unix))]
fn has_ended(_: &Child) -> bool {
    false
}

#[cfg(unix)]
fn number(child: &Child) -> Option<rustix::process::Pid> {
    let id = i32::try_from(child.id()).ok()?;
    rustix::process::Pid::from_raw(id)
}

#[cfg(unix)]
fn end_group(child: &Child) {
    if let Some(group) = number(child) {
        // The group may be gone already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "programs of the test")]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn both_outputs_are_read_completely() {
        let script = "seq 100000; seq 100000 >&2; exit 3";
        let ended = output(shell(script), &Cancel::default(), LONG).unwrap();
        let Ended::ByItself {
            status,
            printed,
            said,
        } = ended
        else {
            panic!("it was ended");
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(printed, said);
        assert!(printed.ends_with(b"\n100000\n"));
    }

    #[test]
    fn stop_and_timeout_kill_descendants() {
        let cancel = Cancel::default();
        let too_long = output(shell("sleep 600 & wait"), &cancel, PAUSE).unwrap();
        assert!(matches!(too_long, Ended::Stopped));
        cancel.cancel();
        let stopped = output(shell("sleep 600 & wait"), &cancel, LONG).unwrap();
        assert!(matches!(stopped, Ended::Stopped));
    }

    #[test]
    fn descendants_end_with_their_parent() {
        let mut command = shell("sleep 600 & exit 3");
        own_group(&mut command);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let printed = read_aside(child.stdout.take());
        let status = loop {
            if let Some(status) = ended(&mut child).unwrap() {
                break status;
            }
            std::thread::yield_now();
        };
        assert_eq!(status.code(), Some(3));
        // A surviving descendant would hold the pipe open.
        let printed = printed.recv_timeout(Duration::from_secs(60));
        assert_eq!(printed, Ok(Vec::new()));
        end(&mut child);
    }
}
