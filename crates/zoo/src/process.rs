//! Programs that are started: with all that they start in turn, and ended where nobody waits any more. What differs between operating
//! systems is here.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often it is looked whether somebody still waits.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

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
    fn what_was_started_ends_with_who_started_it() {
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
        // Who lives on holds the pipe open.
        let printed = printed.recv_timeout(Duration::from_secs(60));
        assert_eq!(printed, Ok(Vec::new()));
        end(&mut child);
    }
}
