//! Answers for calls that failed: the error, help, and calls to make next.

use serde_json::{Value, json};
use windlass::RunbookError;
use windlass::base::{Limit, NextAction, cut_after};
use windlass::packs::{Measure, harmless};

use crate::answer::{Answer, USUAL, next_lines};
use crate::call_translation::{Listener, calls_in, translate, with_calls};
use crate::tool_failure::Failure;

/// Number of characters of an error that we show even if the limit is smaller.
const MIN_MESSAGE: usize = 400;

/// Makes the answer for a failure. It's within `limit`, unless that's very small.
pub(crate) fn failure_answer(failure: &Failure, to: Listener<'_>, limit: Option<Limit>) -> Answer {
    let message = harmless(&with_calls(&failure.to_string(), to));
    let help = match failure {
        Failure::Library(error) => error.help().map(|help| harmless(&with_calls(&help, to))),
        _ => None,
    };
    let calls = next(failure, to);
    let room = Room::of(limit);
    let message = room.cut(&message);
    let mut text = format!("error ({}): {message}", failure.code());
    if let Some(help) = &help {
        text.push_str(&format!("\nhelp: {}", room.cut(help)));
    }
    text.push_str(&next_lines(&calls));
    let mut error = json!({ "code": failure.code(), "message": message });
    if let Some(help) = help {
        error["help"] = Value::from(room.cut(&help));
    }
    let calls = serde_json::to_value(&calls).unwrap_or_default();
    Answer {
        text,
        data: json!({ "error": error, "next_actions": calls }),
        failed: true,
    }
}

fn next(failure: &Failure, to: Listener<'_>) -> Vec<NextAction> {
    let Failure::Library(error) = failure else {
        return Vec::new();
    };
    if let Some(
        RunbookError::NoSuchRunbook { known, .. } | RunbookError::NoRunbookNamed { known },
    ) = error.get()
    {
        let run = known.iter().take(3).map(|name| run(name));
        let suggest = known
            .is_empty()
            .then(|| NextAction::new("suggest", "see suggestions to save"));
        return run
            .chain(suggest)
            .filter_map(|call| translate(&call, to))
            .collect();
    }
    // Any other error mentions commands in its text or help, if there's something to do.
    let help = error.help().unwrap_or_default();
    calls_in(&format!("{help} {error}"), to)
}

fn run(name: &str) -> NextAction {
    NextAction::new("run", "run this runbook").positional(name)
}

struct Room(usize);

impl Room {
    /// Takes half of the limit, since an answer has a message and its help. A token counts as two
    /// characters, which is usually less than it really has.
    fn of(limit: Option<Limit>) -> Self {
        let limit = limit.unwrap_or(USUAL);
        let chars = match Measure::of(limit) {
            Measure::Chars => limit.max(),
            Measure::Tokens => limit.max().saturating_mul(2),
        };
        Self((chars / 2).max(MIN_MESSAGE))
    }

    fn cut(&self, text: &str) -> String {
        cut_after(text, self.0)
    }
}
