use crate::{ErrorKind, Explain};

/// This build does not have the optional feature of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this windlass was built without `{0}`")]
pub struct MissingFeature(pub &'static str);

impl Explain for MissingFeature {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Refused
    }

    fn help(&self) -> Option<String> {
        let repository = env!("CARGO_PKG_REPOSITORY");
        Some(format!(
            "install a build with all features: `cargo install --locked --git {repository} windlass-cli`"
        ))
    }
}
