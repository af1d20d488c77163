use windlass_store::RootedPath;

use crate::Limits;

/// Options of a plugin host.
#[derive(Debug, Clone, Default)]
pub struct HostOptions {
    /// Private cache folder of the user. Without it, nothing is cached.
    pub cache: Option<RootedPath>,
    /// Maximum number of simultaneous attempts, from 1 to 64.
    pub slots: usize,
    /// Resource limits of one attempt.
    pub limits: Limits,
}
