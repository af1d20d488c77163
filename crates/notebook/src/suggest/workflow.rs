//! When a workflow of GitHub runs: what its triggers and the conditions of its jobs say.

use serde_json::Value;
use windlass_plan::Document;

use super::survey::Text;

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
    pub(super) fn runs(&self, key: &str) -> Option<Runs> {
        let mut runs = self.triggered()?;
        let job = self.0.get("jobs").and_then(|jobs| jobs.get(key));
        match job.and_then(|job| job.get("if")) {
            None | Some(Value::Null | Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return None,
            Some(condition) => {
                let text = condition
                    .as_str()
                    .map_or_else(|| condition.to_string(), str::to_owned);
                let text = text
                    .trim()
                    .trim_start_matches("${{")
                    .trim_end_matches("}}")
                    .trim();
                // For tags, or at times: not for a change.
                if ["false", "always()", "!cancelled()"].contains(&text) {
                    return (text != "false").then_some(runs);
                }
                if text.contains("refs/tags") || text.contains("'schedule'") {
                    return None;
                }
                let shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let shown: String = shown.chars().take(60).collect();
                runs.when.push_str(&format!(", if `{shown}`"));
                runs.strength = runs.strength.max(Strength::ProposedSometimes);
            }
        }
        Some(runs)
    }

    fn triggered(&self) -> Option<Runs> {
        let proposed = ["pull_request", "pull_request_target"]
            .into_iter()
            .filter_map(|event| self.event(event))
            .find(|filter| changes_text(filter));
        if let Some(filter) = proposed {
            let to = branches(filter).map_or_else(
                || "for every proposed change".to_owned(),
                |to| format!("for changes proposed to {to}"),
            );
            let strength = match is_limited(filter) {
                true => Strength::ProposedSometimes,
                false => Strength::Proposed,
            };
            return Some(Runs {
                strength,
                when: with_paths(to, filter),
            });
        }
        if self.event("merge_group").is_some() {
            return Some(Runs {
                strength: Strength::Proposed,
                when: "before a change is merged".to_owned(),
            });
        }
        let filter = self.event("push")?;
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
        Some(Runs {
            strength: Strength::Pushed,
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
