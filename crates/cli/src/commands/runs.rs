use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use windlass::base::counted;
use windlass::engine::NoObserver;
use windlass::pack::ChangeKind;
use windlass::pack::{harmless, harmless_line};
use windlass::plan::Status;
use windlass::{
    Error, RefreshRequest, RunChange, RunComparison, RunId, RunRecord, RunSectionDiff, RunState,
    RunSummary, StepSummary, Workspace,
};

use super::{Failure, inputs, print_data, run as running};
use crate::args::{
    OutputFormat, RunsCommand, RunsDiffArgs, RunsListArgs, RunsReplayArgs, RunsResumeArgs,
    RunsShowArgs,
};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::progress::Progress;
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    command: RunsCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    match command {
        RunsCommand::List(args) => list(&workspace, &args, screen),
        RunsCommand::Show(args) => show(&workspace, &args, screen),
        RunsCommand::Replay(args) => replay(&workspace, &args, screen),
        RunsCommand::Diff(args) => diff(&workspace, &args, screen),
        RunsCommand::Resume(args) => resume(&workspace, &args, screen),
    }
}

fn list(workspace: &Workspace, args: &RunsListArgs, screen: &Screen) -> Result<Exit, Failure> {
    let runbook = named(workspace, args.runbook.as_deref());
    let runs = workspace.runs(runbook.as_deref(), args.limit.get())?;
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_data(screen, args.format, &json!({ "runs": runs }))?;
        }
        OutputFormat::Text if runs.is_empty() => screen.say("no run is recorded"),
        OutputFormat::Text => screen.print(&runs.iter().map(listed).collect::<String>()),
    }
    tell_unreadable(screen, &workspace.unreadable_runs()?);
    Ok(Exit::Done)
}

fn tell_unreadable(screen: &Screen, records: &[(RunId, Error)]) {
    let [(id, error), rest @ ..] = records else {
        return;
    };
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    screen.complain(&format!(
        "warning: a record cannot be read and is left out: {id}: {error}{more}"
    ));
}

fn listed(run: &RunSummary) -> String {
    let failed = match run.failed {
        0 => String::new(),
        some => format!("  {} failed", counted(some, "step")),
    };
    let incomplete = if run.incomplete {
        "  record incomplete"
    } else {
        ""
    };
    let part = part_of(run);
    format!(
        "{}  {}  {:<11}  {:>8}  {}{part}{failed}{incomplete}\n",
        run.id,
        to_the_second(&run.started_at),
        run.state.as_str(),
        spoken(run.took_us),
        run.runbook.name(),
    )
}

/// What of its runbook a run was asked for, where that is not all.
fn part_of(run: &RunSummary) -> String {
    let from = run.from.iter().map(|step| format!("  --from {step}"));
    let only = run
        .only
        .first()
        .map(|_| format!("  --only {}", run.only.join(" ")));
    let resumes = run.resumes.iter().map(|id| format!("  resumes {id}"));
    let parts: String = from.chain(only).chain(resumes).collect();
    harmless_line(&parts)
}

fn to_the_second(timestamp: &str) -> String {
    match timestamp.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => timestamp.to_owned(),
    }
}

/// `1.5 s`, `200 ms`.
fn spoken(micros: u64) -> String {
    let time = Duration::from_micros(micros);
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{:.1} s", time.as_secs_f64()),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

fn show(workspace: &Workspace, args: &RunsShowArgs, screen: &Screen) -> Result<Exit, Failure> {
    let record = workspace.run_record(&workspace.find_run(&args.run)?)?;
    tell_damage(screen, &record.damaged);
    let (summary, steps) = (record.summary(), record.steps());
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            let head = &record.head;
            print_data(
                screen,
                args.format,
                &json!({
                    "run": summary,
                    "windlass": head.windlass,
                    "inputs": head.inputs,
                    "withheld": head.withheld,
                    "from": head.from,
                    "only": head.only,
                    "resumes": head.resumes,
                    "steps": steps,
                    "damaged_lines": record.damaged,
                }),
            )?;
        }
        OutputFormat::Text => screen.print(&shown(&record, &summary, &steps)),
    }
    Ok(Exit::Done)
}

