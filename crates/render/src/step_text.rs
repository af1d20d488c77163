//! Text output for the steps of molecules, and for the work on them.

use std::fmt::Write as _;

use serde_json::Value;
use windlass::base::{NextAction, cut_after};
use windlass::formula::Scope;
use windlass::ledger::{Doer, StoredOutput};
use windlass::{Completion, DriveReport, MolWait, ReadyStep, StepAsks, StepReport, Verification};

/// Maximum length of an output to show as a whole, in characters of JSON.
const MAX_OUTPUT: usize = 1_000;

/// Formats a claimable step. Marks such as `[machine]` show the intended doer.
#[must_use]
pub fn ready_line(step: &ReadyStep) -> String {
    let mut line = format!(
        "{}  {}  P{}  {}",
        step.mol_id, step.step_id, step.priority, step.title
    );
    match (step.doer, &step.meant_for) {
        (Doer::Machine, _) => line.push_str("  [machine]"),
        (Doer::Person, _) => line.push_str("  [with a person]"),
        (_, Some(name)) => {
            let _ = write!(line, "  [for {name}]");
        }
        _ => {}
    }
    if let Some(agent) = &step.agent {
        let _ = write!(line, "  [agent: {agent}]");
    }
    if let Some(target) = &step.target {
        let _ = write!(line, "  [only {target}]");
    }
    if step.alone {
        line.push_str("  [alone]");
    }
    line
}

/// Formats a step with everything its doer needs to know.
#[must_use]
pub fn step_text(step: &StepReport) -> String {
    let mut text = format!(
        "{}  {}  {}\n  status   {}\n",
        step.mol_id,
        step.step_id,
        step.title,
        step.status.as_str()
    );
    // Some steps have the reason as their note, too. Once is enough.
    let note = step.note.clone().filter(|_| step.reason != step.note);
    let lease = step.lease_until.map(|until| format!("until {until}"));
    let rows = [
        ("reason", step.reason.clone()),
        ("holder", step.holder.clone()),
        ("token", step.token.clone()),
        ("lease", lease),
        ("note", note),
    ];
    push_rows(&mut text, rows);
    asks_text(&mut text, &step.asks);
    for answer in &step.answers {
        for (name, value) in &answer.inputs {
            let _ = writeln!(text, "  {name} = {value}");
        }
    }
    if let Some(pack) = &step.pack {
        let words = match (&pack.show, &pack.problem) {
            (Some(show), _) => format!("show it with `{show}`"),
            (None, why) => format!("none: {}", why.as_deref().unwrap_or_default()),
        };
        let _ = writeln!(text, "  pack     {words}");
    }
    for criterion in &step.acceptance {
        let criterion = serde_json::to_string(criterion).unwrap_or_default();
        let _ = writeln!(text, "  accept   {criterion}");
    }
    for gate in &step.gates {
        let gate = serde_json::to_string(gate).unwrap_or_default();
        let _ = writeln!(text, "  gate     {gate}");
    }
    if !step.output.is_null() {
        text.push_str(&output_text(&step.output, &step.mol_id, &step.step_id));
    }
    if let Some(stored) = &step.stored_output {
        let (bytes, digest) = (stored.bytes, &stored.blake3);
        let _ = writeln!(text, "  output   {bytes} bytes, stored as `{digest}`");
    }
    for part in [&step.description, &step.notes] {
        if !part.is_empty() {
            let _ = write!(text, "\n{}\n", part.trim_end());
        }
    }
    text
}

/// Formats an output, or for a long one just its start and the command to print all of it.
fn output_text(output: &Value, mol: &str, step: &str) -> String {
    let json = output.to_string();
    let start = cut_after(&json, MAX_OUTPUT);
    let mut text = format!("  output   {start}\n");
    if start != json {
        let StoredOutput { bytes, blake3 } = StoredOutput::of(json.as_bytes());
        let _ = writeln!(
            text,
            "  whole    {bytes} bytes, digest `{blake3}`: `windlass mol show {mol} {step} --format json`"
        );
    }
    text
}

/// Returns the command to complete a claimed step.
#[must_use]
pub fn step_next(step: &StepReport) -> NextAction {
    // The token is optional for the actor with the claim, so leave it out.
    NextAction::new("mol complete", "complete the step when its work is done")
        .positional(step.mol_id.as_str())
        .positional(step.step_id.as_str())
}

fn asks_text(text: &mut String, asks: &StepAsks) {
    let word = |there: bool, word: &str| there.then(|| word.to_owned());
    let doer = match asks.doer {
        Doer::Machine => Some("the machine".to_owned()),
        Doer::Person => Some("a person with an agent".to_owned()),
        Doer::Nobody => Some("none: done when its children are".to_owned()),
        Doer::Agent => None,
    };
    let attempts = (asks.max_attempts > 1).then(|| asks.max_attempts.to_string());
    let metadata = (!asks.metadata.is_empty())
        .then(|| serde_json::to_string(&asks.metadata).unwrap_or_default());
    let drain = asks.drain.as_ref();
    let drains = drain.map(|drain| format!("the bead, by formula {}", drain.formula));
    let labels = (!asks.labels.is_empty()).then(|| asks.labels.join(", "));
    let runs_on = (!asks.runs_on.is_empty()).then(|| asks.runs_on.join(", "));
    let rows = [
        ("doer", doer),
        ("for", asks.meant_for.clone()),
        ("agent", asks.agent.clone()),
        ("target", asks.target.clone()),
        ("runs_on", runs_on),
        ("scope", asks.scope.as_ref().map(scope_words)),
        ("drains", drains),
        ("only", word(asks.review_only, "review: no changes")),
        (
            "alone",
            word(asks.alone, "no other step of the molecule runs meanwhile"),
        ),
        ("type", asks.kind.clone()),
        ("priority", asks.priority.map(|nr| format!("P{nr}"))),
        ("labels", labels),
        ("metadata", metadata),
        ("timeout", asks.timeout.as_ref().map(ToString::to_string)),
        ("attempts", attempts),
        ("check", asks.check.clone()),
    ];
    push_rows(text, rows);
}

