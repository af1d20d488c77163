//! Child processes, which end with all of their descendants when the caller stops waiting. Differences
//! between operating systems are confined to this module. Git variables of a hook are not passed on.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use windlass_base::Cancel;

/// How often it is looked whether somebody still waits.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// What a program needs of the environment it is started in. Nothing else is passed on, least of all the `GIT_…` variables of a
/// hook that may have started us: they name the user's repository, and what is done here is to be done to none of theirs.
pub(crate) const PASSED_ON: [&str; 7] = [
    "PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "TMPDIR",
    "TEMP",
    "TMP",
];

/// How a program ended.
pub(crate) enum Ended {
    ByItself {
        status: ExitStatus,
        printed: Vec<u8>,
        said: Vec<u8>,
    },
    /// It was ended, as nobody waited any more or it took too long.
    Stopped,
}

/// Runs `command` until it has closed its output, `cancel` is raised, or it has taken `patience`.
///
/// # Errors
/// When it cannot be started or waited for.
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
    // The pauses are summed up instead of asking a clock.
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

/// All that comes out of `pipe`, read on a thread of its own.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, read) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was printed before it broke is what there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    read
}

/// Has what `command` starts, and all that starts in turn, be ended together.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Where there are no groups, the program alone is ended.
#[cfg(not(unix))]
pub(crate) fn own_group(_: &mut Command) {}

/// Passes on to `command` what is in the environment, but for the variables of git: those of a hook that may have started us name the
/// user's repository and its index, and a program that asks git of another folder would be told of that.
#[expect(
    clippy::disallowed_methods,
    reason = "what a program is started with is the environment of this process"
)]
pub(crate) fn without_git(command: &mut Command) {
    let is_of_git = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("GIT_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_git(name)) {
        command.env_remove(name);
    }
}

/// How `child` ended, if it has: what it started is ended then.
///
/// # Errors
/// When nobody can say.
pub(crate) fn ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    if has_ended(child) {
        end_group(child);
    }
    child.try_wait()
}

/// Ends `child`, if it is still there, and what it started.
pub(crate) fn end(child: &mut Child) {
    // Of who is known to have ended the group was ended as well, and its number may be somebody else's.
    if matches!(ended(child), Ok(None)) {
        end_group(child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Whether it has ended, and its number is its own still: nobody asked how.
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
        // It may be gone already.
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
    fn what_is_printed_and_said_is_whole() {
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
    fn nobody_waits_for_it_and_what_it_started_once_it_is_stopped_or_takes_too_long() {
        let cancel = Cancel::default();
        let too_long = output(shell("sleep 600 & wait"), &cancel, PAUSE).unwrap();
        assert!(matches!(too_long, Ended::Stopped));
        cancel.cancel();
        let stopped = output(shell("sleep 600 & wait"), &cancel, LONG).unwrap();
        assert!(matches!(stopped, Ended::Stopped));
    }

    #[test]
    fn what_was_started_ends_with_who_started_it() {
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
        // Who lives on holds the pipe open.
        let printed = printed.recv_timeout(Duration::from_secs(60));
        assert_eq!(printed, Ok(Vec::new()));
        end(&mut child);
    }
}
