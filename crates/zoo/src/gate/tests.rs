use std::collections::BTreeMap;

use super::*;
use crate::ZooError;
use crate::results::CaseResult;

fn case(archetype: &str, name: &str, system: &str, values: &[(Metric, Option<f64>)]) -> CaseResult {
    CaseResult {
        values: values.iter().copied().collect(),
        asked: name.to_owned(),
        ..CaseResult::new(archetype, name, system)
    }
}

/// Returns ten questions about `docs`, answered by Windlass and `grep`.
fn results(ours: f64, grep: f64) -> Results {
    let cases = (0..10).flat_map(|n| {
        let value = |base: f64| Some((base + f64::from(n % 2) / 100.0).min(1.0));
        let name = format!("q{n}");
        [("windlass", ours), ("grep", grep)]
            .map(|(system, base)| case("docs", &name, system, &[(Metric::RecallAt5, value(base))]))
    });
    Results::of(cases.collect())
}

fn gates(text: &str) -> Gates {
    let text = format!("schema_version = 1\n{text}");
    read_gates("gates.toml", &text).unwrap()
}

fn broken(text: &str, results: &Results) -> Vec<String> {
    let found = check(&gates(text), results, None).broken;
    found
        .into_iter()
        .map(|one| format!("{} {}: {}", one.archetype, one.must, one.is))
        .collect()
}

#[test]
fn violation_has_cases_and_command() {
    let gates = gates("[[gate]]\nmetric = 'recall_at_5'\nat_least = 0.9\nof = 'min'");
    assert_eq!(check(&gates, &results(0.95, 0.1), None).broken, []);
    let found = check(&gates, &results(0.8, 0.1), None).broken;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&*found[0].must, &*found[0].is),
        ("min at least 0.9", "0.8")
    );
    assert_eq!(found[0].cases, ["q0: 0.8", "q2: 0.8", "q4: 0.8"]);
    assert_eq!(found[0].reproduce, "windlass zoo run docs --case=q0");
}

#[test]
fn own_failure_always_violates() {
    let gates = gates("[[gate]]\nmetric = 'recall_at_5'\nat_least = 0.1");
    let with_failure = |system: &str| {
        let mut cases = results(0.9, 0.5).cases;
        let case = cases.iter_mut().find(|case| case.system == system).unwrap();
        case.failure = Some("it broke".to_owned());
        Results::of(cases)
    };
    let found = check(&gates, &with_failure(OURS), None).broken;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].metric, Metric::Failed.name());
    assert_eq!(found[0].is, "1 failed case; the first: it broke");
    assert_eq!(found[0].reproduce, "windlass zoo run docs --case=q0");
    assert_eq!(check(&gates, &with_failure("grep"), None).broken, []);
}

#[test]
fn undefined_and_unmeasured_never_pass() {
    let text = "[[gate]]\nmetric = 'noise_ratio'\nat_most = 1.0";
    assert_eq!(
        broken(text, &results(1.0, 0.0)),
        ["any mean at most 1: never measured"]
    );
    let undefined = Results::of(vec![case(
        "docs",
        "q",
        "windlass",
        &[(Metric::NoiseRatio, None)],
    )]);
    assert_eq!(
        broken(text, &undefined),
        ["docs mean at most 1: undefined in its only case"]
    );
    let named = "[[gate]]\nmetric = 'recall_at_5'\narchetypes = ['docs', 'mono']\nat_least = 0.0";
    assert_eq!(
        broken(named, &results(1.0, 0.0)),
        ["mono mean at least 0: not measured"]
    );
}

#[test]
fn gate_selects_kinds_and_archetypes() {
    let mut results = results(0.9, 0.5);
    for (at, case) in results.cases.iter_mut().enumerate() {
        case.kind = match at / 2 {
            0..6 => Some(Kind::Plain),
            6..8 => Some(Kind::Both),
            _ => None,
        };
        if case.system == "windlass" && case.kind == Some(Kind::Both) {
            case.values = BTreeMap::from([(Metric::RecallAt5, Some(0.1))]);
        }
    }
    let gate = |more: &str| format!("[[gate]]\nmetric = 'recall_at_5'\n{more}");
    for (text, told) in [
        ("at_least = 0.5\nkinds = ['plain']", &[][..]),
        (
            "at_least = 0.5\nkinds = ['both']",
            &["docs mean at least 0.5 of both: 0.1"],
        ),
        ("ahead_of = ['grep']\nkinds = ['plain']", &[]),
        (
            "at_least = 0.5\nkinds = ['nothing']",
            &["any mean at least 0.5 of nothing: never measured"],
        ),
        ("at_least = 0.0\nexcept = ['mono']", &[]),
        (
            "at_least = 0.0\nexcept = ['docs']",
            &["any mean at least 0: never measured"],
        ),
    ] {
        assert_eq!(broken(&gate(text), &results), told, "{text}");
    }
}

