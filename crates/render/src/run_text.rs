//! Text output for runs.

use std::time::Duration;

use windlass::base::counted;
use windlass::packs::harmless_line;
use windlass::plan::Status;
use windlass::{Explanation, RunRecord, RunState, RunSummary, StepSummary};

/// Formats a run on one line, including the number of failed steps if any.
#[must_use]
pub fn run_line(run: &RunSummary) -> String {
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

/// Formats a run in full: its inputs, its scope and the results of its steps.
#[must_use]
pub fn run_text(record: &RunRecord, summary: &RunSummary, steps: &[StepSummary]) -> String {
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
            "  input    {name}, not recorded because it contains a secret\n"
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
        text.push_str("  record   incomplete: parts could not be written\n");
    }
    text.extend(steps.iter().map(|step| step_line(step, summary.state)));
    text
}

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

/// Formats a duration in a suitable unit, e.g. `1.5 s` or `200 ms`.
fn spoken(micros: u64) -> String {
    let time = Duration::from_micros(micros);
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{:.1} s", time.as_secs_f64()),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
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

/// Explains the purpose, the time and the dependents of each step.
#[must_use]
pub fn explanation_text(explanation: &Explanation) -> String {
    let mut text = String::new();
    for step in &explanation.steps {
        text.push_str(&format!("{}  {}: {}\n", step.id, step.uses, step.does));
        for when in &step.when {
            text.push_str(&format!("  runs     {when}\n"));
        }
        for touch in &step.touches {
            text.push_str(&format!("  then     {touch}\n"));
        }
        if step.used_by.is_empty() {
            text.push_str("  used by  no step\n");
        } else {
            text.push_str(&format!("  used by  {}\n", step.used_by.join(", ")));
        }
        if let Some(refused) = &step.refused {
            text.push_str(&format!("  refused  {refused}\n"));
        }
    }
    text
}