pub(crate) fn scope_words(scope: &Scope) -> String {
    match scope {
        Scope::Body => "ends when its members have ended".to_owned(),
        Scope::Member { of, aborts: false } => of.clone(),
        Scope::Member { of, aborts: true } => format!("{of}, which its failure aborts"),
        Scope::Cleanup { of } => format!("{of}, which it cleans up"),
    }
}

/// Reports a completed or failed step, and the next ready or claimed steps.
#[must_use]
pub fn completion_text(done: &Completion) -> String {
    let what = match &done.reason {
        Some(reason) if !done.completed => format!("failed {}: {reason}", done.step_id),
        _ => format!("completed {}", done.step_id),
    };
    let mut text = format!("{what}\n");
    if let Some(outcome) = done.outcome {
        let outcome = serde_json::to_value(outcome).unwrap_or_default();
        let _ = writeln!(text, "{} is {}", done.mol_id, word_of(&outcome));
    }
    for payload in &done.payloads {
        let (edge, id) = (&payload.edge_id, payload.payload_id);
        let _ = writeln!(text, "passed on {edge} by payload {id}");
    }
    match &done.next {
        Some(next) => {
            let _ = write!(text, "claimed {}", step_text(next));
        }
        None => {
            for step in &done.ready {
                let _ = writeln!(text, "ready {}", ready_line(step));
            }
        }
    }
    text
}

/// Reports the steps done automatically, and the conditions the others wait for.
#[must_use]
pub fn drive_text(report: &DriveReport) -> String {
    let mut text = String::new();
    for step in &report.done {
        let _ = writeln!(text, "{}: {}", step.step_id, step.what);
    }
    for wait in &report.waits {
        let _ = writeln!(text, "{} waits for {}", wait.step_id, wait.waits_for);
    }
    if let Some(outcome) = report.outcome {
        let outcome = serde_json::to_value(outcome).unwrap_or_default();
        let _ = writeln!(text, "{} is {}", report.mol_id, word_of(&outcome));
    }
    text
}

/// Formats a verification: the result, followed by each criterion and its findings.
#[must_use]
pub fn verification_text(found: &Verification) -> String {
    let mut text = format!("{}  {}\n", found.word(), found.reasoning);
    for report in &found.criteria {
        let mark = match report.passed {
            Some(true) => "holds",
            Some(false) => "FAILS",
            None => "open ",
        };
        let criterion = serde_json::to_string(&report.criterion).unwrap_or_default();
        let _ = writeln!(text, "  {mark}  {criterion}  {}", report.found);
        for pointer in &report.pointers {
            let _ = writeln!(text, "         {pointer}");
        }
    }
    let _ = writeln!(text, "  evidence  {}", found.evidence);
    text
}

/// Reports a step's new status, including the reason if any.
#[must_use]
pub fn step_done(step: &StepReport) -> String {
    let reason = step.reason.as_ref();
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    format!("{} is {}{reason}", step.step_id, step.status.as_str())
}

/// Reports the extended lease of a claimed step.
#[must_use]
pub fn step_prolonged(step: &StepReport) -> String {
    let until = step.lease_until.map(|until| until.to_string());
    format!(
        "{} is yours until {}",
        step.step_id,
        until.unwrap_or_default()
    )
}

/// Reports the release of a step to other actors.
#[must_use]
pub fn step_released(step: &StepReport) -> String {
    format!("released {} of {}", step.step_id, step.mol_id)
}

/// Reports a waiting step and its condition.
#[must_use]
pub fn step_waiting(wait: &MolWait) -> String {
    format!("waiting: {} waits for {}", wait.step_id, wait.waits_for)
}

pub(crate) fn push_rows<const N: usize>(text: &mut String, rows: [(&str, Option<String>); N]) {
    for (word, value) in rows {
        if let Some(value) = value {
            let _ = writeln!(text, "  {word:<8} {value}");
        }
    }
}

/// Returns `value` if it is a string (an enum is one in JSON), and an empty string otherwise.
pub(crate) fn word_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_is_cut() {
        let short = Value::from("x".repeat(998));
        assert_eq!(
            output_text(&short, "m", "s"),
            format!("  output   {short}\n")
        );
        let long = Value::from("é".repeat(70_000));
        let text = output_text(&long, "m", "s");
        assert!(text.chars().count() < 1_250, "{text}");
        let digest = StoredOutput::of(long.to_string().as_bytes()).blake3;
        let start = format!(
            "  output   \"{}…\n  whole    140002 bytes, digest `{digest}`",
            "é".repeat(999)
        );
        assert!(text.starts_with(&start), "{text}");
        assert!(
            text.ends_with("`windlass mol show m s --format json`\n"),
            "{text}"
        );
    }
}
