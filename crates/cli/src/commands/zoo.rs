//! `windlass zoo`: how good recall and repair are.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use windlass::base::{Digest, counted};
use windlass::packs::harmless;
use windlass::store::{Dirs, RootedPath, read_document, read_file, write_out};
use windlass::{Error, Workspace};
use windlass_zoo::report::{History, ShownResults};
use windlass_zoo::{
    Another, Baseline, CASES, Checked, DriftRequest, GATES, Gates, KeptRuns, OURS, OWN_GATES,
    Question, Results, SCHEMA_VERSION, System, ZooError, ZooRequest, archetypes, built_in,
    catalogue, changelog_line, check, drift, judged, named_in, origin_of, read_cases, read_gates,
    run_repo, start, write_sample,
};

use super::desk::interruptible;
use super::run::watching;
use super::{Failure, print_data};
use crate::args::{
    OutputFormat, ZooCommand, ZooDriftArgs, ZooFormat, ZooGateArgs, ZooReportArgs, ZooRunArgs,
    ZooSampleArgs, ZooWork,
};
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// The largest file of results or gates that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn run(command: ZooCommand, screen: &Screen) -> Result<Exit, Failure> {
    match command {
        ZooCommand::Run(args) => measure(&args, screen),
        ZooCommand::Report(args) => report(&args, screen),
        ZooCommand::Gate(args) => gate(&args, screen),
        ZooCommand::Drift(args) => drifted(args, screen),
        ZooCommand::Sample(args) => sample(&args, screen),
        ZooCommand::List => list(screen),
    }
}

fn told(error: ZooError) -> Failure {
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

/// The digest of this program, where it can be read.
fn program() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let bytes = read_file(&RootedPath::resolved(&path), 1 << 30).ok()??;
    Some(Digest::of_bytes(&bytes).hex())
}

fn request(work: &ZooWork) -> Result<ZooRequest, Failure> {
    let another = std::env::current_exe().ok().map(Another::of);
    let mut systems: Vec<Box<dyn System>> = built_in(another.clone());
    for text in &work.systems {
        let program = start(text, Duration::from_secs(work.patience)).map_err(told)?;
        // Whoever named one that cannot be started need not wait for all else to be measured to hear of it.
        let program = program.typed_in(&here()).started().map_err(told)?;
        systems.push(Box::new(program));
    }
    let program = program();
    // Without knowing what measured it, nothing that was measured before counts.
    let cache = match (&program, work.fresh) {
        (Some(_), false) => Some(dirs()?.cache.join("zoo").path().to_owned()),
        _ => None,
    };
    let environment = environment();
    Ok(ZooRequest {
        archetypes: Vec::new(),
        case: None,
        cases: work.cases.as_deref().map(cases).transpose()?,
        systems,
        another,
        judge: judged,
        cache,
        saved: Arc::default(),
        program: program.unwrap_or_default(),
        clock: environment.elapsed,
        now: (environment.clock)(),
        threads: work
            .jobs
            .unwrap_or(environment.threads)
            .max(NonZeroUsize::MIN),
    })
}

/// The questions in a file.
fn cases(path: &Path) -> Result<Vec<Question>, Failure> {
    read_cases(&path.display().to_string(), &read(path)?).map_err(told)
}

fn measure(args: &ZooRunArgs, screen: &Screen) -> Result<Exit, Failure> {
    let mut request = request(&args.work)?;
    request.archetypes = args.archetypes.clone();
    request.case.clone_from(&args.case);
    let own = opened(args.repo.as_deref())?;
    let root = own.as_ref().map(|workspace| workspace.site().repo().root());
    let results = ran(request, root, args.work.cases.as_deref(), screen)?;
    let history = match args.case {
        Some(_) => past(own.as_ref()),
        None => remember(own.as_ref(), &results, None, screen),
    };
    screen.print_raw(&text(&ShownResults::of(&results, &history), args.format)?);
    tell_failures(&results, screen);
    Ok(Exit::Done)
}

/// The repository in `folder`, if one is named.
fn opened(folder: Option<&Path>) -> Result<Option<Workspace>, Failure> {
    let opened = folder.map(|folder| Workspace::discover(folder, environment()));
    Ok(opened.transpose()?)
}

