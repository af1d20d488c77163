//! The tables and functions of the shared log, by version of the format.

use tokio_postgres::{Client, Error};

/// The upgrade scripts, one for each version of the format. The first one starts with an empty
/// database. Released scripts must not be changed: add another one, and increase [`VERSION`].
const MIGRATIONS: [&str; 2] = [include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// The newest format that this program knows. It refuses to open a newer one.
pub(super) const VERSION: i32 = 2;

/// Key of an advisory lock, which makes sure that only one program migrates at a time.
const LOCK: i64 = 0x77_69_6e_64_6c_61_73;

/// Creates the schema or upgrades it to the newest format, and creates the ledger `name`.
///
/// # Errors
/// Returns an error if the user may not create it.
pub(super) async fn prepare(client: &mut Client, name: &str) -> Result<(), Error> {
    let transaction = client.transaction().await?;
    let known = "select to_regclass('windlass.format') is not null";
    let is_there: bool = transaction.query_one(known, &[]).await?.try_get(0)?;
    if !is_there {
        transaction
            .batch_execute(&format!("select pg_advisory_xact_lock({LOCK})"))
            .await?;
        transaction.batch_execute(
            "create schema if not exists windlass; create table if not exists windlass.format (version integer not null)",
        ).await?;
    }
    // Look without the lock first, because it's only needed if there's something to migrate. By the
    // time we get it, another program may have migrated.
    let version = "select coalesce(max(version), 0) from windlass.format";
    let mut version: i32 = transaction.query_one(version, &[]).await?.try_get(0)?;
    if version < VERSION {
        transaction
            .batch_execute(&format!("select pg_advisory_xact_lock({LOCK})"))
            .await?;
        let again = "select coalesce(max(version), 0) from windlass.format";
        version = transaction.query_one(again, &[]).await?.try_get(0)?;
    }
    for script in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(usize::MAX))
    {
        transaction.batch_execute(script).await?;
        version += 1;
        transaction
            .execute(
                "insert into windlass.format (version) values ($1)",
                &[&version],
            )
            .await?;
    }
    transaction
        .execute("select windlass.create_ledger($1)", &[&name])
        .await?;
    transaction.commit().await
}
