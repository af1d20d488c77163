//! A shared log in PostgreSQL.
//!
//! Each ledger is a row with the end of its log, and the lock of this row orders the appends. An
//! append is a single call of a server function. It takes one round trip, even if it loses a race,
//! because the answer then includes the tail.
//!
//! The role of a worker may only call these functions, so that no worker can change or delete an
//! event.

mod connection;
mod credentials;
mod log;
mod schema;
mod session;

use std::collections::BTreeMap;
use std::ffi::OsString;

use windlass_ledger::{Opening, SharedError};

use log::PostgresLog;

/// Opens the log of the ledger `name` at `url`.
///
/// # Errors
/// Returns an error if the server is unreachable or refuses access.
pub(crate) fn open(
    url: &str,
    name: &str,
    variables: &BTreeMap<String, OsString>,
    password: Option<&str>,
    opening: Opening,
) -> Result<PostgresLog, SharedError> {
    let connection = connection::Connection::of(url, variables, password, opening)?;
    PostgresLog::open(&connection, name, opening)
}

/// True if the driver would find a password in `url`. For an invalid URL, this is false, but then
/// the driver doesn't connect to it either.
pub(crate) fn has_password(url: &str) -> bool {
    connection::config_of(url).is_ok_and(|config| config.get_password().is_some())
}
