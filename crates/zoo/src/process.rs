//! Runs child processes. When we stop waiting for a process, it's ended along with all of its
//! descendants. Variables of a git hook aren't passed on.
//!
//! All differences between operating systems are in this file.

use std::process::{Child, Command};
use std::time::Duration;

/// While waiting, we check this often if the run has been stopped.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Puts a process into a group of its own, so that its descendants can be killed as well.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// There are no process groups on this system, so we can only kill the program itself.
#[cfg(not(unix))]
pub(crate) fn own_group(_: &mut Command) {}

/// Removes the variables of git from a command. If we were started by a git hook, they name the
/// user's repository and index, and a program that uses git in another folder would change that
/// repository.
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

/// Kills a process and its descendants. The group must be killed before we reap the child, since
/// another process could get the same ID afterwards.
pub(crate) fn end(child: &mut Child) {
    end_group(child);
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn end_group(child: &Child) {
    let id = i32::try_from(child.id()).ok();
    if let Some(group) = id.and_then(rustix::process::Pid::from_raw) {
        // This fails if the group has already ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "programs of the test")]
mod tests;
