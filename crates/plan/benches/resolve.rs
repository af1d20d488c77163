//! Benchmarks for reading, checking and resolving runbooks.
//!
//! There is a typical runbook, and there are large ones and hostile ones. We also compare our
//! schema checker with `jsonschema`.

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use windlass_base::Ident;
use windlass_plan::{
    Catalog, Document, Edge, EdgeReason, KindSpec, Plan, PlanParts, PlannedStep, Runbook, StepDoc,
    StepIndex, load_runbook, resolve_runbook,
};

fn catalog() -> Catalog {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let kind = KindSpec {
        name: "search".to_owned(),
        summary: String::new(),
        input_schema: json!({
            "type": "object",
            "properties": { "pattern": { "type": "string" }, "paths": strings },
            "required": ["pattern"],
            "additionalProperties": false,
        }),
        output_schema: json!({
            "type": "object",
            "properties": {
                "files": strings,
                "matches": { "type": "array", "items": { "type": "object" } },
                "total": { "type": "integer" },
            },
        })
        .into(),
        main: None,
        effects: windlass_plan::Effects::default(),
        asks: BTreeSet::new(),
        worst_first: false,
        reads: windlass_plan::InputReading::default(),
    };
    Catalog::from_iter([kind])
}

/// A typical runbook of about 60 lines.
fn usual() -> String {
    let mut text = "schema_version: 1\nid: usual\ntitle: A usual runbook\ninputs:\n  focus: { type: string, default: src }\n\
                    policy:\n  budget: { max_chars: 6000 }\n  freshness: repair\nsteps:\n"
        .to_owned();
    for at in 0..7 {
        text +=
            &format!("  - id: s{at}\n    uses: search\n    with:\n      pattern: 'Router::new'\n");
        if at > 0 {
            text += &format!(
                "      paths: {{ $ref: '#/steps/s{}/output/files' }}\n    if: steps.s{}.output.total > 0\n",
                at - 1,
                at - 1
            );
        }
    }
    text += "outputs:\n";
    for at in 0..7 {
        text += &format!("  - {{ id: s{at}, from: s{at}, select: '$.matches[*]', limit: 20 }}\n");
    }
    text
}

/// A chain in which each step also needs the step ten positions before it.
fn large(steps: usize) -> Runbook {
    let step = |at: usize| StepDoc {
        id: format!("s{at}"),
        uses: "search".to_owned(),
        with: json!({ "pattern": "x", "paths": ["src"] })
            .as_object()
            .cloned(),
        needs: Some(
            [1, 10]
                .iter()
                .filter_map(|back| at.checked_sub(*back))
                .map(|at| format!("s{at}"))
                .collect(),
        ),
        ..StepDoc::default()
    };
    Runbook {
        schema_version: 1,
        id: "large".to_owned(),
        steps: (0..steps).map(step).collect(),
        ..Runbook::default()
    }
}

fn parts(steps: usize) -> PlanParts {
    let id = |at: usize| Ident::parse(&format!("s{at}")).expect("is an identifier");
    let mut parts = PlanParts::new(id(0));
    parts.steps = (0..steps)
        .map(|at| PlannedStep::new(id(at), "search"))
        .collect();
    parts.edges = (1..steps)
        .map(|at| Edge {
            step: StepIndex::new(at),
            needs: StepIndex::new(at - 1),
            reason: EdgeReason::Needs { place: None },
        })
        .collect();
    parts
}

fn usual_runbook(c: &mut Criterion) {
    let (text, catalog) = (usual(), catalog());
    c.bench_function("usual/load", |b| {
        b.iter(|| load_runbook("rb.yaml", black_box(text.as_bytes()), &catalog).expect("is right"));
    });
    c.bench_function("usual/parse", |b| {
        b.iter(|| Document::parse("rb.yaml", black_box(text.as_bytes())).expect("is right"));
    });
    let schema = Runbook::json_schema();
    c.bench_function("start/schema", |b| b.iter(Runbook::json_schema));
    c.bench_function("start/jsonschema", |b| {
        b.iter(|| jsonschema::validator_for(black_box(&schema)).expect("is a schema"));
    });
}

fn large_runbooks(c: &mut Criterion) {
    let catalog = catalog();
    let mut group = c.benchmark_group("large");
    group.sample_size(10);
    for steps in [1_000, 10_000, 100_000] {
        group.throughput(Throughput::Elements(steps as u64));
        let runbook = large(steps);
        group.bench_with_input(
            BenchmarkId::new("resolve", steps),
            &runbook,
            |b, runbook| {
                b.iter(|| resolve_runbook(black_box(runbook), &catalog).expect("is right"));
            },
        );
        let parts = parts(steps);
        group.bench_with_input(BenchmarkId::new("from_parts", steps), &parts, |b, parts| {
            b.iter_batched(
                || parts.clone(),
                |parts| Plan::from_parts(parts).expect("is right"),
                criterion::BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Documents of almost 4 MiB that repeat one mistake or one lookup by name.
///
/// Each should take about a second. Before we bounded the work, 80,000 wrong fields took twelve
/// seconds, and 100,000 inputs took a minute.
fn hostile_documents(c: &mut Criterion) {
    let catalog = catalog();
    let many =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let documents = [
        (
            "wrong_field",
            many(80_000, &|at| format!("  - {{ id: s{at}, usse: search }}\n")),
        ),
        (
            "unknown_step",
            many(60_000, &|at| {
                format!("  - {{ id: s{at}, uses: search, needs: [t{at}] }}\n")
            }),
        ),
        (
            "cycles",
            many(60_000, &|at| {
                format!("  - {{ id: s{at}, uses: search, needs: [s{}] }}\n", at ^ 1)
            }),
        ),
        (
            "references",
            format!(
                "  - id: a\n    uses: search\n    with: {{ paths: [{}] }}\n",
                many(80_000, &|_| "{ $ref: '#/inputs/none' }, ".to_owned())
            ),
        ),
        (
            "unknown_fields",
            format!(
                "  - id: a\n    uses: search\n{}",
                many(300_000, &|at| format!("    k{at}: 1\n"))
            ),
        ),
        ("numbers", format!("  - [{}]\n", "1,".repeat(900_000))),
    ];
    let mut group = c.benchmark_group("hostile");
    group.sample_size(10);
    for (name, steps) in documents {
        let text = format!("schema_version: 1\nid: hostile\nsteps:\n{steps}");
        group.bench_function(name, |b| {
            b.iter(|| load_runbook("rb.yaml", black_box(text.as_bytes()), &catalog).is_err());
        });
    }
    group.finish();
}

criterion_group!(benches, usual_runbook, large_runbooks, hostile_documents);
criterion_main!(benches);
