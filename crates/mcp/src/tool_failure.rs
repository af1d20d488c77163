//! Errors of tool calls.

use windlass::base::{did_you_mean, similar_hint};
use windlass::plan::Mismatch;
use windlass::{Error, ErrorKind};

/// Reasons why a call failed. Each becomes the call's result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Library(Box<Error>),
    /// The arguments do not match the schema.
    #[error("{}", wrong_lines(.tool, .wrong))]
    Arguments {
        tool: &'static str,
        /// Every mismatch, with its location in the arguments.
        wrong: Vec<Mismatch>,
    },
    /// The arguments match the schema, but make no sense together. For example, both limits are
    /// given.
    #[error("{0}")]
    Meaningless(String),
    /// The call names a repository that this server does not serve.
    #[error("{0}")]
    NotServed(String),
    #[error("this server is read-only, and the call would change something")]
    OnlyReading,
    /// Too many calls are waiting, so we refuse this one. The caller can try again.
    #[error("{waiting} calls are waiting; call again when some of them are answered")]
    Busy {
        /// Number of calls that are waiting already.
        waiting: usize,
    },
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(Box::new(error.into()))
    }
}

impl Failure {
    /// The failure's code: a word for the exit code that the command would have.
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

/// The message about an unknown tool, with the nearest known name. `is_hidden` is true if there is
/// such a tool but a read-only server does not offer it.
pub(crate) fn no_tool<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    is_hidden: bool,
) -> String {
    if is_hidden {
        return format!("`{name}`: {}", Failure::OnlyReading);
    }
    let near = similar_hint(did_you_mean(name, known.clone()));
    let known: Vec<&str> = known.collect();
    let known = known.join(", ");
    format!("unknown tool `{name}`{near} (known tools: {known})")
}