#[test]
fn worst_defined_cases_are_named() {
    let mut cases = results(0.8, 0.1).cases;
    cases.push(case("docs", "a", OURS, &[(Metric::RecallAt5, None)]));
    let gates = gates("[[gate]]\nmetric = 'recall_at_5'\nat_least = 0.9");
    let found = check(&gates, &Results::of(cases), None).broken;
    assert_eq!(found[0].cases, ["q0: 0.8", "q2: 0.8", "q4: 0.8"]);
}

#[test]
fn failed_system_cannot_be_compared() {
    let mut cases = results(0.9, 0.0).cases;
    for case in cases.iter_mut().filter(|case| case.system == "grep") {
        case.failure = Some("it cannot be started".to_owned());
    }
    let told = broken(
        "[[gate]]\nmetric = 'recall_at_5'\nahead_of = ['grep']",
        &Results::of(cases),
    );
    assert_eq!(
        told,
        ["docs ahead of grep: nothing to compare with: `grep` failed in every case"]
    );
}

#[test]
fn ahead_of_needs_more_than_chance() {
    let text = "[[gate]]\nmetric = 'recall_at_5'\nahead_of = ['grep']";
    assert_eq!(broken(text, &results(0.9, 0.5)), [""; 0]);
    for behind in [results(0.5, 0.9), results(0.5, 0.5)] {
        assert_eq!(broken(text, &behind).len(), 1);
    }
    let mut chance = results(0.5, 0.5);
    for (at, case) in chance.cases.iter_mut().enumerate() {
        let value = if at % 4 == 1 || at % 7 == 0 { 0.9 } else { 0.5 };
        case.values = BTreeMap::from([(Metric::RecallAt5, Some(value))]);
    }
    let told = broken(text, &chance);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("against `grep`") && told[0].ends_with("it may be chance"),
        "{told:?}"
    );
    let alone = Results::of(vec![case(
        "docs",
        "q",
        "windlass",
        &[(Metric::RecallAt5, Some(1.0))],
    )]);
    assert_eq!(
        broken(text, &alone),
        ["docs ahead of grep: nothing to compare with `grep`"]
    );
}

#[test]
fn loss_against_baseline_is_quantified() {
    let gates = gates("[[gate]]\nmetric = 'recall_at_5'\nlose_at_most = 0.02");
    let baseline = results(0.9, 0.5).baseline();
    assert_eq!(
        check(&gates, &results(0.89, 0.5), Some(&baseline)).broken,
        []
    );
    let found = check(&gates, &results(0.7, 0.5), Some(&baseline)).broken;
    assert_eq!(found[0].is, "0.705, was 0.905: 0.2 worse");
    assert_eq!(
        check(&gates, &results(0.9, 0.5), None).broken[0].is,
        "no baseline"
    );
    let json = serde_json::to_string(&baseline).unwrap();
    assert_eq!(serde_json::from_str::<Baseline>(&json).unwrap(), baseline);
}

#[track_caller]
fn refused(text: &str) -> String {
    match read_gates("gates.toml", text).unwrap_err() {
        ZooError::Document(found) => found.iter().map(ToString::to_string).collect(),
        other => other.to_string(),
    }
}

