//! Counts of failures in merged packs, for packs that don't list all of their failures.

use std::collections::BTreeSet;

use proptest::prelude::*;
use windlass_packs::context::{
    ArtifactKind, ArtifactRef, ContextPack, Delta, Dress, Origin, Provenance, RunCount, Source,
    SourceKind, TestNames, artifact_item, failure_item, merge, render,
};
use windlass_results::{Failure, NamedTest, TestCount, TestOutcome};

const TESTS: u16 = 600;

/// The test names in the pack of a run. Of the failed tests, only the first `listed` are in the
/// list of failures.
fn names(failing: &BTreeSet<u16>, listed: usize, tests: u16) -> TestNames {
    let place = |test: u16| failing.iter().position(|at| *at == test);
    let names = (0..tests).map(|test| NamedTest {
        name: format!("t{test}"),
        key: format!("t{test}"),
        outcome: match place(test) {
            Some(_) => TestOutcome::Failed,
            None => TestOutcome::Passed,
        },
        is_listed: place(test).is_some_and(|at| at < listed),
        within: Vec::new(),
        is_whole: false,
    });
    TestNames::of(&names.collect::<Vec<_>>())
}

/// Like [`run`], for a program that names its tests.
fn named_run(file: &str, failing: &BTreeSet<u16>, listed: usize, tests: u16) -> ContextPack {
    let mut pack = run(file, failing, listed);
    let artifact = pack.artifacts[0].clone();
    let delta = pack.delta.as_mut().unwrap();
    let failed = u32::try_from(failing.len()).unwrap();
    let count = TestCount {
        passed: u32::from(tests) - failed,
        failed,
        skipped: 0,
    };
    delta.count(vec![RunCount {
        results: vec![artifact],
        tests: Some(count),
        failures: delta.failures.len() as u64,
        more_failures: delta.more_failures.unwrap_or_default(),
        names: Some(names(failing, listed, tests)),
        ..RunCount::default()
    }]);
    pack.seal()
}

/// The pack of a run in which the `failing` tests failed. Only the first `named` of them are
/// listed.
fn run(file: &str, failing: &BTreeSet<u16>, named: usize) -> ContextPack {
    let reference = format!("file:{file}.xml");
    let source = Source {
        kind: SourceKind::Results,
        path: Some(format!("{file}.xml")),
        hash: Some(format!("sha256:{file}{failing:?}")),
        ..Source::default()
    };
    let of = |item| Origin {
        item,
        source: source.clone(),
        ..Origin::default()
    };
    let shown: Vec<String> = failing
        .iter()
        .take(named)
        .map(|at| format!("t{at}"))
        .collect();
    let mut items = vec![of(artifact_item(&reference))];
    items.extend(shown.iter().map(|id| of(failure_item(id))));
    let left_out = failing.len() - shown.len();
    let mut pack = ContextPack {
        goal: "a".to_owned(),
        docs_root: "docs".to_owned(),
        artifacts: vec![ArtifactRef {
            reference,
            kind: ArtifactKind::Verification,
            sha256: source.hash.clone(),
            ..ArtifactRef::default()
        }],
        delta: Some(Delta {
            failures: shown
                .into_iter()
                .map(|id| Failure {
                    id,
                    ..Failure::default()
                })
                .collect(),
            tests: Some(TestCount {
                failed: u32::try_from(failing.len()).unwrap(),
                ..TestCount::default()
            }),
            more_failures: (left_out > 0).then_some(left_out as u64),
            ..Delta::default()
        }),
        provenance: Some(Provenance {
            items,
            ..Provenance::default()
        }),
        ..ContextPack::default()
    };
    pack.sort();
    pack.seal()
}

fn counted(pack: &ContextPack) -> (Option<u32>, Option<u64>, Option<u64>, Option<u64>) {
    let delta = pack.delta.as_ref().unwrap();
    (
        delta.tests.map(|tests| tests.failed),
        delta.more_failures,
        delta.more_failures_at_most,
        delta.failures_at_least,
    )
}

#[test]
fn omissions_of_three_runs_add_up() {
    let all = |count: u16| (0..count).collect::<BTreeSet<u16>>();
    let packs = [
        run("a", &all(500), 200),
        run("b", &all(200), 200),
        run("c", &all(260), 200),
    ];
    let merged = packs[1..]
        .iter()
        .fold(packs[0].clone(), |one, other| merge(&one, other).unwrap());
    // The longest list alone has 300 more failures than are listed. The 60 of the third run may be
    // other tests.
    assert_eq!(counted(&merged), (None, Some(300), Some(360), Some(500)));
    assert!(
        merged
            .conflicts
            .iter()
            .all(|it| !it.item.starts_with("delta/")),
        "{:?}",
        merged.conflicts
    );
    let text = render(&merged, Dress::Text);
    assert!(text.contains("What fails (at least 500)"), "{text}");
    assert!(
        text.contains("between 300 and 360 more, not listed"),
        "{text}"
    );
}

