//! A program with all that it starts: what differs between operating systems.

use std::process::{Child, Command};

/// Has what `command` starts, and all that starts in turn, be ended together.
#[cfg(unix)]
pub(super) fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Where there are no groups, the program alone is ended.
#[cfg(not(unix))]
pub(super) fn own_group(_: &mut Command) {}

/// Ends `child` and what it started, if it is still there.
pub(super) fn end(child: &mut Child) {
    // Who is known to have ended has no number of its own any more.
    if matches!(child.try_wait(), Ok(None)) {
        end_group(child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(unix)]
fn end_group(child: &Child) {
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may be gone already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}