#[test]
fn invalid_gates_are_located() {
    let head = "schema_version = 1\n[[gate]]\n";
    for (text, part) in [
        (
            "metric = 'recal_at_5'\nat_least = 1",
            "gates.toml:3:10: unknown variant `recal_at_5`",
        ),
        ("metric = 'map'", "exactly one"),
        (
            "metric = 'map'\nat_least = 1\nat_most = 1",
            "gates.toml:2:1: a gate has exactly one",
        ),
        ("metric = 'map'\nat_least = 'x'", "invalid type"),
        (
            "metric = 'map'\nat_least = 1\nof = 'median'",
            "unknown variant `median`",
        ),
        ("metric = 'map'\nat_leest = 1", "unknown field `at_leest`"),
        (
            "metric = 'map'\nlose_at_most = 0\nof = 'max'",
            "`of` is only for",
        ),
        (
            "metric = 'map'\nat_least = 1\nexcept = ['docs']\narchetypes = ['mono']",
            "`except` exclude each other",
        ),
        (
            "metric = 'map'\nat_least = 1\nkinds = ['riddle']",
            "unknown variant `riddle`",
        ),
        (
            "metric = 'map'\nlose_at_most = 1\nkinds = ['both']",
            "neither kinds",
        ),
        ("metric = ", "gates.toml:3:"),
    ] {
        let told = refused(&format!("{head}{text}"));
        assert!(told.contains(part), "{told}");
    }
    for (text, part) in [
        (
            "schema_version = 9",
            "gates.toml:1:18: unknown `schema_version` 9",
        ),
        ("schema_version = 1", "no gate in `gates.toml`"),
        ("schema_version = 1\ngate = []", "no gate in `gates.toml`"),
        ("schema_version = 1\nsame_as_baseline = 1", "invalid type"),
        (
            "schema_version = 1\n[gate]\nmetric = 'map'\nat_least = 1",
            "expected a sequence",
        ),
    ] {
        let told = refused(text);
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn unknown_archetype_or_system_violates() {
    for (text, part) in [
        (
            "archetypes = ['moon']\nat_most = 1",
            "moon mean at most 1: not measured",
        ),
        (
            "ahead_of = ['ours']",
            "docs ahead of ours: nothing to compare with `ours`",
        ),
    ] {
        let gate = format!("[[gate]]\nmetric = 'recall_at_5'\n{text}");
        assert_eq!(broken(&gate, &results(0.9, 0.5)), [part]);
    }
}

#[test]
fn gate_may_select_one_case() {
    let of = |case: &str| {
        let gate = format!("[[gate]]\nmetric = 'recall_at_5'\nat_least = 0.805\ncase = '{case}'");
        broken(&gate, &results(0.8, 0.1))
    };
    assert_eq!(of("q1"), [""; 0]);
    assert_eq!(of("q2"), ["docs mean at least 0.805 of the case `q2`: 0.8"]);
    assert_eq!(
        of("q99"),
        ["any mean at least 0.805 of the case `q99`: never measured"]
    );
}

#[test]
fn changed_output_violates() {
    let gates = gates("same_as_baseline = true\n[[gate]]\nmetric = 'recall_at_5'\nat_least = 0");
    let before = results(0.9, 0.5);
    let baseline = before.baseline();
    let checked = check(&gates, &before, Some(&baseline));
    assert_eq!(checked.broken, []);
    assert_eq!(checked.held.last().unwrap().metric, baseline_gates::OUTPUT);
    let mut cases = before.cases.clone();
    for case in &mut cases {
        // The values are the same, only the printed bytes aren't.
        case.printed = Some("of other bytes".to_owned());
    }
    let other = Results::of(cases);
    let broken = check(&gates, &other, Some(&baseline)).broken;
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].is.starts_with("a different output"));
    let none = check(&gates, &before, None).broken;
    assert_eq!(none[0].is, "no baseline");
    let unknown = check(&gates, &before, Some(&Baseline::default())).broken;
    assert_eq!(unknown[0].is, "the baseline does not have it");
}

#[test]
fn same_as_baseline_may_be_the_only_gate() {
    let alone = gates("same_as_baseline = true");
    let results = results(0.9, 0.5);
    let checked = check(&alone, &results, Some(&results.baseline()));
    assert_eq!((checked.held.len(), checked.broken), (1, Vec::new()));
}

