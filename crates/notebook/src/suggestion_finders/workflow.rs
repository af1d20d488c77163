//! When a workflow of GitHub runs: what its triggers and the conditions of its jobs say.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::one_line;
use windlass_plan::Document;

use super::file_survey::Text;
use super::job_condition::{Event, holds, runs_after_skipped};

/// How surely a gate stands before a change, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It runs for what is proposed, or about to be merged.
    Proposed,
    /// The same, under a condition.
    ProposedSometimes,
    /// It runs for what was pushed.
    Pushed,
}

/// When a job runs.
#[derive(Debug, PartialEq)]
pub(super) struct Runs {
    /// The event that starts it.
    pub(super) event: Event,
    pub(super) strength: Strength,
    /// In words that go on with `runs …`.
    pub(super) when: String,
}

/// A workflow as it is written.
pub(super) struct Workflow(Value);

/// Kinds of activity on a proposed change that change its text.
const OF_TEXT: [&str; 3] = ["opened", "synchronize", "reopened"];

impl Workflow {
    /// Reads `text`; nothing where it is no YAML that says when it runs.
    pub(super) fn read(text: &Text) -> Option<Self> {
        let document = Document::parse(text.file.as_str(), text.source.bytes()).ok()?;
        let value = document.value().clone();
        value.get("on")?;
        Some(Self(value))
    }

    /// When the job `key` runs; nothing where it judges no changes.
    ///
    /// Of several events the first counts that stands surest before a change and that its condition admits.
    pub(super) fn runs(&self, key: &str) -> Option<Runs> {
        use Event::{MergeGroup, PullRequest, PullRequestTarget, Push};
        let events = [PullRequest, PullRequestTarget, MergeGroup, Push].into_iter();
        events
            .filter_map(|event| Some((event, self.started_by(event)?)))
            .find_map(|(event, runs)| self.admitted(key, event, runs))
    }

    /// `runs` of the job `key`, with its condition where that depends on more than `event`; nothing where the job is
    /// skipped.
    fn admitted(&self, key: &str, event: Event, mut runs: Runs) -> Option<Runs> {
        if self.is_skipped(key, event) {
            return None;
        }
        let condition = self.job(key).and_then(condition_of);
        if let Some(text) = condition.filter(|text| holds(text, event).is_none()) {
            let text = text.trim().trim_start_matches("${{").trim_end_matches("}}");
            let shown: String = one_line(text).chars().take(60).collect();
            runs.when.push_str(&format!(", if `{shown}`"));
            runs.strength = runs.strength.max(Strength::ProposedSometimes);
        }
        Some(runs)
    }

    /// True if `event` does not start the job `key`, or one of those that it needs.
    fn is_skipped(&self, key: &str, event: Event) -> bool {
        let mut seen = BTreeSet::from([key.to_owned()]);
        let mut open = vec![key.to_owned()];
        while let Some(key) = open.pop() {
            let Some(job) = self.job(&key) else {
                continue;
            };
            let condition = condition_of(job);
            if condition.as_deref().and_then(|text| holds(text, event)) == Some(false) {
                return true;
            }
            if !condition.is_some_and(|text| runs_after_skipped(&text)) {
                let needs = job.get("needs").map(names).unwrap_or_default();
                open.extend(
                    needs
                        .into_iter()
                        .filter(|needed| seen.insert(needed.clone())),
                );
            }
        }
        false
    }

    fn job(&self, key: &str) -> Option<&Value> {
        self.0.get("jobs")?.get(key)
    }

    /// When `event` starts the workflow for a change; nothing where it does not.
    fn started_by(&self, event: Event) -> Option<Runs> {
        let filter = self.event(event.name())?;
        let (strength, to) = match event {
            Event::PullRequest | Event::PullRequestTarget => {
                changes_text(filter).then_some(())?;
                let to = branches(filter).map_or_else(
                    || "for every proposed change".to_owned(),
                    |to| format!("for changes proposed to {to}"),
                );
                match is_limited(filter) {
                    true => (Strength::ProposedSometimes, to),
                    false => (Strength::Proposed, to),
                }
            }
            Event::MergeGroup => (Strength::Proposed, "before a change is merged".to_owned()),
            Event::Push => {
                // Where only tags are named, no branch counts.
                let has = |name: &str| filter.get(name).is_some();
                let for_tags = has("tags") || has("tags-ignore");
                if for_tags && !has("branches") && !has("branches-ignore") {
                    return None;
                }
                let to = branches(filter).map_or_else(
                    || "for every push".to_owned(),
                    |to| format!("for pushes to {to}"),
                );
                (Strength::Pushed, to)
            }
        };
        Some(Runs {
            event,
            strength,
            when: with_paths(to, filter),
        })
    }

    /// What is said of `event`; nothing where it does not start the workflow.
    fn event(&self, event: &str) -> Option<&Value> {
        const NOTHING: &Value = &Value::Null;
        match self.0.get("on")? {
            Value::String(only) => (only == event).then_some(NOTHING),
            Value::Array(events) => {
                let mut events = events.iter();
                events.any(|one| one == event).then_some(NOTHING)
            }
            events => events.get(event),
        }
    }
}

