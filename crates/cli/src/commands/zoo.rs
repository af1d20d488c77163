//! `windlass zoo`: how good recall and repair are.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use windlass::base::{Digest, counted};
use windlass::store::{Dirs, Durability, read_file, write_atomic, write_shared};
use windlass::{Error, Workspace};
use windlass_zoo::report::{History, html, junit, markdown};
use windlass_zoo::{
    BUILT_IN, Baseline, DriftRequest, Metric, Regression, Results, System, ZooError, ZooRequest,
    archetypes, built_in, check, drift, judged, read_gates, run_repo, start,
};

use super::desk::interruptible;
use super::run::watching;
use super::{Failure, print_data};
use crate::args::{
    OutputFormat, ZooCommand, ZooDriftArgs, ZooFormat, ZooGateArgs, ZooReportArgs, ZooRunArgs,
    ZooWork,
};
use crate::exit::Exit;
use crate::outside::environment;
use crate::screen::Screen;

const GATES: &str = include_str!("../../../../eval-zoo/gates.toml");
const BASELINE: &str = include_str!("../../../../eval-zoo/baseline.json");

/// The largest file of results or gates that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// How many runs are remembered.
const REMEMBERED: usize = 50;

pub(crate) fn run(command: ZooCommand, screen: &Screen) -> Result<Exit, Failure> {
    match command {
        ZooCommand::Run(args) => measure(&args, screen),
        ZooCommand::Report(args) => report(&args, screen),
        ZooCommand::Gate(args) => gate(&args, screen),
        ZooCommand::Drift(args) => drifted(args, screen),
        ZooCommand::List => list(screen),
    }
}

fn told(error: ZooError) -> Failure {
    match error {
        ZooError::Document(found) => Failure::Library(Error::Document(found)),
        ZooError::Library(error) => Failure::Library(error),
        ZooError::Repo(error) => Failure::Library(error.into()),
        ZooError::Store(error) => Failure::Library(error.into()),
        error @ (ZooError::Unknown { .. } | ZooError::Request(_)) => {
            Failure::Usage(error.to_string())
        }
        ZooError::Stopped => Failure::Library(Error::Interrupted),
        error => Failure::Library(Error::Zoo(error.to_string())),
    }
}

fn dirs() -> Result<Dirs, Failure> {
    let environment = environment();
    Ok(Dirs::resolve(&|name| environment.variables.get(name).cloned()).map_err(Error::from)?)
}

fn request(work: &ZooWork) -> Result<ZooRequest, Failure> {
    let mut systems: Vec<Box<dyn System>> = built_in();
    for text in &work.systems {
        systems.push(Box::new(
            start(text, Duration::from_secs(work.patience)).map_err(told)?,
        ));
    }
    let program = std::env::current_exe()
        .ok()
        .and_then(|path| read_file(&path, 1 << 30).ok().flatten());
    // Without knowing what measured it, nothing that was measured before counts.
    let cache = match (&program, work.fresh || !work.systems.is_empty()) {
        (Some(_), false) => Some(dirs()?.cache.join("zoo")),
        _ => None,
    };
    let environment = environment();
    Ok(ZooRequest {
        archetypes: Vec::new(),
        case: None,
        systems,
        judge: judged,
        cache,
        program: program
            .map(|bytes| Digest::of_bytes(&bytes).hex())
            .unwrap_or_default(),
        clock: environment.elapsed,
        threads: work
            .jobs
            .unwrap_or(environment.threads)
            .max(NonZeroUsize::MIN),
    })
}

fn measure(args: &ZooRunArgs, screen: &Screen) -> Result<Exit, Failure> {
    let mut request = request(&args.work)?;
    request.archetypes = args.archetypes.clone();
    request.case.clone_from(&args.case);
    let root = match &args.repo {
        Some(root) => Some(Workspace::discover(root, environment())?),
        None => None,
    };
    let root = root.as_ref().map(|workspace| workspace.repo().root());
    let results = ran(request, root, screen)?;
    if args.case.is_none() {
        remember(&results, screen);
    }
    show(args.format, &results, None, &[], screen, None)?;
    tell_failures(&results, screen);
    Ok(Exit::Done)
}