#[test]
fn changelog_must_name_the_baseline() {
    let (before, after) = (results(0.9, 0.5).baseline(), results(0.8, 0.5).baseline());
    let after = after.since(Some(&before));
    let line = changelog_line(&after);
    assert!(line.ends_with(": docs: recall_at_5 -0.1."), "{line}");
    let now = results(0.8, 0.5);
    let named = |text: &str, baseline| named_in(("CHANGELOG.md", text), baseline, &now);
    assert_eq!(named(&line, &after), None);
    assert_eq!(
        named(&line.replace(": ", ":\n  "), &after),
        None,
        "lines break anywhere"
    );
    assert!(named(&line, &before).is_some());
    let hollow = named(&format!("zoo {}", after.id()), &after).unwrap();
    assert!(hollow.is.starts_with("`CHANGELOG.md` has no `zoo "));
    assert_ne!(before.id(), after.id());
    let again = after.clone().since(Some(&after));
    assert_eq!(again, after, "written again, it says the same");
    let first = before.clone().since(None);
    assert!(changelog_line(&first).ends_with(": first baseline."));
    let same = before.clone().since(Some(&before));
    assert!(changelog_line(&same).ends_with(": no figure changed."));
    // If somebody edits a value by hand, the baseline gets another ID.
    let mut loosened = again;
    let means = loosened.means.get_mut("docs").unwrap();
    means.insert(Metric::RecallAt5, Some(0.0));
    assert!(named(&line, &loosened).is_some());
    let mut more = before.clone();
    let means = more.means.get_mut("docs").unwrap();
    means.insert(Metric::Map, Some(0.25));
    means.insert(Metric::RecallAt5, None);
    let line = changelog_line(&more.since(Some(&before)));
    let said = ": docs: recall_at_5 no longer has a value, map new at 0.25.";
    assert!(line.ends_with(said), "{line}");
}

#[test]
fn value_lost_since_baseline_violates() {
    let gates = gates("[[gate]]\nmetric = 'recall_at_5'\nlose_at_most = 0.02");
    let now = Results::of(vec![
        case(
            "docs",
            "q",
            OURS,
            &[(Metric::RecallAt5, Some(0.9)), (Metric::Map, None)],
        ),
        case("mono", "q", OURS, &[(Metric::Map, Some(0.9))]),
    ]);
    let mut baseline = now.baseline();
    let told = |baseline: &Baseline| {
        let broken = check(&gates, &now, Some(baseline)).broken.into_iter();
        let told = broken.map(|one| format!("{} {}: {}", one.archetype, one.metric, one.is));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&baseline), [""; 0]);
    let mut had = |archetype: &str, metric, value| {
        let means = baseline.means.get_mut(archetype).unwrap();
        means.insert(metric, value);
    };
    had("docs", Metric::Map, Some(0.5));
    had("docs", Metric::Mrr, None);
    had("mono", Metric::RecallAt5, Some(1.0));
    assert_eq!(
        told(&baseline),
        [
            "docs map: undefined in 1 case, was 0.5",
            "mono recall_at_5: not measured, was 1",
        ]
    );
}

#[test]
fn too_few_questions_prove_nothing() {
    let mut few = results(0.9, 0.5).cases;
    few.retain(|case| ["q3", "q4", "q5"].contains(&&*case.case));
    let few = Results::of(few);
    let gate = |must: &str| format!("[[gate]]\nmetric = 'recall_at_5'\n{must} = ['grep']");
    assert_eq!(broken(&gate("no_worse_than"), &few), [""; 0]);
    let told = broken(&gate("ahead_of"), &few);
    let few = "only 3 independent cases, 6 are needed";
    assert!(told[0].ends_with(few), "{told:?}");
    for (ours, count) in [(0.5, 0), (0.4, 1)] {
        let told = broken(&gate("no_worse_than"), &results(ours, 0.5));
        assert_eq!(told.len(), count, "{told:?}");
    }
}

#[test]
fn changed_cases_are_named() {
    let gates = gates("same_as_baseline = true");
    let before = results(0.9, 0.5);
    let baseline = before.baseline().with_cases(&before);
    let mut cases = before.cases.clone();
    for case in cases.iter_mut().filter(|case| case.system == OURS) {
        if ["q3", "q7"].contains(&&*case.case) {
            case.values.insert(Metric::RecallAt5, Some(0.7));
        }
    }
    let after = Results::of(cases);
    let known = check(&gates, &after, Some(&baseline)).broken;
    assert_eq!(known[0].cases, ["q3", "q7"]);
    assert_eq!(known[0].reproduce, "windlass zoo run docs --case=q3");
    // Baselines of older versions don't have the cases, so there's nothing to name.
    let old = check(&gates, &after, Some(&before.baseline())).broken;
    assert_eq!(old[0].cases, [""; 0]);
    assert_eq!(old[0].reproduce, "windlass zoo run docs");
    let other = results(0.1, 0.5).baseline();
    let both = after.baseline().with_cases(&after).beside(&Baseline {
        means: std::iter::once(("mono".to_owned(), other.means["docs"].clone())).collect(),
        ..Baseline::default()
    });
    assert_eq!(both.means.keys().collect::<Vec<_>>(), ["docs", "mono"]);
    assert_eq!(both.means["docs"], after.baseline().means["docs"]);
}
