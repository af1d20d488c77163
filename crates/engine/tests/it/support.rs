//! Scripted and nested step kinds, and a world in which plans with such steps run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use windlass_base::Ident;
use windlass_engine::{
    Call, Earlier, ErrorKind, Held, Observer, Preparing, Produced, Registry, RunContext, RunEvent,
    RunOptions, RunResult, Slots, Step, StepError, StepFuture, StepOutput, StepResult, Stop,
    StopLevel, run,
};
use windlass_plan::{
    Condition, Effects, InputReading, KindSpec, OnFailure, Plan, PlanParts, PlannedStep, Retry,
    StepIndex,
};

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

// ---- plans ----------------------------------------------------------------------------------------------

/// A step of the kind `script`. Methods of [`Draft`] add needs and other settings.
pub(crate) fn step(id: &str) -> Draft {
    Draft {
        planned: PlannedStep::new(Ident::parse(id).unwrap(), "script"),
        needs: Vec::new(),
    }
}

/// A step that runs the nested plan `plan`.
pub(crate) fn nested(id: &str, plan: &str) -> Draft {
    let mut draft = step(id);
    draft.planned.uses = "nested".to_owned();
    draft.with(json!({ "plan": plan }))
}

#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) planned: PlannedStep,
    needs: Vec<String>,
}

impl Draft {
    pub(crate) fn needs(mut self, ids: &str) -> Self {
        self.needs.extend(ids.split_whitespace().map(str::to_owned));
        self
    }

    pub(crate) fn with(mut self, with: Value) -> Self {
        self.planned.with = with;
        self
    }

    pub(crate) fn when(mut self, condition: &str) -> Self {
        self.planned.condition = Some(Condition::parse(condition).unwrap());
        self
    }

    pub(crate) fn each(mut self, list: Value) -> Self {
        self.planned.for_each = Some(list);
        self
    }

    pub(crate) fn retry(mut self, max_attempts: u32, backoff: u64) -> Self {
        self.planned.retry = Retry {
            max_attempts,
            backoff: ms(backoff),
            max_backoff: None,
        };
        self
    }

    pub(crate) fn timeout(mut self, millis: u64) -> Self {
        self.planned.timeout = Some(ms(millis));
        self
    }

    pub(crate) fn max_duration(mut self, millis: u64) -> Self {
        self.planned.max_duration = Some(ms(millis));
        self
    }

    pub(crate) fn goes_on(mut self) -> Self {
        self.planned.on_failure = OnFailure::Continue;
        self
    }

    pub(crate) fn finally(mut self) -> Self {
        self.planned.finally = true;
        self
    }
}

pub(crate) fn plan(id: &str, drafts: impl IntoIterator<Item = Draft>) -> Plan {
    let drafts: Vec<Draft> = drafts.into_iter().collect();
    let index: BTreeMap<String, StepIndex> = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| (draft.planned.id.to_string(), StepIndex::new(at)))
        .collect();
    let steps = drafts.into_iter().map(|draft| PlannedStep {
        needs: draft.needs.iter().map(|id| index[id]).collect(),
        ..draft.planned
    });
    let parts = PlanParts {
        steps: steps.collect(),
        ..PlanParts::new(Ident::parse(id).unwrap())
    };
    Plan::from_parts(parts).unwrap()
}

// ---- kinds ----------------------------------------------------------------------------------------------

/// Counts concurrent attempts and records their maximum.
#[derive(Default)]
pub(crate) struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Gauge {
    fn enter(self: &Arc<Self>) -> Inside {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Inside(Arc::clone(self))
    }
}

struct Inside(Arc<Gauge>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The behaviour of a scripted step, which is the step's input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    /// The duration in milliseconds.
    #[serde(default)]
    wait: u64,
    /// The duration of the preparation for the first attempt, in milliseconds.
    #[serde(default, rename = "prepare")]
    _prepare: u64,
    #[serde(default)]
    answer: Value,
    /// The kind of failure, and the number of failing attempts.
    #[serde(default)]
    fail: Option<(ErrorKind, u32)>,
    /// When to panic: `sync` before returning a future, `first` before the first wait, `later`
    /// after that wait, or `blocking` on a thread.
    #[serde(default)]
    panic: String,
    /// If true, the step ignores a stop. If not, `lingers` is the time that it takes to end, in
    /// milliseconds.
    #[serde(default)]
    deaf: bool,
    #[serde(default)]
    lingers: Option<u64>,
}

struct ScriptKind {
    spec: KindSpec,
    gauge: Arc<Gauge>,
    /// Additional delays. The path and the attempt number decide which one a step gets.
    delays: Vec<u64>,
}

