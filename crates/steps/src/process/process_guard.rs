//! Ends the processes that we've started, if we're killed before we can do so ourselves.
//!
//! The guard is a small shell that reads the running process groups from a pipe, and kills them
//! when the pipe closes. The kernel closes the pipe whenever we end, even after a SIGKILL. There
//! are two gaps: a program outside of its group (`setsid`), and one that was started only
//! microseconds before we were killed. Without a working shell, there's no guard at all.
//!
//! We could also use the kernel's `PR_SET_PDEATHSIG`, but it only reaches the program and not its
//! descendants, and needs `unsafe` code between `fork` and `exec`.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads lines of the form `+ GROUP` and `- GROUP`. At the end of its input, it kills the remaining
/// groups.
const SCRIPT: &str = r#"trap '' HUP INT TERM
groups=' '
while read -r op id; do
  case $op in
    +) groups="$groups$id " ;;
    -) case $groups in *" $id "*) groups="${groups%%" $id "*} ${groups#*" $id "}" ;; esac ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id"; done"#;

static SHARED: Mutex<Option<Guard>> = Mutex::new(None);

struct Guard(ChildStdin);

/// Starts the guard unless it's already running. Call this before starting a process, so that its
/// group can be registered at once.
pub(crate) fn make_ready() {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.is_none() {
        *shared = Guard::start();
    }
}

/// A registered process group. If we die before this is dropped, the guard kills the group.
pub(crate) struct Guarded(Option<u32>);

impl Guarded {
    pub(crate) fn new(group: Option<u32>) -> Self {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(guard), Some(group)) = (&mut *shared, group) {
            guard.tell('+', group);
        }
        Self(group)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(guard), Some(group)) = (&mut *shared, self.0) {
            guard.tell('-', group);
        }
    }
}

impl Guard {
    #[expect(
        clippy::disallowed_methods,
        reason = "a fixed script that only ends what was started"
    )]
    fn start() -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).env_clear().current_dir("/");
        // Ctrl-C in the terminal is sent to our whole group, and must not end the guard.
        command.process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().ok()?.stdin.map(Self)
    }

    /// Sends a line to the guard. Errors don't matter: without a guard, the groups still end with
    /// their steps.
    fn tell(&mut self, op: char, group: u32) {
        let _ = self.0.write_all(format!("{op} {group}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Child;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a program of the test's own")]
    fn sleeper() -> Child {
        // A child of the leader holds the pipe, so the pipe only closes with the last process of
        // the group.
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & wait"]).process_group(0);
        command.stdout(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn guard_pipe_closed_kills_running_groups() {
        let (mut ended, mut running, mut other) = (sleeper(), sleeper(), sleeper());
        let mut guard = Guard::start().unwrap();
        for child in [&other, &ended, &running] {
            guard.tell('+', child.id());
        }
        guard.tell('-', other.id());
        drop(guard);
        for child in [&mut ended, &mut running] {
            let mut pipe = child.stdout.take().unwrap();
            std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(9));
        }
        assert!(other.try_wait().unwrap().is_none());
        let group = rustix::process::Pid::from_child(&other);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        other.wait().unwrap();
    }
}
