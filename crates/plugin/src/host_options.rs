use windlass_store::RootedPath;

use crate::Limits;

/// Options for a plugin host.
#[derive(Debug, Clone, Default)]
pub struct HostOptions {
    /// The user's private cache folder. Without it, nothing is cached.
    pub cache: Option<RootedPath>,
    /// Maximum number of simultaneous attempts, from 1 to 64.
    pub slots: usize,
    /// Resource limits of one attempt.
    pub limits: Limits,
}
