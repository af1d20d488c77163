//! Finds the gates of continuous integration, which are jobs in GitHub workflows. We evaluate each
//! workflow's triggers and the job's condition. It isn't enough to search for words such as `push`,
//! since a job may only run for tags or on request.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::one_line;
use windlass_plan::{Document, Node};

use super::candidate::Candidate;
use super::file_survey::{Survey, Text};
use super::suggestion_rules::WorkflowRules;

/// Maximum number of lines of a job anchored as a whole. Longer jobs are mostly setup, so we anchor
/// just the checking step.
const MAX_JOB: u32 = 24;

/// Events that start a workflow for a change. The most reliable gate comes first.
const EVENTS: [&str; 4] = ["pull_request", "pull_request_target", "merge_group", "push"];

/// Activity types for a pull request whose text changes.
const OF_TEXT: [&str; 3] = ["opened", "synchronize", "reopened"];

/// Finds the jobs that check a change, best first. Jobs that run for every pull request come before
/// others, then jobs that run tests, then jobs that run in several environments. Of several jobs
/// running the same command, only the first is returned.
pub(super) fn find(survey: &Survey<'_>, rules: &WorkflowRules) -> Vec<Candidate> {
    let mut found = Vec::new();
    for text in survey.workflows() {
        let Ok(document) = Document::parse(text.file.as_str(), text.source.bytes()) else {
            continue;
        };
        let Some(jobs) = document.root().get("jobs") else {
            continue;
        };
        for (key, job) in jobs.fields() {
            let Some(runs) = runs_of(document.value(), job.value()) else {
                continue;
            };
            let Some(check) = check_of(job, runs.event, rules) else {
                continue;
            };
            let is_single = job.value().pointer("/strategy/matrix").is_none();
            if let Some(candidate) = gate(&text, key, job, &check, &runs.when, rules) {
                let order = (runs.strength, check.rank, is_single);
                found.push((order, check.command, candidate));
            }
        }
    }
    found.sort_by_key(|(order, _, _)| *order);
    // If other jobs run before the merge, one that runs after it doesn't protect anything.
    let first = found.first().map(|((strength, _, _), _, _)| *strength);
    found.retain(|((strength, _, _), _, _)| {
        *strength != Strength::Pushed || first == Some(Strength::Pushed)
    });
    let mut seen = BTreeSet::new();
    found.retain(|(_, command, _)| seen.insert(command.clone()));
    found
        .into_iter()
        .map(|(_, _, candidate)| candidate)
        .collect()
}

/// A gate's reliability, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Proposed,
    ProposedSometimes,
    Pushed,
}

/// An event that starts a job, with a description of when it runs, to complete the sentence "runs
/// …".
#[derive(Debug, PartialEq)]
struct Runs {
    event: &'static str,
    strength: Strength,
    when: String,
}

/// Returns the first event that starts `job`, or `None` if the job doesn't check changes.
fn runs_of(workflow: &Value, job: &Value) -> Option<Runs> {
    EVENTS.iter().find_map(|event| {
        let mut runs = started_by(workflow, event)?;
        if let Some(condition) = job.get("if").map(plain) {
            match holds(&condition, event) {
                Some(true) => {}
                Some(false) => return None,
                None => {
                    let text = condition.trim();
                    let text = text.trim_start_matches("${{").trim_end_matches("}}");
                    let shown: String = one_line(text).chars().take(60).collect();
                    runs.when.push_str(&format!(", if `{shown}`"));
                    runs.strength = runs.strength.max(Strength::ProposedSometimes);
                }
            }
        }
        Some(runs)
    })
}

/// Returns how `event` starts the workflow, or `None` if it doesn't.
fn started_by(workflow: &Value, event: &'static str) -> Option<Runs> {
    let filter = match workflow.get("on")? {
        Value::Object(events) => events.get(event)?,
        events => names(events)
            .iter()
            .any(|one| one == event)
            .then_some(&Value::Null)?,
    };
    let has = |name: &str| filter.get(name).is_some();
    let (mut strength, all, some) = match event {
        "merge_group" => (Strength::Proposed, "before a change is merged", ""),
        "push" => (Strength::Pushed, "for every push", "for pushes to"),
        _ => (
            Strength::Proposed,
            "for every proposed change",
            "for changes proposed to",
        ),
    };
    // Labels, closing and tags don't change the text of a proposal, so jobs for them aren't gates.
    let types = filter.get("types").map(names);
    let is_of_text =
        types.is_none_or(|types| types.iter().any(|it| OF_TEXT.contains(&it.as_str())));
    let has_branches = has("branches") || has("branches-ignore");
    let is_for_tags = (has("tags") || has("tags-ignore")) && !has_branches;
    if (event != "merge_group" && !is_of_text) || is_for_tags {
        return None;
    }
    let branches = branches(filter).filter(|_| !some.is_empty());
    let mut when = branches.map_or_else(|| all.to_owned(), |to| format!("{some} {to}"));
    if has("paths") || has("paths-ignore") {
        when.push_str(", if they touch certain files");
        strength = strength.max(Strength::ProposedSometimes);
    }
    Some(Runs {
        event,
        strength,
        when,
    })
}

