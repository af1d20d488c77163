use windlass_engine::{ErrorKind, StepError};

/// Why a component cannot be used as a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// It is no component.
    #[error("it is no WebAssembly component: {why}")]
    NotAComponent {
        /// Why.
        why: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// It imports what no plugin gets.
    #[error("it imports `{import}`, which no plugin is given")]
    ForeignImport {
        /// The import's name.
        import: String,
    },
    /// It exports no handler that this program knows.
    #[error("it does not export `windlass:step/handler@1`: {why}")]
    NoHandler {
        /// What it does instead.
        why: String,
    },
    /// It was made for a later version of an interface.
    #[error("it needs more of `windlass:step` than this program has: {why}")]
    Newer {
        /// What is missing.
        why: String,
    },
    /// What it says of itself makes no sense.
    #[error("what it says of itself cannot be used: {0}")]
    BadDescription(String),
    /// It failed while it was asked what it is.
    #[error("it cannot say what it is: {0}")]
    Undescribed(StepError),
    /// It takes more than a plugin may have.
    #[error("it needs {what}, more than the limit of {limit}")]
    TooLarge {
        /// Of what, and how much.
        what: String,
        /// How much there may be.
        limit: String,
    },
    /// To compile it would take too long, or too much memory.
    #[error("it has more {what} than the limit of {limit}")]
    TooMuchCode {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
    /// Nobody waits for it any more.
    #[error("stopped before it was compiled")]
    Stopped,
    /// The WebAssembly engine does not start here.
    #[error("the WebAssembly engine cannot be started: {0}")]
    Engine(String),
}

/// What to do about a plugin that wants a system around it.
pub(crate) const WITHOUT_WASI: &str = "build it without WASI: for Rust the target `wasm32-unknown-unknown`, for JavaScript and Python with WASI stubbed";

impl PluginError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotAComponent { help, .. } => help.clone(),
            Self::ForeignImport { import } if import.starts_with("wasi:") => {
                Some(WITHOUT_WASI.to_owned())
            }
            Self::ForeignImport { .. } => {
                Some("a plugin may import interfaces of `windlass:step@1` alone".to_owned())
            }
            Self::Newer { .. } => {
                Some("use a newer Windlass, or an older version of the plugin".to_owned())
            }
            Self::Undescribed(error) => error.help.clone(),
            Self::TooMuchCode { .. } => Some(
                "it would take too long to compile; build it with optimisation, or from less"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

impl From<PluginError> for StepError {
    fn from(error: PluginError) -> Self {
        let kind = match error {
            PluginError::Stopped => ErrorKind::Cancelled,
            _ => ErrorKind::Failed,
        };
        Self {
            help: error.help(),
            ..Self::new(kind, error.to_string())
        }
    }
}
