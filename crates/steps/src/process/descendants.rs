//! What a process started, and what that started in turn, also where it left the group: a new session
//! (`setsid`) is out of reach of a signal to the group.
//!
//! Linux tells it in `/proc`. Elsewhere nothing is found, and the group is all that ends.

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process};

/// A process, told from a later one with the same number by when it was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Started {
    pid: i32,
    parent: i32,
    group: i32,
    at: u64,
}

/// Processes that a program started, to be ended with it.
#[derive(Debug, Default)]
pub(crate) struct Descendants(BTreeSet<Started>);

impl Descendants {
    /// Adds what runs now below `pid`, and below those that are known: once its parent is gone, nothing says whose
    /// child a process was.
    pub(crate) fn look(&mut self, pid: Option<u32>) {
        let all = processes();
        self.0.retain(|known| all.contains(known));
        let mut above: BTreeSet<i32> = self.0.iter().map(|known| known.pid).collect();
        above.extend(pid.and_then(|pid| i32::try_from(pid).ok()));
        loop {
            let below = all.iter().filter(|one| above.contains(&one.parent));
            let before = self.0.len();
            self.0.extend(below);
            if self.0.len() == before {
                return;
            }
            above.extend(self.0.iter().map(|one| one.pid));
        }
    }

    /// Asks those outside of the group of `leader`, which is asked as a whole.
    pub(crate) fn terminate(&self, leader: Option<u32>) {
        let leader = leader.and_then(|pid| i32::try_from(pid).ok());
        self.signal(Signal::TERM, |one| Some(one.group) != leader);
    }

    /// Ends them and what they have started since.
    pub(crate) fn kill(&mut self) {
        // Most programs leave nothing behind, and to look through all processes takes longer than they do.
        if self.0.is_empty() {
            return;
        }
        self.look(None);
        self.signal(Signal::KILL, |_| true);
    }

    fn signal(&self, signal: Signal, wanted: impl Fn(&Started) -> bool) {
        let wanted = self.0.iter().filter(|one| wanted(one));
        for pid in wanted.filter_map(|one| Pid::from_raw(one.pid)) {
            // It may be gone already; that is what is wanted.
            let _ = kill_process(pid, signal);
        }
    }
}

#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "what the kernel says of processes is no file of the repository"
)]
fn processes() -> BTreeSet<Started> {
    let Ok(folder) = std::fs::read_dir("/proc") else {
        return BTreeSet::new();
    };
    let numbers = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let started = |pid: i32| {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(pid, &String::from_utf8_lossy(&text))
    };
    numbers.filter_map(started).collect()
}

#[cfg(not(target_os = "linux"))]
fn processes() -> BTreeSet<Started> {
    BTreeSet::new()
}

/// Reads `/proc/PID/stat`. The name of the program stands in it in brackets, and may hold anything.
#[cfg(any(target_os = "linux", test))]
fn parse(pid: i32, stat: &str) -> Option<Started> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // Field 22 of all.
    let at = fields.nth(16)?.parse().ok()?;
    // The dead need not be ended.
    (!matches!(state, "Z" | "X")).then_some(Started {
        pid,
        parent,
        group,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_program_does_not_pass_for_more() {
        let stat = "7 (a) S 1 (b) S 42 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9001 0 0";
        let parsed = parse(7, stat).unwrap();
        assert_eq!((parsed.parent, parsed.group, parsed.at), (42, 7, 9001));
        assert_eq!(parse(7, &stat.replace("(b) S", "(b) Z")), None);
        assert_eq!(parse(7, "7 (a"), None);
    }
}
