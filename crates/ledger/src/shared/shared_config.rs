use serde::{Deserialize, Serialize};
use windlass_store::{Disk, Durability, RootedPath, read_document, write_atomic};

use crate::{LedgerError, Places, Stamp};

/// Version of the configuration file format.
const VERSION: u32 = 1;
/// Maximum size of the configuration file, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// Configuration of a shared ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedConfig {
    /// Format version of the file.
    pub schema_version: u32,
    /// Location: `postgres://…`, `git:REMOTE` or `file:PATH`. Never contains a password.
    pub location: String,
    /// The ledger's name at that location.
    pub name: String,
    /// Time at which the user took this clone offline; absent while it's online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Stamp>,
}

impl SharedConfig {
    /// Creates the configuration of the ledger `name` at `location`.
    #[must_use]
    pub fn new(location: &str, name: &str) -> Self {
        Self {
            schema_version: VERSION,
            location: location.to_owned(),
            name: name.to_owned(),
            offline_since: None,
        }
    }
}

fn path(places: &Places) -> RootedPath {
    places.home().join("share.json")
}

/// Reads the configuration. Returns `None` if the ledger isn't shared.
///
/// # Errors
/// Returns an error if the file can't be read or has a newer format.
pub(crate) fn read_config(places: &Places) -> Result<Option<SharedConfig>, LedgerError> {
    Ok(read_document(&path(places), VERSION, MAX_BYTES)?)
}

/// Writes the configuration and makes it durable.
///
/// # Errors
/// Returns an error if the file can't be written.
pub(crate) fn write_config(places: &Places, config: &SharedConfig) -> Result<(), LedgerError> {
    let bytes = serde_json::to_vec(config)?;
    Ok(write_atomic(&path(places), &bytes, Durability::Fsync)?)
}

/// Removes the configuration.
///
/// # Errors
/// Returns an error if the file can't be removed.
pub(crate) fn remove_config(places: &Places) -> Result<(), LedgerError> {
    Ok(Disk::default().remove(&path(places))?)
}