impl Step for ScriptKind {
    fn spec(&self) -> &KindSpec {
        &self.spec
    }

    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        assert!(call.input["panic"] != "prepare", "before it began");
        let takes = call.input["prepare"].as_u64()?;
        let is_first = call.attempt == 1;
        is_first.then(|| Box::pin(tokio::time::sleep(ms(takes))) as Preparing<'a>)
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        assert!(call.input["panic"] != "sync", "at once");
        Box::pin(async move {
            let _inside = self.gauge.enter();
            let script: Script = call.input()?;
            assert!(script.panic != "first", "before it waited");
            let wait = script.wait + self.delay(&call);
            let work = async {
                if wait > 0 {
                    tokio::time::sleep(ms(wait)).await;
                }
            };
            if script.deaf {
                work.await;
            } else {
                tokio::select! {
                    biased;
                    () = work => {}
                    _ = call.stop.beyond(StopLevel::None) => {
                        tokio::time::sleep(ms(script.lingers.unwrap_or(0))).await;
                        if script.lingers.is_none() {
                            return Err(StepError::failed("heard the stop"));
                        }
                    }
                }
            }
            match script.panic.as_str() {
                "later" => panic!("after it waited"),
                "blocking" => call.blocking(|| panic!("on another thread")).await?,
                _ => {}
            }
            match script.fail {
                Some((kind, times)) if call.attempt <= times => {
                    let message = format!("attempt {} of {}", call.attempt, call.path);
                    Err(StepError::new(kind, message))
                }
                _ => StepOutput::of(&script.answer),
            }
        })
    }
}

impl ScriptKind {
    fn delay(&self, call: &Call) -> u64 {
        if self.delays.is_empty() {
            return 0;
        }
        let hash = call.path.bytes().fold(call.attempt as usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        self.delays[hash % self.delays.len()]
    }
}

/// Runs one of the known plans in the slots of the outer run.
struct NestedKind {
    spec: KindSpec,
    world: World,
}

impl Step for NestedKind {
    fn spec(&self) -> &KindSpec {
        &self.spec
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let plan = &self.world.plans[call.input["plan"].as_str().unwrap()];
            let registry = self.world.registry();
            let gauge = Arc::clone(&self.world.gauge);
            call.blocking(move || {
                let _inside = gauge.enter();
                // Yield often enough for other steps to enter, in case something lets them.
                (0..200).for_each(|_| std::thread::yield_now());
                Ok(())
            })
            .await?;
            let result = call.run_nested(plan, &self.world.inputs, &registry).await;
            let statuses: Vec<&str> = result.steps.iter().map(|s| s.status.as_str()).collect();
            if result.outcome == windlass_plan::Outcome::Completed {
                StepOutput::of(&json!({ "depth": call.depth, "statuses": statuses }))
            } else {
                Err(StepError::failed(statuses.join(" ")))
            }
        })
    }
}

