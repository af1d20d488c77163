//! Tables and functions of the shared log, by format version.

use postgres::Client;

/// Scripts that lead from each format to the next; the first one from an empty database.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

/// Newest format that this program knows.
pub(super) const VERSION: i32 = 1;

/// Key of the lock under which one program at a time migrates.
const LOCK: i64 = 0x77_69_6e_64_6c_61_73;

/// Creates the schema, or leads it to the newest format, and creates the ledger `name`.
///
/// # Errors
/// Returns an error if the user may not create it.
pub(super) fn prepare(client: &mut Client, name: &str) -> Result<(), postgres::Error> {
    let mut transaction = client.transaction()?;
    let known = "select to_regclass('windlass.format') is not null";
    let is_there: bool = transaction.query_one(known, &[])?.try_get(0)?;
    if !is_there {
        transaction.batch_execute(&format!("select pg_advisory_xact_lock({LOCK})"))?;
        transaction.batch_execute(
            "create schema if not exists windlass; create table if not exists windlass.format (version integer not null)",
        )?;
    }
    let version = "select coalesce(max(version), 0) from windlass.format";
    let mut version: i32 = transaction.query_one(version, &[])?.try_get(0)?;
    if version < VERSION {
        transaction.batch_execute(&format!("select pg_advisory_xact_lock({LOCK})"))?;
        let again = "select coalesce(max(version), 0) from windlass.format";
        version = transaction.query_one(again, &[])?.try_get(0)?;
    }
    for script in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(usize::MAX))
    {
        transaction.batch_execute(script)?;
        version += 1;
        transaction.execute(
            "insert into windlass.format (version) values ($1)",
            &[&version],
        )?;
    }
    transaction.execute("select windlass.create_ledger($1)", &[&name])?;
    transaction.commit()
}