/// Describes the selected branches, or returns `None` if all are selected.
fn branches(filter: &Value) -> Option<String> {
    let named = |name: &str| {
        let names = names(filter.get(name)?);
        let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        Some(match all.get(..3) {
            Some(first) if all.len() > 3 => format!("{} and others", first.join(", ")),
            _ => all.join(", "),
        })
    };
    let ignored = || Some(format!("all branches but {}", named("branches-ignore")?));
    named("branches")
        .or_else(ignored)
        .filter(|list| list != "`**`")
}

/// Converts a name or a list of names into a list.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(plain).collect(),
        Value::Null => Vec::new(),
        one => vec![plain(one)],
    }
}

fn plain(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

/// Evaluates `condition` for `event`. Returns `None` if it depends on more than the event's name.
fn holds(condition: &str, event: &str) -> Option<bool> {
    let text = condition.trim();
    let inner = text
        .strip_prefix("${{")
        .and_then(|it| it.strip_suffix("}}"));
    let text = inner.unwrap_or(text).to_ascii_lowercase();
    let of_factor = |factor: &str| {
        let factor = factor.trim();
        if let Ok(plain) = factor.parse::<bool>() {
            return Some(plain);
        }
        let compared = factor.strip_prefix("github.event_name")?.trim();
        let (is_equal, name) = match compared.strip_prefix("==") {
            Some(name) => (true, name),
            None => (false, compared.strip_prefix("!=")?),
        };
        let name = name.trim().strip_prefix('\'')?.strip_suffix('\'')?;
        (!name.contains('\'')).then_some((name == event) == is_equal)
    };
    // We don't evaluate nested conditions, so they count as unknown.
    if text.contains('(') && (text.contains("&&") || text.contains("||")) {
        return None;
    }
    let any = text.split("||").map(|all| {
        let all = all.split("&&").map(of_factor);
        decided_by(false, &all.collect::<Vec<_>>())
    });
    decided_by(true, &any.collect::<Vec<_>>())
}

/// Combines terms with "or" if `decides` is true, and with "and" otherwise. Returns `None` if the
/// result depends on an unknown term.
fn decided_by(decides: bool, terms: &[Option<bool>]) -> Option<bool> {
    if terms.contains(&Some(decides)) {
        return Some(decides);
    }
    (!terms.contains(&None)).then_some(!decides)
}

/// A step that runs a command for checking a change.
struct CheckingStep<'a> {
    /// The check's rank. The best is 0.
    rank: usize,
    command: String,
    step: Node<'a>,
}

/// Returns the step of `job` with the best-ranked command that runs for `event`.
fn check_of<'a>(job: Node<'a>, event: &str, rules: &WorkflowRules) -> Option<CheckingStep<'a>> {
    let steps = job.get("steps")?.items();
    let steps = steps.filter(|step| {
        let condition = step.value().get("if").map(plain);
        condition.is_none_or(|condition| holds(&condition, event) != Some(false))
    });
    let checks = steps.filter_map(|step| {
        let (rank, command) = check_in(step.value(), rules)?;
        Some(CheckingStep {
            rank,
            command,
            step,
        })
    });
    checks.min_by_key(|check| check.rank)
}

/// Returns a step's best-ranked command, with its rank. If the step's name contains a word for
/// tests, its last command counts as a test.
fn check_in(step: &Value, rules: &WorkflowRules) -> Option<(usize, String)> {
    let text = |key: &str| step.get(key).and_then(Value::as_str);
    let run = text("run").unwrap_or_default().lines().map(str::trim);
    let action = text("uses").and_then(|action| action.split('@').next());
    let action = action.filter(|name| rules.actions.iter().any(|it| name.contains(it)));
    let commands = run.chain(action).filter(|command| {
        !command.is_empty() && !rules.prepares.iter().any(|it| it.is_in(command))
    });
    let commands: Vec<&str> = commands.collect();
    let named = || {
        let is_test = rules.named.as_ref()?.is_in(text("name")?);
        let command = commands.last().filter(|_| is_test)?;
        Some((0, (*command).to_owned()))
    };
    let ranked: Option<(usize, String)> =
        rules.checks.iter().enumerate().find_map(|(rank, check)| {
            let command = commands
                .iter()
                .find(|command| check.words.is_match(command))?;
            Some((rank, (*command).to_owned()))
        });
    match ranked {
        Some((0, _)) => ranked,
        _ => named().or(ranked),
    }
}

