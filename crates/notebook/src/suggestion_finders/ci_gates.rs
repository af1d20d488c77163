//! Finds the gates of continuous integration, i.e. jobs in GitHub workflows that a change has to
//! pass.
//!
//! Searching for words such as `push` is not enough, because a job may only run for tags or on
//! request. We therefore evaluate each workflow's triggers and each job's condition, as far as
//! that is possible without running anything. Where we cannot tell, the job ranks lower and its
//! condition is shown to the user.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::one_line;
use windlass_plan::{Document, Node};

use super::candidate::Candidate;
use super::file_survey::{Survey, Text};
use super::suggestion_rules::WorkflowRules;

/// Maximum number of lines of a job anchored as a whole. Longer jobs mostly consist of setup, so
/// for these we only anchor the step that does the check.
const MAX_JOB: u32 = 24;

/// Events that start a workflow for a change. The most reliable gates come first.
const EVENTS: [&str; 4] = ["pull_request", "pull_request_target", "merge_group", "push"];

/// Activity types of a pull request whose text is new or has changed.
const OF_TEXT: [&str; 3] = ["opened", "synchronize", "reopened"];

/// Finds the jobs that check a change, best first.
///
/// Jobs for every pull request come before others, then jobs with tests, then jobs for several
/// environments. If several jobs have the same command, we only return the first of them.
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
    // If there are jobs that run before the merge, leave out those that only run afterwards, since
    // they don't protect anything.
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

/// Reliability of a gate. The order of the variants matters: the most reliable one sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Proposed,
    ProposedSometimes,
    Pushed,
}

/// The event that starts a job. `when` completes the sentence "runs …".
#[derive(Debug, PartialEq)]
struct Runs {
    event: &'static str,
    strength: Strength,
    when: String,
}

/// Finds the first of [`EVENTS`] that starts `job`. Returns `None` if the job does not check
/// changes.
fn runs_of(workflow: &Value, job: &Value) -> Option<Runs> {
    EVENTS.iter().find_map(|event| {
        let mut runs = started_by(workflow, event)?;
        if let Some(condition) = job.get("if").map(plain) {
            match holds(&condition, event) {
                Some(true) => {}
                Some(false) => return None,
                // The condition depends on more than the event, e.g. on the author. The job may not
                // run for all changes, so show the condition to the user.
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

/// Describes when `event` starts the workflow. Returns `None` if the event does not start it, or
/// not for a change.
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
    // Adding a label or closing a proposal doesn't change its text, and a tag comes long after the
    // merge. So a job that only runs for these isn't a gate.
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

/// Describes the branches selected by `filter`, naming at most three. Returns `None` for all
/// branches.
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

/// Evaluates `condition` for `event`. Returns `None` if the result depends on more than the event's
/// name.
///
/// This only knows comparisons of the event's name, `true` and `false`, combined with `&&` and
/// `||`. That covers most conditions found in practice.
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
    // `split` below would tear nested conditions apart, so don't even try.
    if text.contains('(') && (text.contains("&&") || text.contains("||")) {
        return None;
    }
    let any = text.split("||").map(|all| {
        let all = all.split("&&").map(of_factor);
        decided_by(false, &all.collect::<Vec<_>>())
    });
    decided_by(true, &any.collect::<Vec<_>>())
}

/// Combines terms with "or" if `decides` is true, and with "and" if it is false.
///
/// A single term equal to `decides` settles the result, even if other terms are unknown. Otherwise,
/// an unknown term makes the result unknown.
fn decided_by(decides: bool, terms: &[Option<bool>]) -> Option<bool> {
    if terms.contains(&Some(decides)) {
        return Some(decides);
    }
    (!terms.contains(&None)).then_some(!decides)
}

struct CheckingStep<'a> {
    /// Rank of the command in the rules, from 0 (the best).
    rank: usize,
    command: String,
    step: Node<'a>,
}

/// The step of `job` with the best-ranked command. Steps that do not run for `event` do not count.
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

/// The best-ranked command of a step, along with the rank. If the step's name has a word for tests,
/// its last command counts as a test, whatever the command is.
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
            let command = commands.iter().find(|command| check.words.is_in(command))?;
            Some((rank, (*command).to_owned()))
        });
    match ranked {
        Some((0, _)) => ranked,
        _ => named().or(ranked),
    }
}

/// Creates the candidate for the job `key`. If the job is long, only the step of `check` is
/// anchored.
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
                // The first event with a job that runs is `push`, because the condition rules out
                // the other.
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
                // The second term is false here, and the first one is unknown.
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
