//! Prompts that a person can send to an agent by name.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};
use windlass::packs::harmless_line;

struct Job {
    name: &'static str,
    about: &'static str,
    /// Writes the prompt. If there is a runbook, the prompt is about that one.
    ask: fn(runbook: Option<&str>, only_reading: bool) -> String,
    reads: bool,
}

const JOBS: [Job; 3] = [
    Job {
        name: "resume",
        about: "Begin a session: restore the context of a runbook and open work",
        reads: true,
        ask: |runbook, _| {
            let restore = match runbook {
                Some(runbook) => format!("Call `runbook_pack` with {{\"runbook\": \"{runbook}\"}}."),
                None => "Call `runbook_pack` without arguments, choose the runbook that fits my task (or the one for an overview), \
                         and call it with that."
                    .to_owned(),
            };
            format!(
                "Restore the context of this repository before you do anything else. {restore} Do not read again what it shows as \
                 fresh. Then call `molecule` with {{\"action\": \"inbox\"}} and {{\"action\": \"list\"}}, and tell me in a few lines what \
                 is known, what is no longer valid, and what work is open."
            )
        },
    },
    Job {
        name: "refresh",
        about: "Update anchors and runbooks after changes",
        reads: true,
        ask: |runbook, only_reading| {
            let again = runbook.map_or(String::new(), |runbook| {
                format!(" Finally call `runbook_pack` with {{\"runbook\": \"{runbook}\"}} again.")
            });
            if only_reading {
                return format!(
                    "Find stale anchors of this repository. Call `anchor` with {{\"action\": \"check\"}} and with {{\"action\": \"impact\"}}, \
                     review edited and moved anchors, and report for each whether its claim is still true.{again}"
                );
            }
            format!(
                "Bring the anchors of this repository up to date. Call `anchor` with {{\"action\": \"check\"}} and with {{\"action\": \
                 \"impact\"}}, then `anchor_repair` for moved anchors. Review the text of edited anchors first, and adopt it only if \
                 the claim of the anchor is still true; report anchors whose claim is not.{again}"
            )
        },
    },
    Job {
        name: "hand_over",
        about: "End a session and hand over to the next one",
        reads: false,
        ask: |_, _| {
            "We stop here. Save with `notebook_edit` an anchor for each place that you had to search for and will need again. Then, \
             with `molecule`, hand over each step you have claimed (`hand_over`, with a body that says what is done, what is left, and \
             what you would do next), or `release` what you did not begin. Note open ends as beads (`bead`, `create`). Tell me in a few \
             lines what you left where."
                .to_owned()
        },
    },
];

fn jobs(only_reading: bool) -> impl Iterator<Item = &'static Job> + Clone {
    JOBS.iter().filter(move |job| !only_reading || job.reads)
}

pub(crate) fn prompts(only_reading: bool) -> Vec<Prompt> {
    let runbook = || {
        PromptArgument::new("runbook")
            .with_description("a runbook by its name")
            .with_required(false)
    };
    let listed = jobs(only_reading).map(|job| {
        let arguments = (job.name != "hand_over").then(|| vec![runbook()]);
        Prompt::new(job.name, Some(job.about), arguments)
    });
    listed.collect()
}

pub(crate) fn prompt(
    name: &str,
    arguments: &Map<String, Value>,
    only_reading: bool,
) -> Option<GetPromptResult> {
    let job = jobs(only_reading).find(|job| job.name == name)?;
    let runbook = arguments.get("runbook").and_then(Value::as_str);
    let runbook = runbook
        // The name becomes part of the prompt, and must not add lines of its own to that.
        .filter(|runbook| !runbook.is_empty())
        .map(harmless_line);
    let text = (job.ask)(runbook.as_deref(), only_reading);
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Some(GetPromptResult::new(messages).with_description(job.about))
}

/// Names of all prompts. A read-only server has none that change something.
pub(crate) fn names(only_reading: bool) -> impl Iterator<Item = &'static str> + Clone {
    jobs(only_reading).map(|job| job.name)
}