fn shown(record: &RunRecord, summary: &RunSummary, steps: &[StepSummary]) -> String {
    let head = &record.head;
    let mut text = format!(
        "run {}  {}\n  runbook  {} ({}, {})\n  began    {}, took {}\n",
        head.id,
        summary.state.as_str(),
        head.runbook.name(),
        head.runbook.file,
        head.runbook.digest,
        to_the_second(&head.started_at),
        spoken(summary.took_us),
    );
    for (name, value) in &head.inputs {
        text.push_str(&format!("  input    {name} = {value}\n"));
    }
    for name in &head.withheld {
        text.push_str(&format!(
            "  input    {name}, not recorded: it holds a secret\n"
        ));
    }
    if let Some(step) = &head.from {
        text.push_str(&format!("  from     {step}\n"));
    }
    if !head.only.is_empty() {
        text.push_str(&format!("  only     {}\n", head.only.join(", ")));
    }
    if let Some(run) = &head.resumes {
        text.push_str(&format!("  resumes  {run}\n"));
    }
    if summary.incomplete {
        text.push_str("  record   incomplete: not all of it could be written\n");
    }
    text.extend(steps.iter().map(|step| step_line(step, summary.state)));
    text
}

fn step_line(step: &StepSummary, state: RunState) -> String {
    let status = match step.status {
        Some(Status::Completed) if step.kept => "kept",
        Some(status) => status.as_str(),
        None if state == RunState::Running => "running",
        None => "unfinished",
    };
    let uses = step.uses.as_deref().unwrap_or("-");
    let mut text = format!(
        "{:<11} {:>8}  {}  {uses}",
        status,
        spoken(step.took_us),
        step.step
    );
    if step.attempts > 1 {
        text.push_str(&format!("  {} attempts", step.attempts));
    }
    text.push('\n');
    if let Some(error) = &step.error {
        text.push_str(&format!("{:22}{}\n", "", error.message));
        for line in error.help.as_deref().unwrap_or_default().lines() {
            text.push_str(&format!("{:24}{line}\n", ""));
        }
    }
    text
}

fn tell_damage(screen: &Screen, lines: &[usize]) {
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        screen.say(&format!(
            "warning: lines of the record that cannot be read were passed over: {}",
            lines.join(", ")
        ));
    }
}

fn replay(workspace: &Workspace, args: &RunsReplayArgs, screen: &Screen) -> Result<Exit, Failure> {
    let id = workspace.find_run(&args.run)?;
    let view = running::view(&args.view, screen);
    let replay = if screen.is_watched() {
        let progress = Arc::new(Progress::new());
        let listener = running::observer(Arc::clone(&progress) as _);
        let replay = workspace.replay(&id, &view, &*listener);
        progress.clear();
        replay?
    } else {
        workspace.replay(&id, &view, &*running::observer(Arc::new(NoObserver)))?
    };
    tell_damage(screen, &replay.damaged);
    running::print_pack(screen, &replay.printed, replay.cursors_lost);
    Ok(running::ended(replay.ending, screen))
}

fn resume(workspace: &Workspace, args: &RunsResumeArgs, screen: &Screen) -> Result<Exit, Failure> {
    let id = workspace.find_run(&args.run)?;
    let resumed = workspace.resumption(&id, inputs(&args.inputs)?, here(), args.whole)?;
    let request = RefreshRequest {
        runbook: resumed.runbook,
        start: resumed.start,
        inputs: resumed.inputs,
        part: resumed.part,
        jobs: args.jobs,
        fail_fast: args.fail_fast,
        allow_commands: args.allow_commands,
        view: running::view(&args.view, screen),
    };
    running::refresh(workspace, &request, screen)
}

/// The runbook that was named, or whose file was from here, as runs are recorded of it.
fn named(workspace: &Workspace, runbook: Option<&str>) -> Option<String> {
    runbook.map(|name| workspace.recorded_name(name, &here()))
}

fn diff(workspace: &Workspace, args: &RunsDiffArgs, screen: &Screen) -> Result<Exit, Failure> {
    let comparison = match (&args.old, &args.new) {
        (Some(old), Some(new)) => {
            workspace.compare_runs(&workspace.find_run(old)?, &workspace.find_run(new)?)?
        }
        _ => {
            let runbook = named(workspace, args.runbook.as_deref());
            workspace.compare_newest_runs(runbook.as_deref())?
        }
    };
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_data(screen, args.format, &within(comparison, args.max_chars)?)?;
        }
        OutputFormat::Text => {
            screen.print_raw(&lines_within(&compared(&comparison), args.max_chars)?);
        }
    }
    Ok(Exit::Done)
}

