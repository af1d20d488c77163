//! Measures the quality of recall and repair (`windlass zoo`).

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tracing::debug;
use windlass::base::counted;
use windlass::store::{Dirs, RootedPath, read_document, read_file, write_out};
use windlass::{Error, Workspace};
use windlass_zoo::report::{History, Report};
use windlass_zoo::{
    Baseline, Checked, GATES, Gates, Question, Results, SCHEMA_VERSION, StoredRuns, System,
    ZooError, ZooRequest, built_in, catalogue, changelog_line, check, judged, named_in, read_cases,
    read_gates, run_repo, start,
};

use super::command_context::{CommandContext, interruptible};
use super::run::watching;
use super::{Ended, Failure, zoo_fleet};
use crate::args::{ZooCommand, ZooFormat, ZooGateArgs, ZooReportArgs, ZooRunArgs, ZooWork};
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn run(context: &CommandContext<'_>, command: ZooCommand) -> Ended {
    let screen = context.screen;
    match command {
        ZooCommand::Run(args) => measure(&args, context),
        ZooCommand::Report(args) => report(&args, screen),
        ZooCommand::Gate(args) => gate(&args, context),
        ZooCommand::List => list(screen),
    }
}

fn failure(error: ZooError) -> Failure {
    match error {
        ZooError::Document(found) => Failure::Library(Error::document(found)),
        ZooError::Library(error) => Failure::Library(error),
        ZooError::Repo(error) => Failure::Library(error.into()),
        ZooError::Store(error) => Failure::Library(error.into()),
        error @ (ZooError::Unknown { .. } | ZooError::Data(_)) => Failure::Data(error.to_string()),
        error @ ZooError::Request(_) => Failure::Usage(error.to_string()),
        ZooError::Stopped => Failure::Library(Error::interrupted()),
        error => Failure::Library(error.into()),
    }
}

fn dirs() -> Result<Dirs, Failure> {
    let environment = environment();
    Ok(Dirs::resolve(&|name| environment.variables.get(name).cloned()).map_err(Error::from)?)
}

fn request(work: &ZooWork) -> Result<ZooRequest, Failure> {
    let mut systems: Vec<Box<dyn System>> = built_in();
    for text in &work.systems {
        let program = start(text, Duration::from_secs(work.timeout)).map_err(failure)?;
        systems.push(Box::new(program));
    }
    let environment = environment();
    Ok(ZooRequest {
        archetypes: Vec::new(),
        case: None,
        quick: false,
        cases: None,
        systems,
        judge: judged,
        clock: environment.elapsed,
        now: (environment.clock)(),
        threads: work
            .jobs
            .unwrap_or(environment.threads)
            .max(NonZeroUsize::MIN),
    })
}

fn cases(path: &Path) -> Result<Vec<Question>, Failure> {
    read_cases(&path.display().to_string(), &read(path)?).map_err(failure)
}

fn measure(args: &ZooRunArgs, context: &CommandContext<'_>) -> Ended {
    let screen = context.screen;
    let mut request = request(&args.work)?;
    request.archetypes = args.archetypes.clone();
    request.case.clone_from(&args.case);
    request.quick = args.quick;
    request.cases = args.cases.as_deref().map(cases).transpose()?;
    let own = opened(args.repo.as_deref())?;
    let root = own.as_ref().map(|workspace| workspace.site().repo().root());
    let mut results = ran(request, root, &args.work, context)?;
    if let Some(origin) = &mut results.origin {
        let file = args.cases.as_ref();
        origin.cases = file.map(|file| file.display().to_string());
    }
    // A single case can't be compared with whole runs, so don't record it among them.
    let history = match args.no_record || args.case.is_some() {
        true => past(own.as_ref()),
        false => remember(own.as_ref(), &results, None, screen),
    };
    let report = Report {
        results: &results,
        checked: None,
        baseline: None,
        history: &history,
    };
    screen.print_raw(&text(&report, args.format)?);
    tell_failures(&results, screen);
    Ok(Exit::Done)
}

fn opened(folder: Option<&Path>) -> Result<Option<Workspace>, Failure> {
    let opened = folder.map(|folder| Workspace::discover(folder, environment()));
    Ok(opened.transpose()?)
}

/// Runs the zoo, or measures the repository in `root` if there is one. An interrupt stops this.
fn ran(
    request: ZooRequest,
    root: Option<&Path>,
    work: &ZooWork,
    context: &CommandContext<'_>,
) -> Result<Results, Failure> {
    if let Some(mol) = &work.fleet {
        let archetypes = request.measured().map_err(failure)?;
        let parts = zoo_fleet::ran(archetypes, &request, (work, mol.as_deref()), context)?;
        return Results::joined(parts, request.now).map_err(failure);
    }
    let screen = context.screen;
    let request = Arc::new(request);
    let results = interruptible(async |stop| {
        let run = async |observer| match root {
            Some(root) => run_repo(request, root, environment(), observer, stop).await,
            None => windlass_zoo::run(request, observer, stop).await,
        };
        Ok(watching(screen, run).await)
    })?;
    results.map_err(failure)
}

