//! Ends the started processes if we're killed before we can do so ourselves.
//!
//! The guard is one small shell. It reads the running process groups from a pipe and kills them
//! when the pipe closes. The kernel closes the pipe whenever we end, even after a SIGKILL. If no
//! shell can be started, there's no guard. The guard doesn't cover a program that has left its
//! group (`setsid`), or one started in the microseconds before the guard was notified.
//!
//! The kernel's `PR_SET_PDEATHSIG` is no replacement. It reaches only the program and not its
//! descendants, and it needs `unsafe` code between `fork` and `exec`.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The guard's script. It reads `+ GROUP` and `- GROUP`, and kills the remaining groups when its
/// input ends.
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

/// Starts the guard if necessary. It must run before the processes it guards.
pub(crate) fn make_ready() {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.is_none() {
        *shared = Guard::start();
    }
}

/// A registered process group. If we die before this is dropped, the guard kills the group.
pub(crate) struct Guarded(Option<u32>);

impl Guarded {
    /// Registers the group with the guard.
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
        // In a group of its own, the guard survives when the terminal sends us a signal.
        command.process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().ok()?.stdin.map(Self)
    }

    /// Sends a line to the guard. Errors are ignored, because groups are ended with their steps
    /// even without a guard.
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
        // A child of the leader holds the pipe, so that its end shows that the whole group has
        // ended.
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
