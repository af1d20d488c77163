use windlass_engine::{ErrorKind, StepError};
use windlass_site::{Explain as _, MissingFeature};

/// Reasons why a component can't be used as a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// The file is not a component.
    #[error("not a WebAssembly component: {why}")]
    NotAComponent {
        /// The reason why the file isn't a component.
        why: String,
        /// Advice on how to build a component, if any.
        help: Option<String>,
    },
    /// The component imports an interface unavailable to plugins.
    #[error("it imports `{import}`, which is not available to plugins")]
    ForeignImport {
        /// The import's name.
        import: String,
    },
    /// The component exports no handler supported by this version.
    #[error("it does not export `windlass:step/handler@1`: {why}")]
    NoHandler {
        /// A phrase about its exports.
        why: String,
    },
    /// The component needs a later version of an interface.
    #[error("it needs a newer version of `windlass:step`: {why}")]
    Newer {
        /// A phrase about the feature missing in this version.
        why: String,
    },
    /// The self-description can't be parsed or is incomplete.
    #[error("invalid description: {0}")]
    BadDescription(String),
    /// The self-description ended with an error.
    #[error("it failed to describe itself: {0}")]
    Undescribed(StepError),
    /// The component needs more of a resource than we allow.
    #[error("it needs {what}, more than the limit of {limit}")]
    TooLarge {
        /// The resource and the amount needed.
        what: String,
        /// The maximum amount of the resource, with its unit.
        limit: String,
    },
    /// Compiling the component would take too much time or memory.
    #[error("it has more {what} than the limit of {limit}")]
    TooMuchCode {
        /// The kind of counted items.
        what: &'static str,
        /// The maximum number of items of that kind.
        limit: u64,
    },
    /// The caller cancelled the load.
    #[error("stopped before it was compiled")]
    Stopped,
    /// The program was built without a WebAssembly engine.
    #[error(transparent)]
    NotBuilt(#[from] MissingFeature),
    /// The WebAssembly engine can't start.
    #[error("the WebAssembly engine cannot be started: {0}")]
    Engine(String),
}

/// Advice for a plugin that imports WASI.
pub(crate) const WITHOUT_WASI: &str = "build it without WASI: for Rust the target `wasm32-unknown-unknown`, for JavaScript and Python with WASI stubbed";

impl PluginError {
    /// Returns advice on how to fix the problem, if any.
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
            Self::NotBuilt(feature) => feature.help(),
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
