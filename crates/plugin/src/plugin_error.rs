use windlass_engine::{ErrorKind, StepError};
use windlass_site::{Explain as _, MissingFeature};

/// Reasons why a component cannot be used as a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// The file is not a component.
    #[error("not a WebAssembly component: {why}")]
    NotAComponent {
        /// A description by the parser, or by the converter of modules.
        why: String,
        /// Advice for building a component. There is none for a component that is invalid.
        help: Option<String>,
    },
    /// The component imports an interface that plugins cannot have.
    #[error("it imports `{import}`, which is not available to plugins")]
    ForeignImport {
        /// The name of the interface, e.g. `wasi:cli/environment@0.2.0`.
        import: String,
    },
    /// The component does not export a handler of a version that we support.
    #[error("it does not export `windlass:step/handler@1`: {why}")]
    NoHandler {
        /// A description of what it exports instead.
        why: String,
    },
    /// The component needs a later version of an interface than ours.
    #[error("it needs a newer version of `windlass:step`: {why}")]
    Newer {
        /// The engine's description of the missing import.
        why: String,
    },
    /// The plugin's description of itself is invalid or incomplete.
    #[error("invalid description: {0}")]
    BadDescription(String),
    /// The component failed while describing itself.
    #[error("it failed to describe itself: {0}")]
    Undescribed(StepError),
    /// The component needs more of a resource than the limit.
    #[error("it needs {what}, more than the limit of {limit}")]
    TooLarge {
        /// The resource and the amount needed, in the engine's words.
        what: String,
        /// The maximum amount, with its unit.
        limit: String,
    },
    /// Compiling the component would take too much time or memory.
    #[error("it has more {what} than the limit of {limit}")]
    TooMuchCode {
        /// The kind of items that were counted, e.g. `functions`.
        what: &'static str,
        /// Maximum number of such items.
        limit: u64,
    },
    /// The caller canceled before the component was ready.
    #[error("stopped before it was compiled")]
    Stopped,
    /// This program was built without a WebAssembly engine.
    #[error(transparent)]
    NotBuilt(#[from] MissingFeature),
    /// The WebAssembly engine cannot start, or fails through no fault of the plugin.
    #[error("the WebAssembly engine cannot be started: {0}")]
    Engine(String),
}

/// Advice for a plugin that imports WASI, which toolchains often add without being asked.
pub(crate) const WITHOUT_WASI: &str = "build it without WASI: for Rust the target `wasm32-unknown-unknown`, for JavaScript and Python with WASI stubbed";

impl PluginError {
    /// Advice for fixing the problem, if there is any.
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