fn tell_failures(results: &Results, screen: &Screen) {
    for (system, count, first) in results.failures() {
        let count = counted(count, "case");
        screen.complain(&format!(
            "warning: `{system}` failed in {count}; the first: {first}"
        ));
    }
}

fn gate(args: &ZooGateArgs, context: &CommandContext<'_>) -> Ended {
    let screen = context.screen;
    let mut request = request(&args.work)?;
    request.archetypes.clone_from(&args.archetypes);
    let gates = gates(args)?;
    // The shipped baseline belongs to the shipped gates. Users with gates of their own have to name
    // a baseline as well.
    let baseline = match (&args.baseline, &args.gates) {
        (Some(path), _) => Some(baseline(path)?),
        (None, None) => Some(Baseline::shipped().map_err(Error::internal)?),
        (None, Some(_)) => None,
    };
    if args.changelog.is_some() && baseline.is_none() {
        let message = "`--changelog` needs a baseline: add `--baseline FILE`";
        return Err(Failure::Usage(message.to_owned()));
    }
    // A run takes a while, so read all files before it and fail early.
    let changelog = args.changelog.as_deref().map(read).transpose()?;
    let before = args.write_baseline.as_deref().map(writable).transpose()?;
    let results = ran(request, None, &args.work, context)?;
    let mut checked = check(&gates, &results, baseline.as_ref());
    if let (Some(path), Some(text), Some(baseline)) = (&args.changelog, &changelog, &baseline) {
        let name = path.display().to_string();
        let missing = named_in((&name, text), baseline, &results);
        checked.broken.extend(missing);
    }
    let history = remember(None, &results, Some(&checked), screen);
    let report = Report {
        results: &results,
        checked: Some(&checked),
        baseline: baseline.as_ref(),
        history: &history,
    };
    screen.print_raw(&text(&report, args.format)?);
    tell_failures(&results, screen);
    if let (Some(path), Some(before)) = (&args.write_baseline, before) {
        write_baseline(path, before.as_ref(), &results, &args.archetypes, screen)?;
        tell_broken(path, &checked, screen);
    }
    Ok(Exit::done_if(checked.broken.is_empty()))
}

fn gates(args: &ZooGateArgs) -> Result<Gates, Failure> {
    let (name, text) = match &args.gates {
        Some(path) => (path.display().to_string(), read(path)?),
        None => (GATES.0.to_owned(), GATES.1.to_owned()),
    };
    let gates = read_gates(&name, &text).map_err(failure)?;
    let gates = gates.of_archetypes(&args.archetypes);
    // Without any gates, the check would always succeed. That can't be what the user wants.
    if gates.gates.is_empty() && !gates.same_as_baseline {
        let asked = args.archetypes.join(", ");
        let message = format!("no gate in `{name}` applies to {asked}");
        return Err(Failure::Data(message));
    }
    Ok(gates)
}

/// Returns the baseline currently in the file that a new one will be written to.
///
/// Returns an error if the file is not a baseline or cannot be written. This is checked before the
/// run because its results would be lost otherwise.
fn writable(path: &Path) -> Result<Option<Baseline>, Failure> {
    let before: Option<Baseline> =
        read_document(&RootedPath::resolved(path), SCHEMA_VERSION, MAX_BYTES)
            .map_err(Error::from)?;
    let target = here().join(path);
    let folder = target.parent().unwrap_or(&target);
    let why = match folder.is_dir() {
        false => format!("no such folder `{}`", folder.display()),
        // We can write to the folder if we can create a temporary file in there.
        true => match tempfile::tempfile_in(folder) {
            Ok(_) => return Ok(before),
            Err(error) => format!("cannot write to `{}`: {error}", folder.display()),
        },
    };
    let path = path.display();
    Err(Failure::Data(format!(
        "cannot write a baseline to `{path}`: {why}"
    )))
}

/// Warns about failed gates that a new baseline does not settle.
fn tell_broken(path: &Path, checked: &Checked, screen: &Screen) {
    let broken = checked.not_of_baseline();
    let names: Vec<String> = broken
        .map(|one| format!("{} {} ({})", one.archetype, one.metric, one.must))
        .collect();
    if let Some(first) = names.first() {
        screen.complain(&format!(
            "warning: `{}` was written from a run in which {} failed regardless of the baseline; the first: {first}",
            path.display(),
            counted(names.len(), "gate")
        ));
    }
}