/// What the zoo finds, or the repository in `root`. An interrupt stops it.
fn ran(request: ZooRequest, root: Option<&Path>, screen: &Screen) -> Result<Results, Failure> {
    let is_kept = request.cache.is_some() && root.is_none();
    let request = Arc::new(request);
    let results = interruptible(async |stop| {
        let run = async |observer| match root {
            Some(root) => run_repo(request, root, environment(), observer, stop).await,
            None => windlass_zoo::run(request, observer, stop).await,
        };
        Ok(watching(screen, run).await)
    })?;
    if is_kept && matches!(results, Err(ZooError::Stopped)) {
        screen.say("what was measured is kept: the same command goes on from there");
    }
    results.map_err(told)
}

/// Names the systems that did not answer.
fn tell_failures(results: &Results, screen: &Screen) {
    for system in results.systems() {
        let failed: Vec<&str> = results
            .cases
            .iter()
            .filter(|case| case.system == system)
            .filter_map(|case| case.failure.as_deref())
            .collect();
        if let Some(first) = failed.first() {
            let count = counted(failed.len(), "case");
            screen.complain(&format!(
                "warning: `{system}` failed in {count}; the first: {first}"
            ));
        }
    }
}

fn gate(args: &ZooGateArgs, screen: &Screen) -> Result<Exit, Failure> {
    let (name, text) = match &args.gates {
        Some(path) => (path.display().to_string(), read(path)?),
        None => ("eval-zoo/gates.toml".to_owned(), GATES.to_owned()),
    };
    let known = archetypes().map_err(told)?;
    let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    let mut request = request(&args.work)?;
    request.archetypes.clone_from(&args.archetypes);
    let systems: Vec<&str> = request.systems.iter().map(|system| system.name()).collect();
    let mut gates = read_gates(&name, &text, &known, &systems).map_err(told)?;
    if !args.archetypes.is_empty() {
        // What was not asked for is not held against anything.
        gates.retain_mut(|gate| {
            let is_of_all = gate.archetypes.is_empty();
            gate.archetypes.retain(|one| args.archetypes.contains(one));
            is_of_all || !gate.archetypes.is_empty()
        });
    }
    let parse = |text: String| {
        serde_json::from_str::<Baseline>(&text)
            .map_err(|error| Failure::Usage(format!("the baseline makes no sense: {error}")))
    };
    let baseline = match (&args.baseline, &args.gates) {
        (Some(path), _) => Some(read(path)?),
        (None, None) => Some(BASELINE.to_owned()),
        (None, Some(_)) => None,
    };
    let baseline = baseline.map(parse).transpose()?;
    let results = ran(request, None, screen)?;
    remember(&results, screen);
    let broken = check(&gates, &results, baseline.as_ref());
    show(
        args.format,
        &results,
        Some(&broken),
        &broken,
        screen,
        baseline.as_ref(),
    )?;
    tell_failures(&results, screen);
    if let Some(path) = &args.write_baseline {
        let text = serde_json::to_string_pretty(&results.baseline()).unwrap_or_default();
        write_shared(path, format!("{text}\n").as_bytes()).map_err(Error::from)?;
    }
    Ok(if broken.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = read_file(path, MAX_BYTES).map_err(Error::from)?;
    let bytes =
        bytes.ok_or_else(|| Failure::Usage(format!("there is no file `{}`", path.display())))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("`{}` is no UTF-8", path.display())))
}

