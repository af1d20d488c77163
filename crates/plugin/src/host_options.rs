use windlass_store::RootedPath;

use crate::Limits;

/// Options for a [`Host`](crate::Host).
#[derive(Debug, Clone, Default)]
pub struct HostOptions {
    /// The user's private cache folder.
    ///
    /// If there is no such folder, or if other users can write to it, we cache nothing.
    pub cache: Option<RootedPath>,
    /// The maximum number of attempts at the same time, which is adjusted to be from 1 to 64.
    pub slots: usize,
    /// The resource limits of one attempt, which are those of [`Limits::default`] by default.
    pub limits: Limits,
}
