//! Runs each target on its seeds, on its corpus, and on mutations of both.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of mutations comes from the environment"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use windlass_fuzz::{Mutator, TARGETS, Target};

/// Number of mutations per target, unless set in `WINDLASS_FUZZ_CASES`.
const CASES: u64 = 300;

#[test]
fn every_target_holds_on_its_inputs() {
    let cases = std::env::var("WINDLASS_FUZZ_CASES");
    let cases = cases.ok().and_then(|cases| cases.parse().ok());
    for target in TARGETS {
        let inputs = target.inputs();
        for input in &inputs {
            check(target, input);
        }
        let mut mutator = Mutator::new(1);
        for _ in 0..cases.unwrap_or(CASES) {
            check(target, &mutator.mutated(&inputs, target.words));
        }
    }
}

#[test]
fn every_target_has_inputs() {
    let empty = TARGETS.iter().filter(|target| target.inputs().is_empty());
    let empty: Vec<&str> = empty.map(|target| target.name).collect();
    assert_eq!(empty, Vec::<&str>::new());
}

/// Checks one input, and names it if the oracle doesn't hold.
fn check(target: &Target, input: &[u8]) {
    let held = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    assert!(
        held.is_ok(),
        "target `{}` fails on {:?}",
        target.name,
        input.escape_ascii().to_string()
    );
}
