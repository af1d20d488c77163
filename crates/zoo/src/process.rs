//! Child processes, which end with all of their descendants when the caller stops waiting.
//! Differences between operating systems are confined to this module. Git variables of a hook are
//! not passed on.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// Interval between checks for cancellation.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

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
        // A surviving descendant would hold the pipe open.
        let printed = printed.recv_timeout(Duration::from_secs(60));
        assert_eq!(printed, Ok(Vec::new()));
        end(&mut child);
    }
}