/// Creates the candidate for the job `key`. If the job is long, the candidate is just the checking
/// step.
fn gate(
    text: &Text,
    key: &str,
    job: Node<'_>,
    check: &CheckingStep<'_>,
    when: &str,
    rules: &WorkflowRules,
) -> Option<Candidate> {
    let of = |place: windlass_base::Place| {
        let first = u32::try_from(place.position().line).ok()?;
        Some((first, text.indented_end(first)))
    };
    let mut lines = of(job.key_place())?;
    if lines.1 - lines.0 >= MAX_JOB {
        lines = of(check.step.place())?;
    }
    let mut found = Candidate::lines(text, lines.0, lines.1)?;
    let file = text.file.file_name();
    let workflow = file.split('.').next().unwrap_or(file);
    found.name = match workflow == key {
        true => key.to_owned(),
        false => format!("{workflow}-{key}"),
    };
    let shown: String = check.command.chars().take(60).collect();
    found.label = format!("CI job `{key}` ({})", rules.checks.get(check.rank)?.name);
    found.reason = format!("runs `{shown}` {when}");
    Some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gate_each_trigger_described() {
        let by_hand = "github.event_name == 'workflow_dispatch'";
        let all = "for every proposed change";
        for (on, condition, want) in [
            (json!("pull_request"), json!(null), Some(all)),
            (json!(["push", "pull_request"]), json!(null), Some(all)),
            (
                json!({ "pull_request": { "branches": ["main"] } }),
                json!(null),
                Some("for changes proposed to `main`"),
            ),
            (
                json!({ "pull_request": { "paths": ["docs/**"] } }),
                json!(null),
                Some("for every proposed change, if they touch certain files"),
            ),
            (
                json!({ "pull_request": null }),
                json!("${{ github.actor != 'bot' }}"),
                Some("for every proposed change, if `github.actor != 'bot'`"),
            ),
            (
                json!({ "pull_request": { "types": ["closed"] } }),
                json!(null),
                None,
            ),
            (
                json!({ "merge_group": null }),
                json!(null),
                Some("before a change is merged"),
            ),
            (
                json!({ "push": { "branches": ["main", "v*"] } }),
                json!(null),
                Some("for pushes to `main`, `v*`"),
            ),
            (
                json!({ "push": { "branches-ignore": "wip" } }),
                json!(null),
                Some("for pushes to all branches but `wip`"),
            ),
            (json!({ "push": { "tags": ["v*"] } }), json!(null), None),
            (json!("pull_request"), json!(false), None),
            (json!("pull_request"), json!(by_hand), None),
            (
                json!(["push", "pull_request"]),
                json!(format!("{by_hand} || github.event_name == 'push'")),
                Some("for every push"),
            ),
            (
                json!({ "workflow_dispatch": { "inputs": { "push": null } } }),
                json!(null),
                None,
            ),
        ] {
            let job = match &condition {
                Value::Null => json!({}),
                condition => json!({ "if": condition }),
            };
            let runs = runs_of(&json!({ "on": on }), &job).map(|runs| runs.when);
            assert_eq!(runs.as_deref(), want, "{on} {condition}");
        }
    }

    #[test]
    fn condition_event_compared() {
        for (condition, event, wanted) in [
            (
                "${{ github.event_name == 'workflow_dispatch' }}",
                "push",
                Some(false),
            ),
            (
                "GitHub.Event_Name != 'SCHEDULE'",
                "pull_request",
                Some(true),
            ),
            (
                "github.event_name == 'push' || vars.x == 'y'",
                "pull_request",
                None,
            ),
            (
                "vars.x == 'y' && github.event_name == 'release'",
                "push",
                Some(false),
            ),
            (
                "!(vars.x && github.event_name == 'push' && vars.y)",
                "merge_group",
                None,
            ),
            ("always()", "push", None),
            ("github.event_name == 'push' rubbish", "push", None),
            ("", "push", None),
        ] {
            assert_eq!(holds(condition, event), wanted, "{condition} {event}");
        }
    }
}
