//! Why a call did not do what was asked.

use windlass::base::did_you_mean;
use windlass::plan::Mismatch;
use windlass::{Error, ErrorKind};

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
