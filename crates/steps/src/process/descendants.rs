//! Finds the descendants of a process, including those outside of its group. A process in a new
//! session (`setsid`) does not receive the signals that we send to the group.
//!
//! We have to read `/proc` for this, which only Linux has. On other systems, we only end the group,
//! and a process outside of it keeps running.

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process};

/// A process and its start time. We need the time because the kernel reuses process IDs, and must
/// not kill a process that has nothing to do with us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Started {
    pid: i32,
    parent: i32,
    group: i32,
    at: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Descendants(BTreeSet<Started>);

impl Descendants {
    /// Adds the present descendants of `pid`, and those of the processes found so far. Call this
    /// before any of them ends: when its parent ends, a process becomes a child of `init`, and we
    /// cannot find it any more.
    pub(crate) fn look(&mut self, pid: Option<u32>) {
        let all = processes();
        // Forget processes that have ended. Their IDs may be in use again.
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

    /// Sends SIGTERM to the processes outside of the group of `leader`. The caller sends it to the
    /// group.
    pub(crate) fn terminate(&self, leader: Option<u32>) {
        let leader = leader.and_then(|pid| i32::try_from(pid).ok());
        self.signal(Signal::TERM, |one| Some(one.group) != leader);
    }

    /// Kills the processes, and whatever they have started in the meantime.
    pub(crate) fn kill(&mut self) {
        // Most programs don't leave anything behind, and looking through all processes is slow.
        if self.0.is_empty() {
            return;
        }
        self.look(None);
        self.signal(Signal::KILL, |_| true);
    }

    fn signal(&self, signal: Signal, wanted: impl Fn(&Started) -> bool) {
        let wanted = self.0.iter().filter(|one| wanted(one));
        for pid in wanted.filter_map(|one| Pid::from_raw(one.pid)) {
            // The process may have ended in the meantime, so ignore errors.
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

/// Parses `/proc/PID/stat`. The name of the program is in parentheses and may contain any
/// character, so only the last `)` is sure to end it. Zombies do not count.
#[cfg(any(target_os = "linux", test))]
fn parse(pid: i32, stat: &str) -> Option<Started> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // Field 22 of the whole line.
    let at = fields.nth(16)?.parse().ok()?;
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
    fn stat_program_name_any_text_parsed() {
        let stat = "7 (a) S 1 (b) S 42 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9001 0 0";
        let parsed = parse(7, stat).unwrap();
        assert_eq!((parsed.parent, parsed.group, parsed.at), (42, 7, 9001));
        assert_eq!(parse(7, &stat.replace("(b) S", "(b) Z")), None);
        assert_eq!(parse(7, "7 (a"), None);
    }
}