/// What changed, line by line; the summary is the last.
fn compared(comparison: &RunComparison) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} to {}",
        comparison.runbook, comparison.before, comparison.after
    )];
    lines.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    for section in &comparison.sections {
        if section.changes.is_empty() && section.notes.is_empty() && section.before == section.after
        {
            continue;
        }
        lines.push(heading(section));
        lines.extend(section.notes.iter().map(|note| format!("  ? {note}")));
        lines.extend(section.changes.iter().map(change_line));
    }
    let count = |kind| comparison.changes.get(&kind).copied().unwrap_or_default();
    lines.push(format!(
        "{} added, {} changed, {} moved, {} with another status alone, {} removed, {} unchanged",
        count(ChangeKind::Added),
        count(ChangeKind::Changed),
        count(ChangeKind::Moved),
        count(ChangeKind::Status),
        count(ChangeKind::Removed),
        comparison.unchanged,
    ));
    lines
}

fn heading(section: &RunSectionDiff) -> String {
    let title = if section.title.is_empty() {
        &section.id
    } else {
        &section.title
    };
    let status = match (section.before, section.after) {
        (Some(before), Some(after)) if before == after => after.as_str().to_owned(),
        (Some(before), Some(after)) => format!("{} -> {}", before.as_str(), after.as_str()),
        (None, Some(after)) => format!("new, {}", after.as_str()),
        (Some(_), None) => "no longer there".to_owned(),
        (None, None) => String::new(),
    };
    format!("{title}  {status}")
}

fn change_line(change: &RunChange) -> String {
    let sign = match change.kind {
        ChangeKind::Added => '+',
        ChangeKind::Changed => '~',
        ChangeKind::Moved => '>',
        ChangeKind::Status => '!',
        ChangeKind::Removed => '-',
    };
    let at = match (&change.was_at, &change.is_at) {
        (Some(was), Some(is)) if was != is => format!("{is} (was {was})"),
        (was, is) => is.as_ref().or(was.as_ref()).cloned().unwrap_or_default(),
    };
    let status = match (change.was, change.is) {
        (Some(was), Some(is)) if was != is => format!("{was} -> {is}"),
        _ => String::new(),
    };
    let value = change.value.as_ref().map(ToString::to_string);
    let words = [at, change.label.clone(), value.unwrap_or_default(), status];
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    format!("  {sign} {}", words.join("  "))
}

/// As many of the `lines` as fit, the first and the last before all others.
fn lines_within(lines: &[String], max_chars: Option<usize>) -> Result<String, Failure> {
    let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
    let size = |line: &String| line.chars().count() + 1;
    let total: usize = lines.iter().map(size).sum();
    let max = max_chars.unwrap_or(usize::MAX);
    let ([first, middle @ .., last], true) = (&lines[..], total > max) else {
        return Ok(lines.iter().map(|line| format!("{line}\n")).collect());
    };
    let said = |left_out: usize| {
        let left_out = counted(left_out, "more line");
        format!("  … {left_out}; raise `--max-chars`")
    };
    let least = size(last) + size(first) + size(&said(middle.len()));
    let mut room = max
        .checked_sub(least)
        .ok_or_else(|| too_small(max, least))?;
    let fits = |line: &&String| {
        let fits = size(line) <= room;
        room = room.saturating_sub(size(line));
        fits
    };
    let kept: Vec<&String> = middle.iter().take_while(fits).collect();
    let mut text = format!("{first}\n");
    for line in &kept {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!("{}\n{last}\n", said(middle.len() - kept.len())));
    Ok(text)
}

fn too_small(max: usize, least: usize) -> Failure {
    Failure::Usage(format!(
        "`--max-chars {max}` is too small: raise it to {least} or more"
    ))
}

/// `text` on one line, without secret values and what could drive a terminal.
fn one_line(text: &str) -> String {
    harmless(text).replace(['\n', '\r'], " ")
}

/// `comparison` with as many changes as fit; the first of each section before all others.
fn within(
    mut comparison: RunComparison,
    max_chars: Option<usize>,
) -> Result<RunComparison, Failure> {
    let size = |comparison: &RunComparison| {
        serde_json::to_string(comparison).map_or(0, |text| text.chars().count() + 1)
    };
    let max = max_chars.unwrap_or(usize::MAX);
    while size(&comparison) > max {
        let longest = comparison
            .sections
            .iter_mut()
            .max_by_key(|section| section.changes.len());
        let Some(section) = longest.filter(|section| !section.changes.is_empty()) else {
            return Err(too_small(max, size(&comparison)));
        };
        let keep = section.changes.len() / 2;
        section.omitted += section.changes.len() - keep;
        section.changes.truncate(keep);
    }
    Ok(comparison)
}
