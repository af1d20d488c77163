//! Tests that a step can be prepared before its attempt, which doesn't count towards the time
//! limit.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_base::Ident;
use windlass_engine::{
    Call, Held, NoObserver, Preparing, Registry, RunContext, RunOptions, RunResult, Slots, Step,
    StepFuture, Stop, run,
};
use windlass_plan::{KindSpec, Outcome, Plan, PlanParts, PlannedStep, StepIndex};
use windlass_plugin::{Host, HostOptions};

use crate::support::{Guest, LIMITS, TestWorld};

/// A step that records two facts about each attempt.
///
/// The first is whether it was prepared before, and the second is whether the attempt had to do the
/// rest.
struct Watched<S> {
    step: S,
    seen: Arc<Mutex<Vec<(bool, bool)>>>,
}

impl<S: Step> Step for Watched<S> {
    fn spec(&self) -> &KindSpec {
        self.step.spec()
    }

    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        let preparing = self.step.prepare(call);
        let had = preparing.is_some();
        Some(Box::pin(async move {
            if let Some(preparing) = preparing {
                preparing.await;
            }
            let left = self.step.prepare(call).is_some();
            self.seen.lock().unwrap().push((had, left));
        }))
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        self.step.run(call)
    }
}

fn plan(uses: &str) -> Plan {
    let steps = ["a", "b", "c", "d"].map(|id| {
        let step = PlannedStep {
            with: json!({ "from": id }),
            ..PlannedStep::new(Ident::parse(id).unwrap(), uses)
        };
        match id {
            "d" => PlannedStep {
                needs: (0..3).map(StepIndex::new).collect(),
                ..step
            },
            _ => step,
        }
    });
    Plan::from_parts(PlanParts {
        steps: steps.into(),
        ..PlanParts::new(Ident::parse("p").unwrap())
    })
    .unwrap()
}

fn run_all(guest: &Guest, host: &Host) -> (RunResult, Vec<(bool, bool)>) {
    let folder = tempfile::tempdir().unwrap();
    let world = TestWorld::of(folder.path());
    let step = guest
        .plugin(host)
        .step("plugin:test@1", BTreeSet::new(), None, world);
    let seen = Arc::new(Mutex::default());
    let mut registry = Registry::default();
    registry.add(Watched {
        step,
        seen: Arc::clone(&seen),
    });
    let options = RunOptions::with_jobs(NonZeroUsize::new(3).unwrap());
    let context = RunContext {
        observer: Arc::new(NoObserver),
        stop: Stop::default(),
        slots: Slots::new(options.jobs),
        held: Held::default(),
        depth: 0,
        prefix: String::new(),
        earlier: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let plan = plan("plugin:test@1");
    let inputs = BTreeMap::new();
    let result = runtime.block_on(run(&plan, &inputs, &registry, &options, context));
    let seen = seen.lock().unwrap().clone();
    (result, seen)
}

#[test]
fn code_is_compiled_before_attempts() {
    let guest = Guest::default().answering("{}");
    let (result, seen) = run_all(&guest, &crate::support::host());
    assert_eq!(result.outcome, Outcome::Completed);
    // Any of the first three steps may be ready first.
    assert!(seen.iter().any(|(had, _)| *had) && !seen[3].0, "{seen:?}");
    assert!(seen.iter().all(|(_, left)| !left), "{seen:?}");
}

#[test]
fn cached_result_needs_no_code() {
    let cache = tempfile::tempdir().unwrap();
    let host = || {
        Host::new(HostOptions {
            cache: Some(windlass_store::RootedPath::new(cache.path()).join("plugins")),
            slots: 4,
            limits: LIMITS,
        })
    };
    let guest = Guest::default().answering("{}");
    let (first, _) = run_all(&guest, &host());
    let code = cache.path().join("plugins/code");
    std::fs::remove_dir_all(&code).unwrap();
    std::fs::create_dir(&code).unwrap();
    let (again, seen) = run_all(&guest, &host());
    assert_eq!(first.steps, again.steps);
    assert!(seen.iter().all(|(_, left)| *left), "{seen:?}");
    assert_eq!(std::fs::read_dir(&code).unwrap().count(), 0);
}
