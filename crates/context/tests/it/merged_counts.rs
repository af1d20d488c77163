//! How many fail by packs that were merged, where lists of failures end before all are named.

use std::collections::BTreeSet;

use proptest::prelude::*;
use windlass_context::{
    ArtifactKind, ArtifactRef, ContextPack, Delta, Dress, Failure, Origin, Provenance, Source,
    SourceKind, TestCount, artifact_item, failure_item, merge, render,
};

/// A pack of a run in which `failing` fail, of which the first `named` are named.
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
fn what_three_runs_leave_out_is_not_taken_from_one_of_them() {
    let all = |count: u16| (0..count).collect::<BTreeSet<u16>>();
    let packs = [
        run("a", &all(500), 200),
        run("b", &all(200), 200),
        run("c", &all(260), 200),
    ];
    let merged = packs[1..]
        .iter()
        .fold(packs[0].clone(), |one, other| merge(&one, other).unwrap());
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
        text.contains("between 300 and 360 more that are not named"),
        "{text}"
    );
}

#[test]
fn runs_that_have_nothing_in_common_are_added_up() {
    let one = run("a", &(0..20).collect(), 200);
    let other = run("b", &(20..50).collect(), 200);
    let merged = merge(&one, &other).unwrap();
    assert_eq!(counted(&merged), (Some(50), None, None, None));
    // Of one file in two states nobody knows.
    let later = run("a", &(20..50).collect(), 200);
    let merged = merge(&one, &later).unwrap();
    assert_eq!(counted(&merged), (None, None, None, Some(50)));
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
    fn counts_hold_in_whatever_order_packs_are_merged(a in any_run(), b in any_run(), c in any_run()) {
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
        prop_assert!((named + least..=named + most).contains(&all), "{all} {delta:?}");
        prop_assert!(delta.failures_at_least.is_none_or(|least| least <= all));
        if let Some(tests) = delta.tests {
            prop_assert_eq!(u64::from(tests.failed), all);
        } else {
            prop_assert!(delta.failures_at_least.is_some());
        }
    }
}
