//! What the engine itself costs, measured inside one process.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass::engine::{
    Held, NoObserver, Registry, RunContext, RunOptions, Slots, StepError, Stop,
};
use windlass::notebook::NotebookFile;
use windlass::plan::{
    Action, Catalog, Event, Outcome, OutputDoc, Plan, Runbook, Schedule, ScheduleOptions, StepDoc,
    StepIndex, resolve_runbook,
};
use windlass::repo::Repo;
use windlass_steps::{CommandPermission, Nested, NestedRunbooks, Services, SharedNotebook};

use super::measure::{Contender, Samples, in_turn, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

const STEPS: usize = 1_000;
const LAYER: usize = 100;

/// The plans whose growth is looked at.
const SIZES: [usize; 4] = [10_000, 20_000, 40_000, 80_000];

/// How much dearer a step may be in the largest than in the smallest: memory that no longer fits the
/// processor's caches, and the depth of a map.
const MAX_GROWTH: f64 = 1.5;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let mut rows = vec![steps(world)?, recording(world)?];
    rows.extend(plans(world)?);
    Ok(rows)
}

/// 1,000 steps in 10 layers, each needing the whole layer before it.
fn steps(world: &World) -> Result<Row, Error> {
    let registry = registry(world)?;
    let needs = |at: usize| match at / LAYER {
        0 => 0..0,
        layer => (layer - 1) * LAYER..layer * LAYER,
    };
    let plan = plan(
        &runbook(STEPS, &|at| needs(at).collect()),
        &windlass_steps::catalog(),
    )?;
    let options = RunOptions::with_jobs(NonZeroUsize::MIN.saturating_add(1));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut once = || {
        let context = RunContext {
            observer: Arc::new(NoObserver),
            stop: Stop::default(),
            slots: Slots::new(options.jobs),
            held: Held::default(),
            depth: 0,
            prefix: String::new(),
            earlier: None,
        };
        let inputs = BTreeMap::new();
        let started = Instant::now();
        let result = runtime.block_on(windlass::engine::run(
            &plan, &inputs, &registry, &options, context,
        ));
        let took = started.elapsed();
        match result.outcome {
            Outcome::Completed => Ok(took),
            outcome => Err(format!("the run ended as {outcome:?}").into()),
        }
    };
    let mut samples = in_turn(&mut [&mut once], world.repeat(51))?;
    let goal = Goal::Within(Duration::from_millis(10));
    Ok(Row::times(
        "noop-steps: 1,000 steps",
        samples.remove(0),
        None,
        goal,
    ))
}

/// The command on 1,000 steps, with and without a record of the run.
fn recording(world: &World) -> Result<Row, Error> {
    let folder = world.folder("noop-steps-recorded")?;
    std::fs::create_dir_all(folder.join("runbooks"))?;
    let mut runbook = runbook(STEPS, &|at| at.checked_sub(LAYER).into_iter().collect());
    runbook.outputs = Some(vec![OutputDoc {
        id: "last".to_owned(),
        from: format!("s{}", STEPS - 1),
        ..OutputDoc::default()
    }]);
    // JSON is YAML.
    let text = serde_json::to_vec(&runbook)?;
    std::fs::write(folder.join("runbooks/large.yaml"), text)?;
    let run = |recorded: &str| {
        let mut command = world.windlass(&folder, ["--quiet", "run", "large"]);
        command.env("WINDLASS_RUNS", recorded);
        time(&mut command)
    };
    let (mut on, mut off) = (|| run("on"), || run("off"));
    let mut samples = in_turn(&mut [&mut on, &mut off], world.repeat(41))?;
    let (off, on) = (samples.remove(1), samples.remove(0));
    Ok(Row::times(
        "noop-steps: 1,000 steps, recorded",
        on,
        Some(("not recorded", off)),
        Goal::Times(1.05),
    ))
}