/// Writes a baseline. Metrics that were not measured keep their value from `before`.
fn write_baseline(
    path: &Path,
    before: Option<&Baseline>,
    results: &Results,
    archetypes: &[String],
    screen: &Screen,
) -> Result<(), Failure> {
    let means = Baseline::of_run(results, before, archetypes);
    let text =
        serde_json::to_string_pretty(&means).map_err(|error| Failure::Data(error.to_string()))?;
    write(path, &format!("{text}\n"))?;
    let line = changelog_line(&means);
    screen.say(&format!("add to the changelog: {line}"));
    Ok(())
}

/// Writes `text` to the file that the user named.
///
/// In a repository, the document service does this, like for every other command. But the zoo also
/// works outside of one.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    match Workspace::discover(&here(), environment()) {
        Ok(workspace) => {
            workspace
                .documents()
                .write_document(&path.to_string_lossy(), &here(), text)?;
        }
        Err(_) => write_out(path, text.as_bytes()).map_err(Error::from)?,
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = read_file(&RootedPath::resolved(path), MAX_BYTES).map_err(Error::from)?;
    let bytes = bytes.ok_or_else(|| no_file(path))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::Data(format!("`{}` is not UTF-8", path.display())))
}

fn baseline(path: &Path) -> Result<Baseline, Failure> {
    let read = read_document(&RootedPath::resolved(path), SCHEMA_VERSION, MAX_BYTES)
        .map_err(Error::from)?;
    read.ok_or_else(|| no_file(path))
}

fn no_file(path: &Path) -> Failure {
    Failure::Data(format!("no such file `{}`", path.display()))
}

fn text(report: &Report<'_>, format: ZooFormat) -> Result<String, Failure> {
    Ok(match format {
        ZooFormat::Text => report.text()?,
        ZooFormat::Json => report.json()?,
        ZooFormat::Markdown => report.markdown()?,
        ZooFormat::Html => report.html()?,
        ZooFormat::Junit => report.junit()?,
    })
}

fn format_of(file: &Path) -> Option<ZooFormat> {
    match file.extension()?.to_str()? {
        "html" | "htm" => Some(ZooFormat::Html),
        "md" => Some(ZooFormat::Markdown),
        "json" => Some(ZooFormat::Json),
        "xml" => Some(ZooFormat::Junit),
        _ => None,
    }
}

fn stored_runs(own: Option<&Workspace>) -> Result<StoredRuns<'_>, Failure> {
    Ok(StoredRuns::of(own, &dirs()?.state))
}

/// Returns the recorded runs of `own`, or else of the sample repositories. They only complement a
/// report, so an unreadable history counts as empty.
fn past(own: Option<&Workspace>) -> History {
    let Ok(stored_runs) = stored_runs(own) else {
        return History::default();
    };
    let runs = stored_runs.read().unwrap_or_else(|error| {
        debug!(%error, "the recorded runs cannot be read");
        None
    });
    runs.map(|runs| runs.history).unwrap_or_default()
}

/// Stores the results for `zoo report` and returns the recorded runs. If storing fails, that is
/// only a warning.
fn remember(
    own: Option<&Workspace>,
    results: &Results,
    checked: Option<&Checked>,
    screen: &Screen,
) -> History {
    let keep = |stored_runs: StoredRuns<'_>| {
        let stored_runs = stored_runs.keep(results, checked, &environment());
        stored_runs.map_err(failure)
    };
    if let Err(why) = stored_runs(own).and_then(keep) {
        let why = match why {
            Failure::Library(error) => error.to_string(),
            Failure::Usage(message) | Failure::Data(message) => message,
        };
        screen.complain(&format!(
            "warning: the results are not stored for `windlass zoo report`: {why}"
        ));
    }
    past(own)
}

fn report(args: &ZooReportArgs, screen: &Screen) -> Ended {
    let own = opened(args.repo.as_deref())?;
    let Some(runs) = stored_runs(own.as_ref())?.read().map_err(failure)? else {
        return Err(Failure::Data(match own {
            Some(_) => "this repository was not measured yet: run `windlass zoo run --repo DIR`",
            None => "no results yet: run `windlass zoo run`; results of `zoo run --repo DIR` are shown by `zoo report --repo DIR`",
        }.to_owned()));
    };
    let report = Report {
        results: &runs.results,
        checked: runs.checked.as_ref(),
        baseline: None,
        history: &runs.history,
    };
    let format = args.format.or_else(|| format_of(args.out.as_deref()?));
    let text = text(&report, format.unwrap_or(ZooFormat::Text))?;
    match &args.out {
        Some(out) => {
            write(out, &text)?;
            screen.say(&format!("wrote {}", out.display()));
        }
        None => screen.print_raw(&text),
    }
    Ok(Exit::Done)
}

fn list(screen: &Screen) -> Ended {
    screen.print(&catalogue().map_err(failure)?);
    Ok(Exit::Done)
}
