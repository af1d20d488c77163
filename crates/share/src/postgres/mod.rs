//! Shared log in PostgreSQL.
//!
//! One row for each ledger has the end of its log, and the lock of that row orders the appends. An
//! append is one call of a server function. It takes one round trip, which also brings the tail
//! after a lost race. A worker's role may only use these functions, so no worker can change or
//! delete an event.

mod connection;
mod credentials;
mod log;
mod schema;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;

use windlass_ledger::{Opening, SharedError};

use log::PostgresLog;

/// Opens the log of the ledger `name` at `url`.
///
/// # Errors
/// Returns an error if the server can't be reached or refuses access.
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

/// True if the driver finds a password in `url`. An invalid URL has none, as nothing connects to
/// it.
pub(crate) fn has_password(url: &str) -> bool {
    connection::config_of(url).is_ok_and(|config| config.get_password().is_some())
}
