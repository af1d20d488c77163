//! Entry of a server in the configuration of a client.

/// Entry of Windlass in the configuration of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerEntry {
    /// Program to start; `None` for a running server.
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
}
