//! Errors of tool calls.

use windlass::base::did_you_mean;
use windlass::plan::Mismatch;
use windlass::{Error, ErrorKind};

/// Reasons why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// An error from the library.
    #[error(transparent)]
    Library(Box<Error>),
    /// The arguments don't match the schema.
    #[error("{}", wrong_lines(.tool, .wrong))]
    Arguments {
        tool: &'static str,
        /// Mismatches with their locations.
        wrong: Vec<Mismatch>,
    },
    /// The request makes no sense.
    #[error("{0}")]
    Meaningless(String),
    /// The named repository isn't served.
    #[error("{0}")]
    NotServed(String),
    /// The call would change something on a read-only server.
    #[error("this server is read-only, and the call would change something")]
    OnlyReading,
    /// Too many calls are waiting.
    #[error("{waiting} calls are waiting; call again when some of them are answered")]
    Busy {
        /// Calls already waiting.
        waiting: usize,
    },
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(Box::new(error.into()))
    }
}

impl Failure {
    /// Returns the failure's code, a word for the exit code that the command would have.
    pub(crate) fn code(&self) -> &'static str {
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
}

/// Lists mismatched arguments, one per line.
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

/// Returns the message about an unknown tool, with the nearest known name.
pub(crate) fn no_tool<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    is_hidden: bool,
) -> String {
    if is_hidden {
        return format!("`{name}`: {}", Failure::OnlyReading);
    }
    let near = did_you_mean(name, known.clone());
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let known: Vec<&str> = known.collect();
    let known = known.join(", ");
    format!("unknown tool `{name}`{near} (known tools: {known})")
}