pub(crate) fn spec(name: &str, nested: bool) -> KindSpec {
    KindSpec {
        name: name.to_owned(),
        summary: String::new(),
        input_schema: json!({}),
        output_schema: json!({}).into(),
        main: None,
        effects: Effects {
            nested,
            reproducible: true,
            ..Effects::default()
        },
        asks: BTreeSet::new(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

// ---- running --------------------------------------------------------------------------------------------

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) options: RunOptions,
    pub(crate) inputs: BTreeMap<String, Value>,
    pub(crate) plans: Arc<BTreeMap<String, Plan>>,
    pub(crate) delays: Vec<u64>,
    /// Stop requests by time after the start, in milliseconds.
    pub(crate) stops: Vec<(u64, StopLevel)>,
    /// Earlier outputs to use instead of new attempts.
    pub(crate) earlier: Option<Arc<dyn Earlier>>,
    gauge: Arc<Gauge>,
}

impl World {
    pub(crate) fn new(jobs: usize) -> Self {
        Self {
            options: RunOptions::with_jobs(NonZeroUsize::new(jobs).unwrap()),
            inputs: BTreeMap::new(),
            plans: Arc::default(),
            delays: Vec::new(),
            stops: Vec::new(),
            earlier: None,
            gauge: Arc::default(),
        }
    }

    pub(crate) fn fail_fast(mut self) -> Self {
        self.options.fail_fast = true;
        self
    }

    pub(crate) fn input(mut self, name: &str, value: Value) -> Self {
        self.inputs.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn knows(mut self, plans: impl IntoIterator<Item = Plan>) -> Self {
        let plans = plans.into_iter().map(|plan| (plan.id().to_string(), plan));
        self.plans = Arc::new(plans.collect());
        self
    }

    pub(crate) fn stop_at(mut self, millis: u64, level: StopLevel) -> Self {
        self.stops.push((millis, level));
        self
    }

    fn registry(&self) -> Registry {
        let mut registry = Registry::default();
        registry.add(ScriptKind {
            spec: spec("script", false),
            gauge: Arc::clone(&self.gauge),
            delays: self.delays.clone(),
        });
        registry.add(NestedKind {
            spec: spec("nested", true),
            world: self.clone(),
        });
        registry
    }

    /// Runs `plan`, and checks that the events agree with the result.
    pub(crate) fn run(&self, plan: &Plan) -> Ran {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let ran = runtime.block_on(self.run_here(plan));
        crate::events::check(plan, &ran);
        ran
    }

    async fn run_here(&self, plan: &Plan) -> Ran {
        self.gauge.most.store(0, Ordering::SeqCst);
        let started = Instant::now();
        let (log, stop) = (Arc::new(Log::default()), Stop::default());
        for (after, level) in self.stops.clone() {
            let stop = stop.clone();
            if after == 0 {
                stop.request(level);
                continue;
            }
            tokio::spawn(async move {
                tokio::time::sleep(ms(after)).await;
                stop.request(level);
            });
        }
        let context = RunContext {
            observer: Arc::clone(&log) as Arc<dyn Observer>,
            stop,
            slots: Slots::new(self.options.jobs),
            held: Held::default(),
            depth: 0,
            prefix: String::new(),
            earlier: self.earlier.clone(),
        };
        let registry = self.registry();
        // No plan in these tests takes an hour on the paused clock, so one that does must be
        // hanging.
        let run = run(plan, &self.inputs, &registry, &self.options, context);
        let result = tokio::time::timeout(Duration::from_secs(3600), run)
            .await
            .expect("the run never ends");
        let events = std::mem::take(&mut *log.0.lock().unwrap());
        let produced = std::mem::take(&mut *log.1.lock().unwrap());
        Ran {
            produced,
            result,
            events,
            most_at_once: self.gauge.most.load(Ordering::SeqCst),
            left_running: self.gauge.now.load(Ordering::SeqCst),
            took: started.elapsed(),
        }
    }
}

pub(crate) struct Ran {
    /// The results of completed steps, by path.
    pub(crate) produced: BTreeMap<String, Produced>,
    pub(crate) result: RunResult,
    pub(crate) events: Vec<Told>,
    pub(crate) most_at_once: usize,
    pub(crate) left_running: usize,
    pub(crate) took: Duration,
}

impl Ran {
    pub(crate) fn step(&self, id: &str) -> &StepResult {
        self.result.step(id).unwrap()
    }

    pub(crate) fn output(&self, id: &str) -> Value {
        let step = self.step(id);
        let output = step.output.as_deref();
        output
            .unwrap_or_else(|| panic!("no output: {step:?}"))
            .clone()
    }

    pub(crate) fn error(&self, id: &str) -> (ErrorKind, &str) {
        let error = self.step(id).error.as_ref().unwrap();
        (error.kind, &error.message)
    }

    /// Formats the statuses, e.g. `a completed, b failed`.
    pub(crate) fn statuses(&self) -> String {
        let steps = self.result.steps.iter();
        steps
            .map(|step| format!("{} {}", step.id, step.status.as_str()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The events, one line each.
    pub(crate) fn told(&self) -> Vec<String> {
        self.events.iter().map(ToString::to_string).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    Run(String),
    Start(String, u32),
    Fan(String, usize),
    Retry(String, u32, Duration),
    End(String, &'static str),
    Over(String),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(plan) => write!(f, "run {plan}"),
            Self::Start(path, attempt) => write!(f, "start {path} {attempt}"),
            Self::Fan(path, count) => write!(f, "fan {path} {count}"),
            Self::Retry(path, attempt, after) => write!(f, "retry {path} {attempt} {after:?}"),
            Self::End(path, status) => write!(f, "end {path} {status}"),
            Self::Over(plan) => write!(f, "over {plan}"),
        }
    }
}

#[derive(Default)]
struct Log(Mutex<Vec<Told>>, Mutex<BTreeMap<String, Produced>>);

impl Observer for Log {
    fn event(&self, event: &RunEvent) {
        let told = match event {
            RunEvent::RunStarted { plan, .. } => Told::Run(plan.clone()),
            RunEvent::StepStarted { step, attempt, .. } => Told::Start(step.clone(), *attempt),
            RunEvent::StepFannedOut { step, count } => Told::Fan(step.clone(), *count),
            RunEvent::StepRetries {
                step,
                attempt,
                after,
                ..
            } => Told::Retry(step.clone(), *attempt, *after),
            RunEvent::StepEnded {
                step,
                status,
                produced,
                ..
            } => {
                if let Some(produced) = produced {
                    let mut all = self.1.lock().unwrap();
                    all.insert(step.clone(), Produced::clone(produced));
                }
                Told::End(step.clone(), status.as_str())
            }
            RunEvent::RunEnded { plan, .. } => Told::Over(plan.clone()),
            other => panic!("unknown event {other:?}"),
        };
        self.0.lock().unwrap().push(told);
    }

    fn keeps_outputs(&self) -> bool {
        true
    }
}