fn show(
    format: ZooFormat,
    results: &Results,
    gated: Option<&[Regression]>,
    broken: &[Regression],
    screen: &Screen,
    baseline: Option<&Baseline>,
) -> Result<(), Failure> {
    match format {
        ZooFormat::Json => print_data(screen, OutputFormat::Json, results)?,
        ZooFormat::Markdown => screen.print(&markdown(results, gated, baseline)),
        ZooFormat::Html => screen.print(&html(results, gated, &past())),
        ZooFormat::Junit => screen.print(&junit(results, broken)),
    }
    Ok(())
}

/// The runs that are remembered; none where they cannot be read.
fn past() -> History {
    let read = || {
        let bytes = read_file(&dirs().ok()?.state.join("zoo/history.json"), MAX_BYTES).ok()??;
        serde_json::from_slice(&bytes).ok()
    };
    read().unwrap_or_default()
}

/// Keeps the results for `zoo report`. Where that is not possible, they were printed all the same.
fn remember(results: &Results, screen: &Screen) {
    let keep = || -> Result<(), Failure> {
        let folder = dirs()?.state.join("zoo");
        let text =
            serde_json::to_vec(results).map_err(|error| Error::Internal(error.to_string()))?;
        write_atomic(&folder.join("last.json"), &text, Durability::Relaxed).map_err(Error::from)?;
        let mut history = past();
        history
            .runs
            .push((results.digest().hex(), results.baseline()));
        let surplus = history.runs.len().saturating_sub(REMEMBERED);
        history.runs.drain(..surplus);
        let text =
            serde_json::to_vec(&history).map_err(|error| Error::Internal(error.to_string()))?;
        write_atomic(&folder.join("history.json"), &text, Durability::Relaxed)
            .map_err(Error::from)?;
        Ok(())
    };
    if keep().is_err() {
        screen.complain("warning: the results cannot be kept for `windlass zoo report`");
    }
}

fn report(args: &ZooReportArgs, screen: &Screen) -> Result<Exit, Failure> {
    let path = dirs()?.state.join("zoo/last.json");
    let Some(bytes) = read_file(&path, MAX_BYTES).map_err(Error::from)? else {
        return Err(Failure::Usage(
            "nothing was measured yet: `windlass zoo run` does".to_owned(),
        ));
    };
    let results: Results = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::Usage(format!(
            "what the last run kept makes no sense ({error}); `windlass zoo run` measures anew"
        ))
    })?;
    let Some(out) = &args.out else {
        show(args.format, &results, None, &[], screen, None)?;
        return Ok(Exit::Done);
    };
    let text = match args.format {
        ZooFormat::Json => serde_json::to_string(&results).unwrap_or_default() + "\n",
        ZooFormat::Markdown => markdown(&results, None, None),
        ZooFormat::Html => html(&results, None, &past()),
        ZooFormat::Junit => junit(&results, &[]),
    };
    write_shared(out, text.as_bytes()).map_err(Error::from)?;
    screen.say(&format!("wrote {}", out.display()));
    Ok(Exit::Done)
}

fn drifted(args: ZooDriftArgs, screen: &Screen) -> Result<Exit, Failure> {
    let root = Workspace::discover(&args.repo, environment())?
        .repo()
        .root()
        .to_path_buf();
    let mut request = DriftRequest {
        repos: vec![root],
        between: args.from.map(|from| (from, args.to)),
        spans: args.spans,
        seed: args.seed,
        explain: args.explain,
        scripted: args.scripted,
        ..DriftRequest::default()
    };
    request.show.extend(args.show);
    drift(&request, &mut |line| screen.print(&format!("{line}\n"))).map_err(told)?;
    Ok(Exit::Done)
}

fn list(screen: &Screen) -> Result<Exit, Failure> {
    for (name, title) in archetypes().map_err(told)? {
        screen.print(&format!("{name:16} {title}\n"));
    }
    screen.print(&format!("\nsystems: {}\n\n", BUILT_IN.join(", ")));
    for metric in Metric::ALL {
        let what = metric.definition();
        screen.print(&format!(
            "{} ({}): {}\n",
            metric.name(),
            what.unit,
            what.means
        ));
    }
    Ok(Exit::Done)
}
