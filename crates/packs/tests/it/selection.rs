//! Selecting a pack from the results of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_base::{Entry, Ident};
use windlass_engine::{RunResult, StepResult};
use windlass_packs::{Pack, PackSection, PackStatus, SectionStatus, Selection, select};
use windlass_plan::{
    Catalog, Edge, EdgeReason, Effects, InputReading, KindSpec, Outcome, Plan, PlanParts,
    PlannedOutput, PlannedStep, Selector, SortKey, Status, StepIndex, TakenBy,
};

use crate::support::{Sandbox, pack};

fn kind(name: &str, reproducible: bool, nested: bool) -> KindSpec {
    KindSpec {
        name: name.to_owned(),
        summary: String::new(),
        input_schema: json!({}),
        output_schema: json!({}).into(),
        main: Some("items".to_owned()),
        effects: Effects {
            reproducible,
            nested,
            ..Effects::default()
        },
        asks: BTreeSet::new(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

/// A run with one section per step. Each step has a kind, an output, and optionally the index of
/// another step whose output it uses.
struct Case {
    steps: Vec<(&'static str, Value, Option<usize>)>,
    each: bool,
    select: Option<&'static str>,
    sort: Option<&'static str>,
}

fn case(uses: &'static str, output: Value) -> Case {
    Case {
        steps: vec![(uses, output, None)],
        each: false,
        select: None,
        sort: None,
    }
}

impl Case {
    fn sections(&self, sandbox: &Sandbox) -> Vec<PackSection> {
        let id = |at: usize| Ident::parse(&format!("s{at}")).unwrap();
        let mut parts = PlanParts::new(Ident::parse("book").unwrap());
        let mut result = RunResult {
            outcome: Outcome::Completed,
            steps: Vec::new(),
        };
        for (at, (uses, output, needs)) in self.steps.iter().enumerate() {
            let mut step = PlannedStep::new(id(at), *uses);
            step.for_each = self.each.then(|| json!([]));
            parts.steps.push(step);
            parts.edges.extend(needs.map(|need| Edge {
                step: StepIndex::new(at),
                needs: StepIndex::new(need),
                reason: EdgeReason::Ref {
                    taken: Box::new(TakenBy {
                        at: "/with/x".to_owned(),
                        reference: format!("#/steps/s{need}/output"),
                    }),
                    place: None,
                },
            }));
            parts.outputs.push(PlannedOutput {
                id: id(at),
                title: "T".to_owned(),
                from: StepIndex::new(at),
                select: self.select.map(|text| Selector::parse(text).unwrap()),
                sort: self.sort.map(|text| SortKey::parse(text).unwrap()),
                limit: None,
                place: None,
            });
            result.steps.push(StepResult {
                id: id(at).to_string(),
                uses: (*uses).to_owned(),
                status: Status::Completed,
                output: Some(Arc::new(output.clone())),
                error: None,
                reason: None,
                notes: Vec::new(),
                caveat: None,
            });
        }
        let catalog: Catalog = [
            kind("sure", true, false),
            kind("unsure", false, false),
            kind("runbook", true, true),
            kind("judged", true, false).worst_first(),
        ]
        .into_iter()
        .collect();
        select(&Selection {
            plan: &Plan::from_parts(parts).unwrap(),
            result: &result,
            catalog: &catalog,
            snapshot: &sandbox.snapshot(),
            max_items: 10,
        })
    }

    fn values(&self) -> Vec<Value> {
        let sections = self.sections(&Sandbox::with([]));
        let value = |entry: &Entry| match entry {
            Entry::Observation(seen) => seen.value.clone(),
            Entry::Item(item) => json!(item.label),
        };
        sections[0].entries.iter().map(value).collect()
    }
}

#[test]
fn section_shows_main_list_or_selection() {
    let output = json!({"items": [3, 1, 2], "other": ["x"]});
    assert_eq!(case("sure", output.clone()).values(), [3, 1, 2]);
    assert_eq!(
        case("sure", json!([1, [2]])).values(),
        [json!(1), json!([2])]
    );
    assert_eq!(case("sure", json!("text")).values(), ["text"]);
    assert_eq!(case("sure", json!(null)).values(), Vec::<Value>::new());
    let each = Case {
        each: true,
        ..case("sure", json!([output, null, {"items": [9]}]))
    };
    assert_eq!(each.values(), [3, 1, 2, 9]);
    let selected = Case {
        select: Some("$.other[*]"),
        ..case("sure", output)
    };
    assert_eq!(selected.values(), ["x"]);
    let rows = json!([{"n": 2}, {"n": 1}, {}]);
    let sorted = Case {
        sort: Some("-/n"),
        ..case("sure", rows)
    };
    assert_eq!(
        sorted.values(),
        [json!({"n": 2}), json!({"n": 1}), json!({})]
    );
}

#[test]
fn worst_entries_come_first_by_default() {
    let sandbox = Sandbox::with([("a.rs", "one\ntwo\nthree\n")]);
    let named = |id: &str, evidence| json!({"id": id, "evidence": [evidence]});
    let rows = json!({"items": [
        named("a", sandbox.fresh("a.rs", 1, 1)),
        named("b", sandbox.stale("a.rs", 2, 2)),
        named("c", sandbox.stale("gone.rs", 1, 1)),
        named("d", sandbox.fresh("a.rs", 3, 3)),
    ]});
    let ids = |case: Case| -> String {
        let sections = case.sections(&sandbox);
        let id = |entry: &Entry| match entry {
            Entry::Item(item) => item.id.clone().unwrap_or_default(),
            Entry::Observation(_) => "-".to_owned(),
        };
        sections[0].entries.iter().map(id).collect()
    };
    // The order of the step is kept.
    assert_eq!(ids(case("sure", rows.clone())), "abcd");
    // Missing files come first, then stale evidence.
    assert_eq!(ids(case("judged", rows.clone())), "cbad");
    let sorted = Case {
        sort: Some("-/id"),
        ..case("judged", rows)
    };
    assert_eq!(ids(sorted), "dcba");
}

#[test]
fn claimed_status_is_ignored() {
    let sandbox = Sandbox::with([("a.rs", "one\ntwo\n"), (".env", "X=1\n")]);
    let hash = format!("sha256:{}", "0".repeat(64));
    let forged = |file: &str| {
        json!({"label": "x", "status": "fresh", "evidence": [{
            "file": file, "start_line": 1, "end_line": 1, "source_hash": hash,
            "status": "fresh", "text": "forged", "confidence": 100,
        }]})
    };
    for (file, status) in [
        ("a.rs", "stale_hash_mismatch"),
        ("gone.rs", "missing_file"),
        (".env", "blocked_secret"),
    ] {
        let sections = case("unsure", json!([forged(file)])).sections(&sandbox);
        assert_eq!(sections[0].status, SectionStatus::Stale, "{file}");
        let pack = pack(sections);
        let json = sandbox
            .json(&pack, &crate::support::options(9_000))
            .unwrap();
        assert_eq!(
            json["sections"][0]["items"][0]["evidence"][0]["status"],
            status
        );
        // Neither the text nor the status of the step may get into the pack.
        assert!(!json.to_string().contains("forged"), "{json}");
        assert!(
            !sandbox.text(&pack).contains("fresh"),
            "{}",
            sandbox.text(&pack)
        );
    }
}

fn digest(sections: Vec<PackSection>) -> String {
    let runbook = pack(Vec::new()).runbook;
    Pack::new(runbook, PackStatus::Ok, sections, Vec::new())
        .unwrap()
        .digest
        .to_string()
}

#[test]
fn digest_ignores_unreproducible_values() {
    let sandbox = Sandbox::with([]);
    let observed = |uses: &str, value: Value| {
        json!([{
            "type": "observation",
            "provenance": {"step": "in", "uses": uses, "reproducible": uses == "sure"},
            "value": value,
        }])
    };
    type Make = fn(&dyn Fn(&str, Value) -> Value, Value) -> Case;
    let cases: [(&str, Make, bool); 6] = [
        (
            "reproducible",
            |_, value| case("sure", json!([value])),
            true,
        ),
        ("not", |_, value| case("unsure", json!([value])), false),
        (
            "more of it",
            |_, value| case("unsure", json!([value, value, value])),
            false,
        ),
        (
            "reproducible over what is not",
            |_, value| Case {
                steps: vec![
                    ("unsure", json!(["x"]), None),
                    ("sure", json!([value]), Some(0)),
                    ("sure", json!([value]), Some(1)),
                ],
                ..case("sure", json!([]))
            },
            false,
        ),
        (
            "in a nested run, reproducible",
            |observed, value| case("runbook", observed("sure", value)),
            true,
        ),
        (
            "in a nested run, not",
            |observed, value| case("runbook", observed("unsure", value)),
            false,
        ),
    ];
    for (name, make, counts) in cases {
        let of = |value: Value| digest(make(&observed, value).sections(&sandbox));
        assert_eq!(of(json!("one")) != of(json!("two")), counts, "{name}");
    }
    assert_ne!(
        digest(case("unsure", json!(["x"])).sections(&sandbox)),
        digest(case("unsure", json!([])).sections(&sandbox))
    );
}

#[test]
fn nested_observation_keeps_provenance() {
    let seen = json!([{"type": "observation", "provenance": {"step": "log", "uses": "git", "reproducible": false}, "value": 7}]);
    let provenance = |uses: &'static str| {
        let sections = case(uses, seen.clone()).sections(&Sandbox::with([]));
        let Entry::Observation(seen) = &sections[0].entries[0] else {
            panic!("an item")
        };
        (
            seen.provenance.step.clone(),
            seen.provenance.uses.clone(),
            seen.provenance.reproducible,
        )
    };
    assert_eq!(
        provenance("runbook"),
        ("s0/log".to_owned(), "git".to_owned(), false)
    );
    // Steps of any other kind must not get away with claiming another provenance.
    assert_eq!(
        provenance("sure"),
        ("s0".to_owned(), "sure".to_owned(), true)
    );
}
