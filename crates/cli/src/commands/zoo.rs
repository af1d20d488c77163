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
    Baseline, CASES, Checked, GATES, Gates, OURS, OWN_GATES, Question, Results, SCHEMA_VERSION,
    StoredRuns, System, ZooError, ZooRequest, archetypes, built_in, catalogue, changelog_line,
    check, judged, named_in, read_cases, read_gates, run_repo, start, write_sample,
};

use super::command_context::interruptible;
use super::run::watching;
use super::{Ended, Failure};
use crate::args::{
    ZooCommand, ZooFormat, ZooGateArgs, ZooReportArgs, ZooRunArgs, ZooSampleArgs, ZooWork,
};
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// Maximum size of a file of results or gates, in bytes.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn run(command: ZooCommand, screen: &Screen) -> Ended {
    match command {
        ZooCommand::Run(args) => measure(&args, screen),
        ZooCommand::Report(args) => report(&args, screen),
        ZooCommand::Gate(args) => gate(&args, screen),
        ZooCommand::Sample(args) => sample(&args, screen),
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
        // Start the program now: measuring takes long, and would be wasted if it can't be started.
        let program = program.typed_in(&here()).started().map_err(failure)?;
        systems.push(Box::new(program));
    }
    let environment = environment();
    Ok(ZooRequest {
        archetypes: Vec::new(),
        case: None,
        quick: false,
        cases: work.cases.as_deref().map(cases).transpose()?,
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

/// Reads the questions from a file.
fn cases(path: &Path) -> Result<Vec<Question>, Failure> {
    read_cases(&path.display().to_string(), &read(path)?).map_err(failure)
}

fn measure(args: &ZooRunArgs, screen: &Screen) -> Ended {
    let mut request = request(&args.work)?;
    request.archetypes = args.archetypes.clone();
    request.case.clone_from(&args.case);
    request.quick = args.quick;
    let own = opened(args.repo.as_deref())?;
    let root = own.as_ref().map(|workspace| workspace.site().repo().root());
    let results = ran(request, root, args.work.cases.as_deref(), screen)?;
    let history = match args.case {
        Some(_) => past(own.as_ref()),
        None => remember(own.as_ref(), &results, None, screen),
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

/// Opens the repository in `folder`, if one is named.
fn opened(folder: Option<&Path>) -> Result<Option<Workspace>, Failure> {
    let opened = folder.map(|folder| Workspace::discover(folder, environment()));
    Ok(opened.transpose()?)
}

/// Runs the zoo, or measures the repository in `root` with the questions in the file `cases`. An
/// interrupt stops it.
fn ran(
    request: ZooRequest,
    root: Option<&Path>,
    cases: Option<&Path>,
    screen: &Screen,
) -> Result<Results, Failure> {
    let request = Arc::new(request);
    let results = interruptible(async |stop| {
        let run = async |observer| match root {
            Some(root) => run_repo(request, root, environment(), observer, stop).await,
            None => windlass_zoo::run(request, observer, stop).await,
        };
        Ok(watching(screen, run).await)
    })?;
    let mut results = results.map_err(failure)?;
    if let Some(origin) = &mut results.origin {
        // The report may be printed from another folder later, so store an absolute path.
        origin.cases = cases.map(|file| here().join(file).display().to_string());
    }
    Ok(results)
}

/// Reports systems that failed.
fn tell_failures(results: &Results, screen: &Screen) {
    for (system, count, first) in results.failures() {
        let count = counted(count, "case");
        screen.complain(&format!(
            "warning: `{system}` failed in {count}; the first: {first}"
        ));
    }
}

fn gate(args: &ZooGateArgs, screen: &Screen) -> Ended {
    let own = opened(args.repo.as_deref())?;
    let mut request = request(&args.work)?;
    request.archetypes.clone_from(&args.archetypes);
    let gates = gates(args, own.as_ref(), &request)?;
    let baseline = match (&args.baseline, &args.gates, &own) {
        (Some(path), ..) => Some(baseline(path)?),
        (None, None, None) => Some(Baseline::shipped().map_err(Error::internal)?),
        (None, ..) => None,
    };
    if args.changelog.is_some() && baseline.is_none() {
        let message = "`--changelog` needs a baseline: add `--baseline FILE`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let changelog = args.changelog.as_deref().map(read).transpose()?;
    let before = args.write_baseline.as_deref().map(writable).transpose()?;
    let root = own.as_ref().map(|workspace| workspace.site().repo().root());
    let results = ran(request, root, args.work.cases.as_deref(), screen)?;
    let mut checked = check(&gates, &results, baseline.as_ref());
    if let (Some(path), Some(text), Some(baseline)) = (&args.changelog, &changelog, &baseline) {
        let name = path.display().to_string();
        let missing = named_in((&name, text), baseline, &results);
        checked.broken.extend(missing);
    }
    let history = remember(own.as_ref(), &results, Some(&checked), screen);
    let report = Report {
        results: &results,
        checked: Some(&checked),
        // We don't compare with a baseline of other questions. The gates report that.
        baseline: baseline
            .as_ref()
            .filter(|one| results.unlike(one).is_none()),
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

/// Returns the gates that apply to the measured repositories.
fn gates(
    args: &ZooGateArgs,
    own: Option<&Workspace>,
    request: &ZooRequest,
) -> Result<Gates, Failure> {
    let (name, text) = match (&args.gates, own) {
        (Some(path), _) => (path.display().to_string(), read(path)?),
        (None, own) => {
            let (name, text) = own.map_or(GATES, |_| OWN_GATES);
            (name.to_owned(), text.to_owned())
        }
    };
    let known: Vec<String> = match own {
        Some(_) => Vec::new(),
        None => {
            let known = archetypes().map_err(failure)?;
            known.into_iter().map(|(name, _)| name).collect()
        }
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let systems: Vec<&str> = request.systems.iter().map(|system| system.name()).collect();
    // Don't compare Windlass with itself.
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    let gates = read_gates(&name, &text, &known, &others)
        .map_err(failure)?
        .of_archetypes(&args.archetypes);
    if gates.gates.is_empty() && !gates.same_as_baseline {
        let asked = args.archetypes.join(", ");
        let message = format!("no gate in `{name}` applies to {asked}");
        return Err(Failure::Data(message));
    }
    Ok(gates)
}

/// Returns the baseline currently in the file that a new one will be written to.
///
/// # Errors
/// Returns an error if the file isn't a baseline or can't be written. We check this before the run,
/// so that the run isn't wasted.
fn writable(path: &Path) -> Result<Option<Baseline>, Failure> {
    let before: Option<Baseline> =
        read_document(&RootedPath::resolved(path), SCHEMA_VERSION, MAX_BYTES)
            .map_err(Error::from)?;
    let target = here().join(path);
    let folder = target.parent().unwrap_or(&target);
    let why = match folder.is_dir() {
        false => format!("no such folder `{}`", folder.display()),
        // A temporary file next to the target shows that we can write there.
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

/// Warns about failed gates that a new baseline doesn't settle.
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

/// Writes a baseline. Metrics that weren't measured keep their value from `before`.
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

/// Writes `text` to a named file, like every command, but also outside of a repository.
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

/// Returns the format that belongs to the extension of `file`.
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

/// Returns the recorded runs of `own` or of the sample repositories. Returns an empty history if
/// they can't be read.
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

/// Stores the results for `zoo report` and returns the recorded runs. If storing fails, that's only
/// a warning.
fn remember(
    own: Option<&Workspace>,
    results: &Results,
    checked: Option<&Checked>,
    screen: &Screen,
) -> History {
    let keep = |stored_runs: StoredRuns<'_>| {
        let stored_runs = stored_runs.keep(results, checked, &environment().holder);
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

/// Writes a sample repository to a folder.
fn sample(args: &ZooSampleArgs, screen: &Screen) -> Ended {
    let folder = here().join(&args.folder);
    let (files, questions) = write_sample(&args.archetype, &folder).map_err(failure)?;
    screen.say(&format!(
        "wrote {} to {}; {} about them are in {CASES} there",
        counted(files, "file"),
        args.folder.display(),
        counted(questions, "question")
    ));
    Ok(Exit::Done)
}

fn list(screen: &Screen) -> Ended {
    screen.print(&catalogue().map_err(failure)?);
    Ok(Exit::Done)
}