#[test]
fn shared_test_is_counted_once() {
    let all = |from: u16, to: u16| (from..to).collect::<BTreeSet<u16>>();
    // If a test failed in one run and passed in the other, it counts as failed.
    let one = named_run("a", &all(0, 20), 200, TESTS);
    let other = named_run("b", &all(10, 50), 200, TESTS - 100);
    let merged = merge(&one, &other).unwrap();
    let tests = merged.delta.as_ref().unwrap().tests.unwrap();
    assert_eq!((tests.passed, tests.failed), (550, 50));
    assert_eq!(counted(&merged), (Some(50), None, None, None));
    // So does a failed test that isn't listed.
    let many = named_run("a", &all(0, 500), 200, TESTS);
    let merged = merge(&many, &named_run("b", &all(0, 260), 200, TESTS)).unwrap();
    assert_eq!(counted(&merged), (Some(500), Some(300), None, None));
    // If a run doesn't name its passed tests, the number of tests is unknown, but not that of the
    // failures.
    let few = named_run("c", &all(0, 3), 200, 3);
    let merged = merge(&one, &few).unwrap();
    assert_eq!(counted(&merged).0, Some(20));
    let silent = run("c", &all(0, 3), 200);
    let merged = merge(&one, &silent).unwrap();
    assert_eq!(counted(&merged), (None, None, None, None));
    assert!(!render(&merged, Dress::Text).contains("at least"));
}

#[test]
fn names_do_not_change_the_id() {
    let pack = named_run("a", &(0..20).collect(), 10, TESTS);
    let mut shown = pack.clone();
    shown.delta.as_mut().unwrap().runs.clear();
    assert_eq!(shown.clone().seal().pack_id, pack.pack_id);
    let text = serde_json::to_string(&pack).unwrap();
    assert_eq!(serde_json::from_str::<ContextPack>(&text).unwrap(), pack);
    // Without the names, this is still the same run, so it must not be counted twice.
    let merged = merge(
        &merge(&pack, &run("b", &BTreeSet::new(), 0)).unwrap(),
        &shown,
    )
    .unwrap();
    let delta = merged.delta.unwrap();
    assert_eq!(delta.runs.len(), 2);
    assert!(delta.runs.iter().any(|run| run.names.is_some()));
}

fn any_named_run() -> impl Strategy<Value = (ContextPack, BTreeSet<u16>)> {
    let failing = prop::collection::btree_set(0u16..12, 0..9);
    (
        prop::sample::select(vec!["a", "b", "c"]),
        failing,
        0usize..6,
    )
        .prop_map(|(file, failing, named)| (named_run(file, &failing, named, 20), failing))
}

fn any_run() -> impl Strategy<Value = (ContextPack, BTreeSet<u16>)> {
    let failing = prop::collection::btree_set(0u16..12, 0..9);
    (
        prop::sample::select(vec!["a", "b", "c"]),
        failing,
        0usize..6,
    )
        .prop_map(|(file, failing, named)| (run(file, &failing, named), failing))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn counts_are_independent_of_order(a in any_run(), b in any_run(), c in any_run()) {
        let (ab, bc) = (merge(&a.0, &b.0).unwrap(), merge(&b.0, &c.0).unwrap());
        let abc = merge(&ab, &c.0).unwrap();
        prop_assert_eq!(&ab, &merge(&b.0, &a.0).unwrap());
        prop_assert_eq!(&abc, &merge(&a.0, &bc).unwrap());
        prop_assert_eq!(&abc, &merge(&abc, &b.0).unwrap());
        prop_assert_eq!(&abc, &merge(&abc, &bc).unwrap());

        let all: BTreeSet<u16> = a.1.iter().chain(&b.1).chain(&c.1).copied().collect();
        let all = all.len() as u64;
        let delta = abc.delta.as_ref().unwrap();
        let named = delta.failures.len() as u64;
        let least = delta.more_failures.unwrap_or_default();
        let most = delta.more_failures_at_most.unwrap_or(least);
        // The true number must be within the bounds.
        prop_assert!((named + least..=named + most).contains(&all), "{all} {delta:?}");
        prop_assert!(delta.failures_at_least.is_none_or(|least| least <= all));
        if let Some(tests) = delta.tests {
            prop_assert_eq!(u64::from(tests.failed), all);
        } else {
            prop_assert_eq!(delta.failures_at_least.is_some(), delta.runs.iter().any(|run| run.more_failures > 0));
        }
    }

    #[test]
    fn named_failures_are_exact(a in any_named_run(), b in any_named_run(), c in any_named_run()) {
        let abc = merge(&merge(&a.0, &b.0).unwrap(), &c.0).unwrap();
        prop_assert_eq!(&abc, &merge(&a.0, &merge(&b.0, &c.0).unwrap()).unwrap());
        prop_assert_eq!(&abc, &merge(&merge(&c.0, &b.0).unwrap(), &a.0).unwrap());
        let all: BTreeSet<u16> = a.1.iter().chain(&b.1).chain(&c.1).copied().collect();
        let delta = abc.delta.as_ref().unwrap();
        let tests = delta.tests.unwrap();
        prop_assert_eq!((tests.failed as usize, tests.passed as usize), (all.len(), 20 - all.len()));
        let named = delta.failures.len() as u64;
        prop_assert_eq!(named + delta.more_failures.unwrap_or_default(), all.len() as u64);
    }
}