/// What the zoo finds, or the repository in `root`, asked what is in the file `cases`. An interrupt stops it.
fn ran(
    request: ZooRequest,
    root: Option<&Path>,
    cases: Option<&Path>,
    screen: &Screen,
) -> Result<Results, Failure> {
    let now = request.now;
    let saved = request.cache.as_ref().map(|_| Arc::clone(&request.saved));
    let request = Arc::new(request);
    let results = interruptible(async |stop| {
        let run = async |observer| match root {
            Some(root) => run_repo(request, root, environment(), observer, stop).await,
            None => windlass_zoo::run(request, observer, stop).await,
        };
        Ok(watching(screen, run).await)
    })?;
    tell_stopped(&results, saved.as_deref(), screen);
    let mut results = results.map_err(told)?;
    if let Some(origin) = &mut results.origin {
        // Whoever asks again may stand elsewhere.
        origin.cases = cases.map(|file| here().join(file).display().to_string());
    }
    if let Some(first) = results.kept_from(now) {
        screen.say(&format!(
            "some of this was measured earlier, its times too (the first at {first}): `--fresh` measures anew"
        ));
    }
    Ok(results)
}

/// Names the cases that are wrong, each once, and the systems that did not answer.
fn tell_failures(results: &Results, screen: &Screen) {
    let wrong = results
        .cases
        .iter()
        .filter_map(|case| Some((case, case.wrong()?)));
    let wrong: BTreeMap<(&str, &str), &str> = wrong
        .map(|(case, why)| ((&*case.archetype, &*case.case), why))
        .collect();
    for ((_, case), why) in wrong {
        screen.complain(&format!("warning: case `{case}` is wrong: {why}"));
    }
    for (system, count, first) in results.failures() {
        let count = counted(count, "case");
        screen.complain(&format!(
            "warning: `{system}` failed in {count}; the first: {first}"
        ));
    }
}

fn gate(args: &ZooGateArgs, screen: &Screen) -> Result<Exit, Failure> {
    let own = opened(args.repo.as_deref())?;
    let mut request = request(&args.work)?;
    request.archetypes.clone_from(&args.archetypes);
    let gates = gates(args, own.as_ref(), &request)?;
    for wrong in &gates.wrong {
        screen.complain(&format!("warning: {}", wrong.why.join("; ")));
    }
    let baseline = match (&args.baseline, &args.gates, &own) {
        (Some(path), ..) => Some(baseline(path)?),
        (None, None, None) => Some(Baseline::shipped().map_err(Error::internal)?),
        (None, ..) => None,
    };
    if args.changelog.is_some() && baseline.is_none() {
        let message = "`--changelog` is about a baseline: name it by `--baseline FILE`";
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
    let shown = ShownResults::of(&results, &history)
        .held_against(Some(&checked))
        .compared_with(baseline.as_ref());
    screen.print_raw(&text(&shown, args.format)?);
    tell_failures(&results, screen);
    if let (Some(path), Some(before)) = (&args.write_baseline, before) {
        write_baseline(path, before.as_ref(), &results, &args.archetypes, screen)?;
        tell_broken(path, &checked, screen);
    }
    Ok(if checked.broken.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The gates that are about what is measured.
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
            let known = archetypes().map_err(told)?;
            known.into_iter().map(|(name, _)| name).collect()
        }
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let systems: Vec<&str> = request.systems.iter().map(|system| system.name()).collect();
    // To be ahead of oneself is no gate.
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    let gates = read_gates(&name, &text, &known, &others)
        .map_err(told)?
        .of_archetypes(&args.archetypes);
    if gates.gates.is_empty() && !gates.same_as_baseline {
        let asked = args.archetypes.join(", ");
        let message =
            format!("no gate in `{name}` is about {asked}: nothing would be held against it");
        return Err(Failure::Data(message));
    }
    Ok(gates)
}

/// What the file has in it now that a baseline is to be written to.
///
/// # Errors
/// When it is no baseline, or nothing can be written there: whoever asks for one need not wait for the run to hear of it.
fn writable(path: &Path) -> Result<Option<Baseline>, Failure> {
    let before: Option<Baseline> =
        read_document(&RootedPath::resolved(path), SCHEMA_VERSION, MAX_BYTES)
            .map_err(Error::from)?;
    let target = here().join(path);
    let folder = target.parent().unwrap_or(&target);
    let why = match folder.is_dir() {
        false => format!("there is no folder `{}`", folder.display()),
        // It is tried as it will be done, beside the file; nothing is left of that.
        true => match tempfile::tempfile_in(folder) {
            Ok(_) => return Ok(before),
            Err(error) => format!("nothing can be written in `{}`: {error}", folder.display()),
        },
    };
    let path = path.display();
    Err(Failure::Data(format!(
        "no baseline can be written to `{path}`: {why}"
    )))
}

/// Says of what was written that some gates do not hold there, which a baseline does not settle.
fn tell_broken(path: &Path, checked: &Checked, screen: &Screen) {
    let broken = checked.not_of_baseline();
    let names: Vec<String> = broken
        .map(|one| format!("{} {} ({})", one.archetype, one.metric, one.must))
        .collect();
    if let Some(first) = names.first() {
        screen.complain(&format!(
            "warning: `{}` was written of a run in which {} not hold, whatever baseline there is; the first: {first}. What is compared \
             with it may be as bad.",
            path.display(),
            match names.len() {
                1 => "one gate does".to_owned(),
                many => format!("{many} gates do"),
            }
        ));
    }
}

/// Writes a baseline; what was not measured now keeps what it had `before`.
fn write_baseline(
    path: &Path,
    before: Option<&Baseline>,
    results: &Results,
    archetypes: &[String],
    screen: &Screen,
) -> Result<(), Failure> {
    let means = Baseline::of_run(results, before, archetypes);
    let text = serde_json::to_string_pretty(&means).unwrap_or_default();
    write(path, &format!("{text}\n"))?;
    let line = changelog_line(&means);
    screen.say(&format!("the changelog has to say: {line}"));
    Ok(())
}

/// Writes `text` into the file that was named, as every command does; it may be asked for outside of a repository, too.
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
    String::from_utf8(bytes).map_err(|_| Failure::Data(format!("`{}` is no UTF-8", path.display())))
}

