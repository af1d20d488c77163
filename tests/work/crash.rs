//! The command killed at any moment: what it said is done is done, and the next one goes on.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::Sandbox;
use crate::{by, ids};

/// How often it is killed, where `WINDLASS_CRASHES` does not say it.
const KILLS: u32 = 40;

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // The generator of Steele and Vigna (SplitMix64).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

fn start(sandbox: &Sandbox, id: &str) -> Child {
    let args = ["--actor", "ann", "bead", "create", id, "--id", id];
    let mut command = sandbox.command(sandbox.root(), &args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long it takes when nobody interferes, in microseconds.
fn usual_time(sandbox: &Sandbox) -> u64 {
    let began = Instant::now();
    let done = start(sandbox, "t-first").wait_with_output().unwrap();
    assert!(done.status.success());
    u64::try_from(began.elapsed().as_micros()).unwrap()
}

#[test]
fn what_was_acknowledged_survives_being_killed_at_any_point() {
    let kills = std::env::var("WINDLASS_CRASHES")
        .ok()
        .and_then(|kills| kills.parse().ok());
    let sandbox = Sandbox::git();
    let time = usual_time(&sandbox);
    let mut dice = Dice(7);
    let mut acknowledged = vec!["t-first".to_owned()];
    for kill in 0..kills.unwrap_or(KILLS) {
        // Two at once, so that one dies while the other waits for it.
        let (id, other) = (format!("t-{kill}a"), format!("t-{kill}b"));
        let mut doomed = start(&sandbox, &id);
        let spared = start(&sandbox, &other);
        let moment = Duration::from_micros(dice.below(time * 2));
        let began = Instant::now();
        while began.elapsed() < moment {
            std::hint::spin_loop();
        }
        let _ = doomed.kill();
        let doomed = doomed.wait_with_output().unwrap();
        if doomed.stdout.starts_with(b"created ") {
            acknowledged.push(id);
        }
        assert!(
            spared.wait_with_output().unwrap().status.success(),
            "the lock of who dies is free"
        );
        acknowledged.push(other);
    }
    let there = ids(&sandbox, &["list"]);
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !there.contains(id))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
    assert_eq!(
        sandbox.read(".beads/issues.jsonl").lines().count(),
        there.len()
    );
    assert_eq!(
        sandbox.read(".beads/events.jsonl").lines().count(),
        there.len()
    );
}
