//! Why a call did not do what was asked, as the result of a tool: what is wrong, what was probably meant, and what to
//! call next.

use serde_json::{Value, json};
use windlass::base::{Limit, NextAction, did_you_mean};
use windlass::pack::{Measure, harmless};
use windlass::plan::Mismatch;
use windlass::{Error, ErrorKind, RunbookError};

use crate::answer::{Answer, USUAL, next_lines};
use crate::commands::Listener;
use crate::telling::{calls_in, told};

/// How much of an error is told where it is longer.
const LEAST: usize = 400;

/// Why a call did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The library says so.
    #[error(transparent)]
    Library(Box<Error>),
    /// The arguments are not what the tool takes.
    #[error("{}", wrong_lines(.tool, .wrong))]
    Arguments {
        /// The tool.
        tool: &'static str,
        /// What is wrong, and where.
        wrong: Vec<Mismatch>,
    },
    /// What is asked for cannot be meant.
    #[error("{0}")]
    Meaningless(String),
    /// The repository that is named is not served here.
    #[error("{0}")]
    NotServed(String),
    /// It would change something, and nothing may be.
    #[error("this server only reads, and that would change something")]
    OnlyReading,
    /// There is too much to do.
    #[error("{waiting} calls are waiting already; call again when some of them are answered")]
    Busy {
        /// How many wait.
        waiting: usize,
    },
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(Box::new(error.into()))
    }
}

impl Failure {
    /// What sort of failure it is: the words that exit codes of the command stand for.
    fn code(&self) -> &'static str {
        let kind = match self {
            Self::Library(error) => error.kind(),
            Self::Arguments { .. } | Self::Meaningless(_) => ErrorKind::Invalid,
            Self::NotServed(_) | Self::OnlyReading => ErrorKind::Refused,
            Self::Busy { .. } => return "busy",
        };
        match kind {
            ErrorKind::Failed => "failed",
            ErrorKind::Invalid => "invalid",
            ErrorKind::NotFound => "not_found",
            ErrorKind::Refused => "refused",
            ErrorKind::Conflict => "conflict",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Internal => "internal",
        }
    }

    /// The result that tells it, within `limit`.
    pub(crate) fn answer(&self, to: Listener<'_>, limit: Option<Limit>) -> Answer {
        let message = harmless(&told(&self.to_string(), to));
        let help = match self {
            Self::Library(error) => error.help().map(|help| harmless(&told(&help, to))),
            _ => None,
        };
        let next = self.next(to);
        let room = Room::of(limit);
        let message = room.cut(&message);
        let mut text = format!("error ({}): {message}", self.code());
        if let Some(help) = &help {
            text.push_str(&format!("\nhelp: {}", room.cut(help)));
        }
        text.push_str(&next_lines(&next));
        let mut error = json!({ "code": self.code(), "message": message });
        if let Some(help) = help {
            error["help"] = Value::from(room.cut(&help));
        }
        let calls = serde_json::to_value(&next).unwrap_or_default();
        Answer {
            text,
            data: json!({ "error": error, "next_actions": calls }),
            failed: true,
        }
    }

    /// What to call next: what the error itself names.
    fn next(&self, to: Listener<'_>) -> Vec<NextAction> {
        let Self::Library(error) = self else {
            return Vec::new();
        };
        if let Some(
            RunbookError::NoSuchRunbook { known, .. } | RunbookError::NoRunbookNamed { known },
        ) = error.get()
        {
            let run = known.iter().take(3).map(|name| run(name));
            let suggest = known
                .is_empty()
                .then(|| NextAction::new("notebook suggest", "see what could be saved"));
            return run
                .chain(suggest)
                .filter_map(|call| crate::commands::translate(&call, to))
                .collect();
        }
        let help = error.help().unwrap_or_default();
        calls_in(&format!("{help} {error}"), to)
    }
}

fn run(name: &str) -> NextAction {
    NextAction::new("run", "run this one").positional(name)
}

/// How much of a message is told.
struct Room(usize);

impl Room {
    /// A message and its help are told twice, as text and as data, each with some words around them.
    fn of(limit: Option<Limit>) -> Self {
        let limit = limit.unwrap_or(USUAL);
        let chars = match Measure::of(limit) {
            Measure::Chars => limit.max(),
            Measure::Tokens => limit.max().saturating_mul(2),
        };
        Self((chars / 2).max(LEAST))
    }

    fn cut(&self, text: &str) -> String {
        match text.char_indices().nth(self.0) {
            None => text.to_owned(),
            Some((at, _)) => format!("{}…", &text[..at]),
        }
    }
}

/// What is wrong with the arguments of a tool, a line each.
fn wrong_lines(tool: &str, wrong: &[Mismatch]) -> String {
    let lines = wrong.iter().map(|one| {
        let help = one.help.as_ref().map(|help| format!("; {help}"));
        let place = match one.path.as_slice() {
            [] | [_] => String::new(),
            path => format!("{}: ", path.join(".")),
        };
        format!(
            "`{tool}`: {place}{}{}",
            one.message,
            help.unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// That there is no such tool, and the nearest there is.
pub(crate) fn no_tool<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    is_kept_back: bool,
) -> String {
    if is_kept_back {
        return format!("`{name}`: {}", Failure::OnlyReading);
    }
    let near = did_you_mean(name, known.clone());
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let known: Vec<&str> = known.collect();
    let known = known.join(", ");
    format!("there is no tool `{name}`{near} (there are: {known})")
}