fn baseline(path: &Path) -> Result<Baseline, Failure> {
    let read = read_document(&RootedPath::resolved(path), SCHEMA_VERSION, MAX_BYTES)
        .map_err(Error::from)?;
    read.ok_or_else(|| no_file(path))
}

fn no_file(path: &Path) -> Failure {
    Failure::Data(format!("there is no file `{}`", path.display()))
}

fn text(shown: &ShownResults<'_>, format: ZooFormat) -> Result<String, Failure> {
    Ok(match format {
        ZooFormat::Json => shown.json()?,
        ZooFormat::Markdown => shown.markdown(),
        ZooFormat::Html => shown.html(),
        ZooFormat::Junit => shown.junit(),
    })
}

fn kept(own: Option<&Workspace>) -> Result<KeptRuns<'_>, Failure> {
    Ok(KeptRuns::of(own, &dirs()?.state))
}

/// The runs that are remembered of the repository of `own`, or of the samples; none where they cannot be read.
fn past(own: Option<&Workspace>) -> History {
    let runs = kept(own).and_then(|kept| kept.read().map_err(told));
    runs.ok()
        .flatten()
        .map(|runs| runs.history)
        .unwrap_or_default()
}

/// Keeps the results for `zoo report`, and gives the runs that are remembered. Where that is not possible, they are printed all the
/// same.
fn remember(
    own: Option<&Workspace>,
    results: &Results,
    checked: Option<&Checked>,
    screen: &Screen,
) -> History {
    let keep = |kept: KeptRuns<'_>| {
        let kept = kept.keep(results, checked, &environment().holder);
        kept.map_err(told)
    };
    if let Err(why) = kept(own).and_then(keep) {
        let why = match why {
            Failure::Library(error) => error.to_string(),
            Failure::Usage(message) | Failure::Data(message) => message,
        };
        screen.complain(&format!(
            "warning: the results are not kept for `windlass zoo report`: {why}"
        ));
    }
    past(own)
}

