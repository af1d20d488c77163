//! Steps on a thread, which can't be ended from outside. Unlike in the other tests, the clock isn't
//! paused here.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_engine::{
    Call, Held, NoObserver, Observer, Registry, RunContext, RunEvent, RunOptions, RunResult, Slots,
    Step, StepFuture, StepOutput, Stop, StopLevel, run,
};
use windlass_plan::{KindSpec, Outcome, Plan, Status};

use crate::support::{ms, plan, spec, step};

/// A kind that computes until it's released, despite all stop requests. A second step of this kind
/// reports if the first one is still computing.
struct Stubborn {
    spec: KindSpec,
    let_go: Arc<Mutex<Receiver<()>>>,
    computes: Arc<AtomicBool>,
    stop: Stop,
}

impl Step for Stubborn {
    fn spec(&self) -> &KindSpec {
        &self.spec
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let (let_go, computes) = (Arc::clone(&self.let_go), Arc::clone(&self.computes));
            if call.input != json!("computes") {
                return StepOutput::of(&computes.load(Ordering::SeqCst));
            }
            computes.store(true, Ordering::SeqCst);
            if call.path == "stops" {
                self.stop.request(StopLevel::Cancel);
            }
            call.blocking(move || {
                // An error means that the other side is gone, which ends the computation too.
                let _ = let_go.lock().unwrap().recv();
                computes.store(false, Ordering::SeqCst);
                StepOutput::of(&json!(null))
            })
            .await
        })
    }
}

/// Releases the thread once the end of its step is reported.
struct LetsGo {
    seen: Mutex<Vec<(Status, bool)>>,
    computes: Arc<AtomicBool>,
    let_go: Mutex<Sender<()>>,
}

impl Observer for LetsGo {
    fn event(&self, event: &RunEvent) {
        if let RunEvent::StepEnded { step, status, .. } = event
            && step == "a"
        {
            let computes = self.computes.load(Ordering::SeqCst);
            self.seen.lock().unwrap().push((*status, computes));
            let _ = self.let_go.lock().unwrap().send(());
        }
    }
}

struct Bench {
    stop: Stop,
    computes: Arc<AtomicBool>,
    let_go: Sender<()>,
    registry: Registry,
}

fn bench() -> Bench {
    let (let_go, receiver) = channel();
    let (stop, computes) = (Stop::default(), Arc::new(AtomicBool::new(false)));
    let mut registry = Registry::default();
    registry.add(Stubborn {
        spec: spec("script", false),
        let_go: Arc::new(Mutex::new(receiver)),
        computes: Arc::clone(&computes),
        stop: stop.clone(),
    });
    Bench {
        stop,
        computes,
        let_go,
        registry,
    }
}

impl Bench {
    fn run(&self, plan: &Plan, observer: Arc<dyn Observer>) -> RunResult {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let options = RunOptions {
            grace: ms(1),
            ..RunOptions::with_jobs(NonZeroUsize::MIN)
        };
        let context = RunContext {
            observer,
            stop: self.stop.clone(),
            slots: Slots::new(options.jobs),
            held: Held::default(),
            depth: 0,
            prefix: String::new(),
            earlier: None,
        };
        let inputs = BTreeMap::new();
        let result = runtime.block_on(run(plan, &inputs, &self.registry, &options, context));
        // An unreleased thread would keep the runtime alive.
        let _ = self.let_go.send(());
        result
    }
}

#[test]
fn timed_out_thread_keeps_slot() {
    let bench = bench();
    let lets_go = Arc::new(LetsGo {
        seen: Mutex::default(),
        computes: Arc::clone(&bench.computes),
        let_go: Mutex::new(bench.let_go.clone()),
    });
    let plan = plan(
        "p",
        [
            step("a").timeout(1).with(json!("computes")),
            step("b").with(json!("looks")),
        ],
    );
    let result = bench.run(&plan, Arc::clone(&lets_go) as Arc<dyn Observer>);
    // The thread was still computing when its step ended, and `b` had to wait for it nevertheless.
    assert_eq!(*lets_go.seen.lock().unwrap(), [(Status::Failed, true)]);
    let looked = result.step("b").unwrap().output.as_deref().cloned();
    assert_eq!(looked, Some(json!(false)), "both ran at once");
}

#[test]
fn stopped_run_skips_busy_threads() {
    let bench = bench();
    let plan = plan(
        "p",
        [
            step("stops").with(json!("computes")),
            step("cleans").finally().with(json!("looks")),
        ],
    );
    let result = bench.run(&plan, Arc::new(NoObserver));
    assert_eq!(result.outcome, Outcome::Cancelled);
    let looked = result.step("cleans").unwrap().output.as_deref().cloned();
    assert_eq!(looked, Some(json!(true)), "the thread had ended before");
}
