//! Runs child processes. When the caller stops waiting, they end together with all of their
//! descendants. Variables set by a git hook are not passed on. All differences between operating
//! systems are in this module.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// Interval at which waiting code checks for cancellation and for the end of a process.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Puts `command` into a process group of its own, so that it can be killed together with its
/// descendants.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Does nothing, because this platform has no process groups. Only the program itself is killed,
/// not its descendants.
#[cfg(not(unix))]
pub(crate) fn own_group(_: &mut Command) {}

/// Removes git's variables from the environment of `command`. If a git hook started the zoo, they
/// name the user's repository and index, and a program that uses git in another folder would work
/// on that repository.
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

/// Returns the exit status of `child` and kills its descendants, if it has ended. Returns `None` if
/// it's still running.
///
/// # Errors
///
/// Returns an error if the status cannot be read.
pub(crate) fn ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    if has_ended(child) {
        end_group(child);
    }
    child.try_wait()
}

/// Kills `child` and its descendants, if it's still running.
pub(crate) fn end(child: &mut Child) {
    // If the child has ended, we've already killed its group. Don't do that twice, since the group
    // id may have been reused.
    if matches!(ended(child), Ok(None)) {
        end_group(child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Returns true if the child has ended. We don't collect its status here, so that its process id
/// can't be reused yet.
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
        // An error means that the group has already ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "programs of the test")]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::sync::mpsc::channel;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn descendants_end_with_their_parent() {
        let mut command = shell("sleep 600 & exit 3");
        own_group(&mut command);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let (send, printed) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            let _ = send.send(bytes);
        });
        let status = loop {
            if let Some(status) = ended(&mut child).unwrap() {
                break status;
            }
            std::thread::yield_now();
        };
        assert_eq!(status.code(), Some(3));
        // A surviving descendant would hold the pipe open, and this call would time out.
        let printed = printed.recv_timeout(Duration::from_secs(60));
        assert_eq!(printed, Ok(Vec::new()));
        end(&mut child);
    }
}