fn report(args: &ZooReportArgs, screen: &Screen) -> Result<Exit, Failure> {
    let own = opened(args.repo.as_deref())?;
    let Some(runs) = kept(own.as_ref())?.read().map_err(told)? else {
        return Err(Failure::Data(match own {
            Some(_) => "this repository was not measured yet: `windlass zoo run --repo DIR` does",
            None => "nothing was measured yet: `windlass zoo run` does; what `zoo run --repo DIR` found is shown by `zoo report --repo DIR`",
        }.to_owned()));
    };
    let shown = ShownResults::of(&runs.results, &runs.history).held_against(runs.checked.as_ref());
    if let Some(own) = &own {
        tell_elsewhere(&runs.results, own, screen);
    }
    let text = text(&shown, args.format)?;
    match &args.out {
        Some(out) => {
            write(out, &text)?;
            screen.say(&format!("wrote {}", out.display()));
        }
        None => screen.print_raw(&text),
    }
    Ok(Exit::Done)
}

/// Says where other files are there than were measured.
fn tell_elsewhere(results: &Results, own: &Workspace, screen: &Screen) {
    let Some(origin) = &results.origin else {
        return;
    };
    let here = origin_of(own);
    if here.is_elsewhere(origin) {
        let (then, now) = (origin.place(), here.place());
        let now = match now == then {
            true => "other changes by now".to_owned(),
            false => now,
        };
        screen.complain(&format!(
            "warning: this was measured in {then}; here is {now}, which `{}` measures",
            here.command()
        ));
    }
}

fn drifted(args: ZooDriftArgs, screen: &Screen) -> Result<Exit, Failure> {
    let root = Workspace::discover(&args.repo, environment())?
        .site()
        .repo()
        .root()
        .to_path_buf();
    let program = program();
    let cache = match (&program, args.fresh) {
        (Some(_), false) => Some(dirs()?.cache.join("drift").path().to_owned()),
        _ => None,
    };
    let (saved, format) = (Arc::<AtomicUsize>::default(), args.format);
    let counted_in = cache.as_ref().map(|_| Arc::clone(&saved));
    let mut request = DriftRequest {
        repos: vec![root],
        between: args.from.map(|from| (from, args.to)),
        commits: args.commits,
        spans: args.spans as usize,
        seed: args.seed,
        explain: args.explain,
        scripted: args.scripted,
        cache,
        saved,
        program,
        jobs: args.jobs.unwrap_or(environment().threads),
        ..DriftRequest::default()
    };
    request.show.extend(args.show);
    let found = interruptible(async |stop| {
        let run = async |observer| drift(Arc::new(request), observer, stop).await;
        Ok(watching(screen, run).await)
    })?;
    tell_stopped(&found, counted_in.as_deref(), screen);
    let found = found.map_err(told)?;
    match format {
        OutputFormat::Text => {
            found.tell(&mut |line| screen.print(&format!("{}\n", harmless(line))));
        }
        format => print_data(screen, format, &found.report())?,
    }
    let (missing, all) = found.missing();
    if missing > 0 {
        screen.complain(&format!(
            "warning: of {} that were asked for, {missing} could not be measured",
            counted(all, "distance")
        ));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}

/// Says of what was stopped how it goes on, where so many of its results were `saved`.
fn tell_stopped<T>(found: &Result<T, ZooError>, saved: Option<&AtomicUsize>, screen: &Screen) {
    let (Some(saved), Err(ZooError::Stopped)) = (saved, found) else {
        return;
    };
    screen.say(&match saved.load(Ordering::Relaxed) {
        0 => "nothing more was measured to its end, so nothing more is kept of it".to_owned(),
        count => format!(
            "{} of what was measured {} kept: the same command goes on from there",
            counted(count, "part"),
            if count == 1 { "is" } else { "are" }
        ),
    });
}

/// Writes a sample repository out.
fn sample(args: &ZooSampleArgs, screen: &Screen) -> Result<Exit, Failure> {
    let folder = here().join(&args.folder);
    let (files, questions) = write_sample(&args.archetype, &folder).map_err(told)?;
    screen.say(&format!(
        "wrote {} to {}; {} about them are in {CASES} there",
        counted(files, "file"),
        args.folder.display(),
        counted(questions, "question")
    ));
    Ok(Exit::Done)
}

fn list(screen: &Screen) -> Result<Exit, Failure> {
    screen.print(&catalogue().map_err(told)?);
    Ok(Exit::Done)
}