/// The condition of a job.
fn condition_of(job: &Value) -> Option<String> {
    match job.get("if")? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether a proposed change starts it when its text comes or changes: not only when it is labelled or closed.
fn changes_text(filter: &Value) -> bool {
    let Some(types) = filter.get("types") else {
        return true;
    };
    names(types)
        .iter()
        .any(|one| OF_TEXT.contains(&one.as_str()))
}

fn is_limited(filter: &Value) -> bool {
    ["paths", "paths-ignore"]
        .into_iter()
        .any(|name| filter.get(name).is_some())
}

fn with_paths(mut when: String, filter: &Value) -> String {
    if is_limited(filter) {
        when.push_str(", if they touch certain files");
    }
    when
}

/// The branches that count, in words; nothing where all do.
fn branches(filter: &Value) -> Option<String> {
    /// As many are named.
    const MAX_NAMED: usize = 3;
    let named = |name: &str| {
        let names = names(filter.get(name)?);
        let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        Some(match all.get(..MAX_NAMED) {
            Some(first) if all.len() > MAX_NAMED => format!("{} and others", first.join(", ")),
            _ => all.join(", "),
        })
    };
    let ignored = || Some(format!("all branches but {}", named("branches-ignore")?));
    let is_all = |list: &String| list == "`**`";
    named("branches")
        .or_else(ignored)
        .filter(|list| !is_all(list))
}

/// A name, or a list of them.
fn names(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Array(list) => list.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn job_runs_for_the_events_that_its_conditions_admit() {
        use Strength::{Proposed, ProposedSometimes, Pushed};
        let on = json!({ "workflow_dispatch": null, "pull_request": null, "push": null });
        let by_hand = "github.event_name == 'workflow_dispatch'";
        for (jobs, want) in [
            (json!({ "test": { "if": by_hand } }), None),
            (
                json!({ "test": { "if": format!("{by_hand} || github.event_name == 'push'") } }),
                Some((Pushed, "for every push")),
            ),
            (
                json!({ "test": { "if": format!("!({by_hand})") } }),
                Some((Proposed, "for every proposed change")),
            ),
            (
                json!({ "test": { "needs": "first" }, "first": { "if": by_hand } }),
                None,
            ),
            (
                json!({
                    "test": { "needs": ["first", "test"], "if": "always()" },
                    "first": { "if": by_hand },
                }),
                Some((Proposed, "for every proposed change")),
            ),
            (
                json!({ "test": { "needs": "first" }, "first": { "if": "vars.X == 'on'" } }),
                Some((Proposed, "for every proposed change")),
            ),
            (
                json!({ "test": { "if": "github.ref == 'refs/heads/main'" } }),
                Some((
                    Pushed,
                    "for every push, if `github.ref == 'refs/heads/main'`",
                )),
            ),
            (
                json!({ "test": { "if": "github.event.pull_request.draft == false" } }),
                Some((
                    ProposedSometimes,
                    "for every proposed change, if `github.event.pull_request.draft == false`",
                )),
            ),
        ] {
            let workflow = Workflow(json!({ "on": on, "jobs": jobs }));
            let runs = workflow.runs("test").map(|runs| (runs.strength, runs.when));
            let want = want.map(|(strength, when)| (strength, when.to_owned()));
            assert_eq!(runs, want, "{jobs}");
        }
    }

    fn when(on: &Value, condition: Option<&str>) -> Option<(Strength, String)> {
        let job = condition.map_or_else(|| json!({}), |condition| json!({ "if": condition }));
        let workflow = Workflow(json!({ "on": on, "jobs": { "test": job } }));
        let runs = workflow.runs("test")?;
        Some((runs.strength, runs.when))
    }

    #[test]
    fn what_is_said_of_a_gate_is_what_its_workflow_says() {
        use Strength::{Proposed, ProposedSometimes, Pushed};
        for (on, condition, want) in [
            (
                json!("pull_request"),
                None,
                Some((Proposed, "for every proposed change")),
            ),
            (
                json!(["push", "pull_request"]),
                None,
                Some((Proposed, "for every proposed change")),
            ),
            (
                json!({ "pull_request": { "branches": ["main"] } }),
                None,
                Some((Proposed, "for changes proposed to `main`")),
            ),
            (
                json!({ "pull_request": { "paths": ["docs/**"] } }),
                None,
                Some((
                    ProposedSometimes,
                    "for every proposed change, if they touch certain files",
                )),
            ),
            (
                json!({ "pull_request": null }),
                Some("${{ github.actor != 'bot' }}"),
                Some((
                    ProposedSometimes,
                    "for every proposed change, if `github.actor != 'bot'`",
                )),
            ),
            (
                json!({ "pull_request": { "types": ["closed"] } }),
                None,
                None,
            ),
            (
                json!({ "merge_group": null }),
                None,
                Some((Proposed, "before a change is merged")),
            ),
            (
                json!({ "push": { "branches": ["main", "v*"] } }),
                None,
                Some((Pushed, "for pushes to `main`, `v*`")),
            ),
            (
                json!({ "push": { "branches-ignore": "wip" } }),
                None,
                Some((Pushed, "for pushes to all branches but `wip`")),
            ),
            (json!({ "push": { "tags": ["v*"] } }), None, None),
            (
                json!({ "push": null }),
                Some("startsWith(github.ref, 'refs/tags/')"),
                None,
            ),
            (json!("pull_request"), Some("false"), None),
            (
                json!({ "workflow_dispatch": { "inputs": { "push": { "type": "string" } } } }),
                None,
                None,
            ),
            (json!({ "schedule": [{ "cron": "0 0 * * *" }] }), None, None),
        ] {
            let said = when(&on, condition);
            let want = want.map(|(strength, when)| (strength, when.to_owned()));
            assert_eq!(said, want, "{on} {condition:?}");
        }
    }
}
