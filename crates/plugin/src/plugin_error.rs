use windlass_engine::{ErrorKind, StepError};

/// Reason why a component cannot be used as a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// File that is not a component.
    #[error("not a WebAssembly component: {why}")]
    NotAComponent {
        /// Reason why the file is not a component.
        why: String,
        /// Advice for building a component, if any applies.
        help: Option<String>,
    },
    /// Import that plugins do not get.
    #[error("it imports `{import}`, which is not available to plugins")]
    ForeignImport {
        /// Name of the import.
        import: String,
    },
    /// No supported handler.
    #[error("it does not export `windlass:step/handler@1`: {why}")]
    NoHandler {
        /// Exports found instead.
        why: String,
    },
    /// Component for a later version of an interface.
    #[error("it needs a newer version of `windlass:step`: {why}")]
    Newer {
        /// Description of the part that this version lacks.
        why: String,
    },
    /// Self-description that cannot be parsed or is incomplete.
    #[error("invalid description: {0}")]
    BadDescription(String),
    /// Self-description that ended with an error.
    #[error("it failed to describe itself: {0}")]
    Undescribed(StepError),
    /// Resource use above a limit.
    #[error("it needs {what}, more than the limit of {limit}")]
    TooLarge {
        /// Resource and amount.
        what: String,
        /// Maximum amount of the resource, with its unit.
        limit: String,
    },
    /// Component that would take too much time or memory to compile.
    #[error("it has more {what} than the limit of {limit}")]
    TooMuchCode {
        /// Kind of item counted.
        what: &'static str,
        /// Maximum number of items of that kind.
        limit: u64,
    },
    /// The caller cancelled the load.
    #[error("stopped before it was compiled")]
    Stopped,
    /// WebAssembly engine that cannot start.
    #[error("the WebAssembly engine cannot be started: {0}")]
    Engine(String),
}

/// Advice for a plugin that requires WASI.
pub(crate) const WITHOUT_WASI: &str = "build it without WASI: for Rust the target `wasm32-unknown-unknown`, for JavaScript and Python with WASI stubbed";

impl PluginError {
    /// Returns a suggested fix.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotAComponent { help, .. } => help.clone(),
            Self::ForeignImport { import } if import.starts_with("wasi:") => {
                Some(WITHOUT_WASI.to_owned())
            }
            Self::ForeignImport { .. } => {
                Some("import only interfaces of `windlass:step@1`".to_owned())
            }
            Self::Newer { .. } => {
                Some("use a newer Windlass, or an older version of the plugin".to_owned())
            }
            Self::Undescribed(error) => error.help.clone(),
            Self::TooMuchCode { .. } => Some(
                "it would take too long to compile: build it with optimisation, or from less code"
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
