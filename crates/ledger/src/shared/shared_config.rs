//! The file that makes a ledger a shared one.

use serde::{Deserialize, Serialize};
use windlass_store::{Durability, RootedPath, read_document, remove_file, write_atomic};

use crate::{LedgerError, Places, Stamp};

/// Format version of the file. Increase it if an older version would misread the new format; it
/// then refuses to open the ledger, rather than to write to the wrong place.
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 64 << 10;

/// Tells where the shared log is. A ledger is shared if it has this file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedConfig {
    /// Format version of the file.
    pub schema_version: u32,
    /// Location: `postgres://…`, `git:REMOTE` or `file:PATH`. It never has a password.
    pub location: String,
    /// The ledger's name there, since several ledgers can share a location.
    pub name: String,
    /// Time at which the user took this clone offline, or `None` while it is online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Stamp>,
}

impl SharedConfig {
    /// The configuration in the current format, online.
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

/// Reads the configuration. Returns `None` if the ledger is not shared.
///
/// # Errors
/// Returns an error if the file cannot be read or has a newer format.
pub(crate) fn read_config(places: &Places) -> Result<Option<SharedConfig>, LedgerError> {
    Ok(read_document(&path(places), VERSION, MAX_BYTES)?)
}

/// Writes the configuration and syncs it to disk, since without it, the ledger would no longer be
/// shared after a power cut.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn write_config(places: &Places, config: &SharedConfig) -> Result<(), LedgerError> {
    let bytes = serde_json::to_vec(config)?;
    Ok(write_atomic(&path(places), &bytes, Durability::Fsync)?)
}

/// Removes the configuration, which makes the ledger a local one again.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub(crate) fn remove_config(places: &Places) -> Result<(), LedgerError> {
    Ok(remove_file(&path(places))?)
}