/// Plans in memory: resolved, and scheduled to their end.
fn plans(world: &World) -> Result<Vec<Row>, Error> {
    let catalog = windlass_steps::catalog();
    let sized = |steps: usize| {
        // A chain in which each step also needs the one ten before it.
        let needs = |at: usize| {
            [1, 10]
                .iter()
                .filter_map(|back| at.checked_sub(*back))
                .collect()
        };
        let (runbook, catalog) = (runbook(steps, &needs), &catalog);
        move || {
            let started = Instant::now();
            let plan = plan(&runbook, catalog)?;
            schedule(&plan)?;
            Ok(started.elapsed())
        }
    };
    let mut largest = sized(100_000);
    let mut samples = in_turn(&mut [&mut largest], world.repeat(7))?;
    let goal = Goal::Within(Duration::from_secs(1));
    let mut rows = vec![Row::times(
        "noop-steps: plan of 100,000",
        samples.remove(0),
        None,
        goal,
    )];

    let mut growing: Vec<_> = SIZES.into_iter().map(sized).collect();
    let mut contenders: Vec<&mut dyn Contender> = growing
        .iter_mut()
        .map(|sized| sized as &mut dyn Contender)
        .collect();
    let samples = in_turn(&mut contenders, world.repeat(9))?;
    let per_step = |samples: &Samples, steps: usize| samples.min().as_secs_f64() / steps as f64;
    let first = per_step(&samples[0], SIZES[0]);
    for (samples, steps) in samples.iter().zip(SIZES).skip(1) {
        let growth = per_step(samples, steps) / first;
        let name = format!("noop-steps: a step of {steps} to one of {}", SIZES[0]);
        rows.push(Row::number(name, growth, MAX_GROWTH, "×"));
    }
    Ok(rows)
}

fn runbook(steps: usize, needs: &dyn Fn(usize) -> Vec<usize>) -> Runbook {
    let step = |at: usize| StepDoc {
        id: format!("s{at}"),
        uses: "select".to_owned(),
        with: json!({ "from": [1, 2, 3] }).as_object().cloned(),
        needs: Some(needs(at).into_iter().map(|at| format!("s{at}")).collect()),
        ..StepDoc::default()
    };
    Runbook {
        schema_version: 1,
        id: "large".to_owned(),
        steps: (0..steps).map(step).collect(),
        ..Runbook::default()
    }
}

fn plan(runbook: &Runbook, catalog: &Catalog) -> Result<Plan, Error> {
    match resolve_runbook(runbook, catalog) {
        Ok((plan, _)) => Ok(plan),
        Err(errors) => Err(format!("the plan is not valid: {errors:?}").into()),
    }
}

/// Lets every step of `plan` start and complete.
fn schedule(plan: &Plan) -> Result<(), Error> {
    let mut schedule = Schedule::new(plan.node_specs(), ScheduleOptions::default());
    let mut ready: Vec<StepIndex> = ready(schedule.begin()).collect();
    while let Some(step) = ready.pop() {
        schedule.apply(Event::Started { step })?;
        ready.extend(self::ready(
            schedule.apply(Event::Completed { step, attempt: 1 })?,
        ));
    }
    match schedule.outcome() {
        Some(Outcome::Completed) => Ok(()),
        outcome => Err(format!("the schedule ended as {outcome:?}").into()),
    }
}

fn ready(actions: Vec<Action>) -> impl Iterator<Item = StepIndex> {
    actions.into_iter().filter_map(|action| match action {
        Action::Ready { step } => Some(step),
        _ => None,
    })
}

fn registry(world: &World) -> Result<Registry, Error> {
    let root = world.folder("noop-steps")?;
    let repo = Repo::open(&root)?;
    Ok(windlass_steps::registry(&Services {
        snapshot: repo.snapshot(),
        notebook: SharedNotebook::new(NotebookFile::new(&root, Arc::new(repo), false)),
        commands: CommandPermission::Refused,
        environment: Arc::default(),
        runbooks: Arc::new(NoRunbooks),
        packs: Arc::new(windlass_steps::NoContextPacks),
        programs: std::sync::Arc::default(),
        states: std::sync::Arc::new(windlass_steps::NoOtherStates),
        strict_inside: Arc::default(),
        given: Arc::default(),
    }))
}

/// There are no other runbooks.
struct NoRunbooks;

impl NestedRunbooks for NoRunbooks {
    fn load(&self, name: &str, _: bool) -> Result<Nested, StepError> {
        Err(StepError::failed(format!("there is no runbook `{name}`")))
    }
}
