//! Writers of every store under trouble: killed at any moment, out of file descriptors, unable to
//! write, with a clock that's days off, and with their folders exchanged for links.
//!
//! After each round, everything acknowledged has to be there, and nothing may have been written
//! elsewhere. `faults` checks the same on a simulated disk, each call to which fails once.
//!
//! A round depends only on its number, so a failure can be repeated. `WINDLASS_TORTURE_SECONDS`
//! sets the time, and `WINDLASS_TORTURE_SEED` the first round. See also `cargo xtask torture`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod faults;
mod field;
#[path = "../../crates/store/tests/simulated_disk/mod.rs"]
mod simulated_disk;
mod stores;
#[path = "../support/mod.rs"]
mod support;
mod trouble;

use std::process::Stdio;
use std::time::{Duration, Instant};

use field::Field;
use stores::STORES;
use support::Sandbox;
use trouble::TROUBLES;

/// Time of all rounds in seconds, unless `WINDLASS_TORTURE_SECONDS` sets another.
const SECONDS: u64 = 5;

/// Number of rounds between two checks of everything.
const ROUNDS: u64 = 25;

/// Deterministic random numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64, by Steele and Vigna.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(usual)
}

#[test]
fn few_descriptors_end_with_an_error() {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/check.yaml", field::RUNBOOK);
    for limit in 4..30 {
        let mut shell = trouble::limited(&sandbox, &trouble::few_files(limit));
        shell.args(["run", "check"]);
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let code = output.status.code();
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(code, Some(0..=6)), "{limit}: {code:?}\n{shown}");
        assert!(!shown.contains("panicked"), "{limit}: {shown}");
    }
}

#[test]
#[ignore = "a campaign, whose rounds depend on the speed of the machine: `cargo xtask torture`"]
fn acknowledged_writes_survive_every_trouble() {
    let time = Duration::from_secs(setting("WINDLASS_TORTURE_SECONDS", SECONDS));
    let first = setting("WINDLASS_TORTURE_SEED", 1);
    let began = Instant::now();
    let mut field = Field::new();
    let mut round = first;
    while began.elapsed() < time || round == first {
        let mut dice = Dice(round);
        let (store, trouble) = (dice.pick(&STORES), dice.pick(&TROUBLES));
        println!("round {round}: {} under {trouble:?}", store.name);
        field.run_round(store, trouble, round, &mut dice);
        round += 1;
        if (round - first).is_multiple_of(ROUNDS) {
            field.check(false);
        }
    }
    field.check(true);
    println!(
        "{} rounds, {} acknowledged writes",
        round - first,
        field.acknowledged()
    );
}
