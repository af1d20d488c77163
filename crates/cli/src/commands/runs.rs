//! Commands on recorded runs (`windlass runs`).

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use windlass::engine::NoObserver;
use windlass::packs::harmless_line;
use windlass::{Error, RefreshRequest, RunId, Workspace};
use windlass_render::{comparison_lines, run_line, run_text};

use super::{Ended, inputs, print_data, print_either, run as running};
use crate::args::{
    OutputFormat, RunsCommand, RunsDiffArgs, RunsListArgs, RunsReplayArgs, RunsResumeArgs,
    RunsShowArgs,
};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::progress_bar::Progress;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, command: RunsCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    match command {
        RunsCommand::List(args) => list(&workspace, &args, screen),
        RunsCommand::Show(args) => show(&workspace, &args, screen),
        RunsCommand::Replay(args) => replay(&workspace, &args, screen),
        RunsCommand::Diff(args) => diff(&workspace, &args, screen),
        RunsCommand::Resume(args) => resume(&workspace, &args, screen),
    }
}

fn list(workspace: &Workspace, args: &RunsListArgs, screen: &Screen) -> Ended {
    let runbook = recorded_name_of(workspace, args.runbook.as_deref());
    let runs = workspace.runs().list(runbook.as_deref(), args.limit)?;
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_data(screen, args.format, &json!({ "runs": runs }))?;
        }
        OutputFormat::Text if runs.is_empty() => screen.say("no recorded runs"),
        OutputFormat::Text => screen.print(&runs.iter().map(run_line).collect::<String>()),
    }
    tell_unreadable(screen, &workspace.runs().records().unreadable_runs()?);
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
        "warning: skipped a run record that cannot be read: {id}: {error}{more}"
    ));
}

fn show(workspace: &Workspace, args: &RunsShowArgs, screen: &Screen) -> Ended {
    let runs = workspace.runs();
    let record = runs
        .records()
        .run_record(&runs.records().find_run(&args.run)?)?;
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
        OutputFormat::Text => screen.print(&run_text(&record, &summary, &steps)),
    }
    Ok(Exit::Done)
}

fn tell_damage(screen: &Screen, lines: &[usize]) {
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        screen.say(&format!(
            "warning: skipped damaged lines of the run record: {}",
            lines.join(", ")
        ));
    }
}

fn replay(workspace: &Workspace, args: &RunsReplayArgs, screen: &Screen) -> Ended {
    let id = workspace.runs().records().find_run(&args.run)?;
    let view = running::view(&args.view, screen);
    let replay = if screen.is_watched() {
        let progress = Arc::new(Progress::new());
        let listener = running::observer(Arc::clone(&progress) as _);
        let replay = workspace.runs().replay(&id, &view, &*listener);
        progress.clear();
        replay?
    } else {
        workspace
            .runs()
            .replay(&id, &view, &*running::observer(Arc::new(NoObserver)))?
    };
    tell_damage(screen, &replay.damaged);
    running::print_pack(screen, &replay.printed, replay.cursors_lost);
    Ok(running::ended(replay.ending, screen))
}

fn resume(workspace: &Workspace, args: &RunsResumeArgs, screen: &Screen) -> Ended {
    let id = workspace.runs().records().find_run(&args.run)?;
    let resumed = workspace
        .runs()
        .resumption(&id, inputs(&args.inputs)?, here(), args.whole)?;
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

/// Returns the name under which we record runs of `runbook`.
///
/// If that's a file, users type its path relative to the current folder, whereas records have it
/// relative to the root.
fn recorded_name_of(workspace: &Workspace, runbook: Option<&str>) -> Option<String> {
    runbook.map(|name| workspace.runbooks().recorded_name(name, &here()))
}

fn diff(workspace: &Workspace, args: &RunsDiffArgs, screen: &Screen) -> Ended {
    let runs = workspace.runs();
    let records = runs.records();
    let comparison = match (&args.old, &args.new) {
        (Some(old), Some(new)) => {
            records.compare_runs(&records.find_run(old)?, &records.find_run(new)?)?
        }
        _ => {
            let runbook = recorded_name_of(workspace, args.runbook.as_deref());
            records.compare_newest_runs(runbook.as_deref())?
        }
    };
    print_either(screen, args.format, &comparison, || {
        for line in comparison_lines(&comparison) {
            screen.print(&format!("{}\n", harmless_line(&line)));
        }
    })
}
