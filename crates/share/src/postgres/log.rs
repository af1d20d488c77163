//! The log itself, as calls of the server's functions.

use std::time::Duration;

use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Error, Row};
use windlass_ledger::{Append, Batch, Head, Opening, Position, SharedError, SharedLog, Tail};

use super::connection::{Connection, described};
use super::schema::{self, VERSION};
use super::session::{CallError, Parameter, Request, Session};
use crate::paused;

const LIMIT: Duration = Duration::from_secs(20);
/// Time limit for an answer about a blob, which may be large.
const BLOB_LIMIT: Duration = Duration::from_secs(60);
/// Time limit for connecting again after a lost connection. A server may have to restart.
const AGAIN_LIMIT: Duration = Duration::from_secs(10);
const AGAIN_TICK: Duration = Duration::from_millis(200);
/// Maximum size of the tail in the answer to an append that lost a race, in bytes.
const RACE_TAIL: i64 = 1 << 20;

/// Starts a transaction that keeps other writers out. If this client vanishes, the timeout makes
/// the server end the transaction, so that the others do not wait forever.
const BEGIN: &str = "begin; set local idle_in_transaction_session_timeout = '5s'";
const SEIZE: &str = "select * from windlass.seize($1, $2, $3, $4)";
const READ: &str = "select * from windlass.read($1, $2, $3, $4)";
const APPEND: &str = "select * from windlass.append($1, $2, $3, $4, $5, $6)";
const PUT_BLOB: &str = "select windlass.put_blob($1, $2, $3)";
const BLOB: &str = "select windlass.blob($1, $2)";
/// Queries the settings on which durability depends. Our own session may have changed
/// `synchronous_commit`, so ask for its default.
const SETTINGS: &str = "select current_setting('server_version'), current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_standby_names'), \
     (select setting from pg_settings where name = 'synchronous_commit' and source <> 'session' \
     union all select reset_val from pg_settings where name = 'synchronous_commit' and source = 'session'), \
     pg_is_in_recovery()";
/// Message for a database without our schema.
const NO_LEDGERS: &str = "it has no ledgers yet: run `windlass ledger share` to create one";
/// Queries everything that we need when connecting (format, durability, end of the log), in a
/// single round trip.
const HELLO: &str = "select r.*, f.version, current_setting('synchronous_commit'), current_setting('default_transaction_isolation') \
     from (select max(version) as version from windlass.format) f left join windlass.read($1, 0, '', 0) r on true";

#[derive(Debug)]
pub(crate) struct PostgresLog {
    session: Session,
    name: String,
    /// Format of the schema, see [`VERSION`].
    version: i32,
    /// The end of the log at the time of connecting, for the first request that asks for it.
    hello: Option<Head>,
    clock_ahead: i64,
    is_seized: bool,
    is_listening: bool,
}

impl PostgresLog {
    /// Connects to the server, and checks that we know the format.
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or refuses access, or if the ledger does not
    /// exist.
    pub(super) fn open(
        connection: &Connection,
        name: &str,
        opening: Opening,
    ) -> Result<Self, SharedError> {
        let session = match opening {
            Opening::Again => connect_again(connection)?,
            _ => Session::open(connection)?,
        };
        let mut log = Self {
            session,
            name: name.to_owned(),
            version: 0,
            hello: None,
            clock_ahead: 0,
            is_seized: false,
            is_listening: false,
        };
        if opening == Opening::Create {
            let prepared = log
                .session
                .run(LIMIT, async |client| schema::prepare(client, name).await);
            prepared.map_err(unread)?;
        }
        log.greet()?;
        Ok(log)
    }

    /// Checks the format, and gets the end of the log. If a setting of the server would make
    /// appends less durable or isolated, we change it for our session.
    fn greet(&mut self) -> Result<(), SharedError> {
        let before = clock_micros();
        let row = self.one(LIMIT, HELLO, &[(&self.name.clone(), Type::TEXT)])?;
        self.version = match value(&row, 5)? {
            Some(version) => version,
            None => return Err(SharedError::Refused(NO_LEDGERS.to_owned())),
        };
        if self.version > VERSION {
            let version = self.version;
            return Err(SharedError::Refused(format!(
                "its format is {version}, and this program knows up to {VERSION}: update windlass"
            )));
        }
        // `windlass.read` returns no rows for an unknown ledger, and the left join in `HELLO` turns
        // that into null values.
        if value::<Option<&str>>(&row, 0)?.is_none() {
            return Err(SharedError::Refused(format!(
                "there is no ledger `{}`: run `windlass ledger share` to create it",
                self.name
            )));
        }
        let head = position(&row)?;
        self.see_clock(value(&row, 4)?, before);
        let mut settings = String::new();
        if value::<&str>(&row, 6)? == "off" {
            settings.push_str("set synchronous_commit = on;");
        }
        if value::<&str>(&row, 7)? != "read committed" {
            settings.push_str("set default_transaction_isolation = 'read committed';");
        }
        if !settings.is_empty() {
            self.execute(&settings)?;
        }
        self.hello = Some(self.head_at(head));
        Ok(())
    }

    /// Estimates the lead of the server's clock from its answer to a request sent at `before`.
    ///
    /// We assume that the server has read its clock halfway in between, so the estimate may be off
    /// by up to half a round trip.
    fn see_clock(&mut self, server: Option<i64>, before: i64) {
        if let Some(server) = server {
            let now = clock_micros();
            let middle = before + now.saturating_sub(before) / 2;
            self.clock_ahead = server.saturating_sub(middle);
        }
    }

    fn head_at(&self, position: Position) -> Head {
        Head {
            position,
            clock_ahead: Some(self.clock_ahead),
        }
    }

    fn execute(&mut self, sql: &str) -> Result<(), SharedError> {
        let done = self
            .session
            .run(LIMIT, async |client| client.batch_execute(sql).await);
        done.map_err(unread)
    }

    /// Runs a query for a single row. The query must not append anything, because we report all
    /// failures as if nothing had happened.
    fn one(
        &mut self,
        limit: Duration,
        query: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<Row, SharedError> {
        let request = Request {
            before: "",
            query,
            parameters,
            after: "",
        };
        let rows = self.session.rows(limit, request).map_err(unread)?;
        let none = || SharedError::Refused("unexpected answer: no row".to_owned());
        rows.into_iter().next().ok_or_else(none)
    }

    fn check_blobs(&self) -> Result<(), SharedError> {
        match self.version {
            2.. => Ok(()),
            version => Err(SharedError::Refused(format!(
                "its format is {version}, which has no large outputs: run `windlass ledger share` as its owner to upgrade it"
            ))),
        }
    }

    /// Asks for the batches after `after`. With `is_seizing`, this also takes the ledger's lock.
    fn ask(&mut self, after: &Position, max: i64, is_seizing: bool) -> Result<Tail, SharedError> {
        let (before, at) = (clock_micros(), at_of(after));
        let request = Request {
            before: if is_seizing { BEGIN } else { "" },
            query: if is_seizing { SEIZE } else { READ },
            parameters: &[
                (&self.name, Type::TEXT),
                (&at, Type::INT8),
                (&after.batch, Type::TEXT),
                (&max, Type::INT8),
            ],
            after: "",
        };
        let rows = self.session.rows(LIMIT, request).map_err(unread)?;
        self.tail_of(&rows, after, before)
    }

    fn tail_of(
        &mut self,
        rows: &[Row],
        after: &Position,
        before: i64,
    ) -> Result<Tail, SharedError> {
        let head = rows.first().ok_or_else(|| {
            SharedError::Refused(format!("there is no ledger `{}` any more", self.name))
        })?;
        self.see_clock(value(head, 4)?, before);
        let head_position = position(head)?;
        let mut batches = Vec::new();
        // The first row is always the end of the log, and the others are the batches.
        for row in &rows[1..] {
            if value::<&str>(row, 0)? == "diverged" {
                return Err(SharedError::Diverged(after.clone()));
            }
            let batch = Batch {
                id: value(row, 2)?,
                lines: value(row, 3)?,
            };
            batches.push((position(row)?, batch));
        }
        Ok(Tail {
            batches,
            head: self.head_at(head_position),
        })
    }
}

/// Connects again after a lost connection, and keeps trying for several seconds.
fn connect_again(connection: &Connection) -> Result<Session, SharedError> {
    let mut failure = None;
    let found = paused(AGAIN_LIMIT, AGAIN_TICK, || {
        match Session::open(connection) {
            Ok(session) => Ok(Some(session)),
            Err(error @ SharedError::Unreachable(_)) => {
                failure = Some(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    })?;
    let lost = || SharedError::Unreachable("no answer".to_owned());
    found.ok_or_else(|| failure.unwrap_or_else(lost))
}

fn position(row: &Row) -> Result<Position, SharedError> {
    Ok(Position {
        at: u64::try_from(value::<i64>(row, 1)?).unwrap_or(0),
        batch: value(row, 2)?,
    })
}

/// Returns a column's value.
///
/// # Errors
/// Returns [`SharedError::Refused`] if the value is null or has another type. In that case, the
/// schema is not ours.
fn value<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, SharedError> {
    row.try_get(column)
        .map_err(|error| SharedError::Refused(format!("unexpected answer: {}", described(&error))))
}

fn at_of(position: &Position) -> i64 {
    i64::try_from(position.at).unwrap_or(i64::MAX)
}

/// Converts the error of a call that appends nothing, so that nothing can have happened.
fn unread(error: CallError) -> SharedError {
    match error {
        CallError::Lost(why) => SharedError::Unreachable(why),
        CallError::Answer(error) => answer(&error, false),
    }
}

/// Converts an error reported by the server.
///
/// With `is_append`, the append may have succeeded before the server went down, so we cannot report
/// the log as merely unreachable.
fn answer(error: &Error, is_append: bool) -> SharedError {
    let code = error
        .code()
        .map(tokio_postgres::error::SqlState::code)
        .unwrap_or_default();
    let text = described(error);
    match &code[..code.len().min(2)] {
        // The schema, a table or a function is missing.
        "3F" | "42" if code != "42501" => SharedError::Refused(format!("{NO_LEDGERS} ({text})")),
        // The client was idle for too long, so the server has ended the transaction that blocked
        // others.
        _ if code == "25P03" && is_append => SharedError::Unknown(text),
        _ if code == "25P03" => SharedError::Unreachable(text),
        // The server is shutting down, was interrupted, or has rolled back on its own.
        "57" | "40" | "53" | "58" if is_append => SharedError::Unknown(text),
        "57" | "40" | "53" | "58" | "08" => SharedError::Unreachable(text),
        // The server is a standby. Only the primary accepts writes.
        _ if code == "25006" => SharedError::Unreachable(text),
        _ => SharedError::Refused(text),
    }
}

impl SharedLog for PostgresLog {
    fn head(&mut self) -> Result<Head, SharedError> {
        match self.hello.take() {
            Some(head) => Ok(head),
            None => Ok(self.ask(&Position::default(), 0, false)?.head),
        }
    }

    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        let max = i64::try_from(max_bytes.max(1)).unwrap_or(i64::MAX);
        self.ask(after, max, false)
    }

    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError> {
        let (before, at) = (clock_micros(), at_of(expected));
        let request = Request {
            before: "",
            query: APPEND,
            parameters: &[
                (&self.name, Type::TEXT),
                (&at, Type::INT8),
                (&expected.batch, Type::TEXT),
                (&batch.id, Type::TEXT),
                (&batch.lines, Type::BYTEA),
                (&RACE_TAIL, Type::INT8),
            ],
            // Seizing has opened a transaction, which ends with this append.
            after: match std::mem::take(&mut self.is_seized) {
                true => "commit",
                false => "",
            },
        };
        let rows = self.session.rows(LIMIT, request);
        let rows = rows.map_err(|error| match error {
            CallError::Lost(why) => SharedError::Unknown(why),
            CallError::Answer(error) => answer(&error, true),
        })?;
        // If we can't read the answer, the append may have succeeded or not.
        let unknown = |error: SharedError| SharedError::Unknown(error.to_string());
        if let Some(row) = rows.first()
            && value::<&str>(row, 0).map_err(unknown)? == "done"
        {
            self.see_clock(value(row, 4).map_err(unknown)?, before);
            return Ok(Append::Done(self.head_at(position(row).map_err(unknown)?)));
        }
        Ok(Append::Moved(self.tail_of(&rows, expected, before)?))
    }

    fn seize(&mut self, after: &Position, max_bytes: usize) -> Result<Option<Tail>, SharedError> {
        // Set this first. If the answer gets lost, the transaction may be open on the server
        // nevertheless, and `release` has to roll it back.
        self.is_seized = true;
        let max = i64::try_from(max_bytes.max(1)).unwrap_or(i64::MAX);
        self.ask(after, max, true).map(Some)
    }

    fn release(&mut self) -> Result<(), SharedError> {
        if !std::mem::take(&mut self.is_seized) {
            return Ok(());
        }
        self.execute("rollback")
    }

    fn put_blob(&mut self, id: &str, bytes: &[u8]) -> Result<(), SharedError> {
        self.check_blobs()?;
        let name = self.name.clone();
        let values: [Parameter<'_>; 3] = [
            (&name, Type::TEXT),
            (&id, Type::TEXT),
            (&bytes, Type::BYTEA),
        ];
        self.one(BLOB_LIMIT, PUT_BLOB, &values).map(drop)
    }

    fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, SharedError> {
        self.check_blobs()?;
        let name = self.name.clone();
        let values: [Parameter<'_>; 2] = [(&name, Type::TEXT), (&id, Type::TEXT)];
        value(&self.one(BLOB_LIMIT, BLOB, &values)?, 0)
    }

    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError> {
        if !self.is_listening {
            self.execute("listen windlass")?;
            self.is_listening = true;
        }
        // We get no notification for an append before `listen`, so ask for the end once more.
        let head = self.ask(&Position::default(), 0, false)?.head;
        if head.position != *after {
            return Ok(head);
        }
        let start = format!("{} ", self.name);
        self.session.wait_for(&start, limit).map_err(unread)?;
        Ok(self.ask(&Position::default(), 0, false)?.head)
    }

    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        let rows = self.one(LIMIT, SETTINGS, &[])?;
        let setting = |at: usize| -> Result<String, SharedError> {
            Ok(value::<Option<String>>(&rows, at)?.unwrap_or_default())
        };
        let mut findings = vec![(false, format!("PostgreSQL {}", setting(0)?))];
        for (name, value) in [("fsync", setting(1)?), ("full_page_writes", setting(2)?)] {
            if value != "on" {
                findings.push((
                    true,
                    format!("`{name}` is `{value}`: a power cut can lose acknowledged events"),
                ));
            }
        }
        let standbys = setting(3)?;
        findings.push(match setting(4)?.as_str() {
            "off" => (
                false,
                "`synchronous_commit` is `off` by default; Windlass sets it to `on` for itself".to_owned(),
            ),
            _ if standbys.is_empty() => (
                false,
                "no synchronous standby: if the server is lost, the last events come back from the replicas of \
                 the machines that wrote them"
                    .to_owned(),
            ),
            value => (false, format!("synchronous standbys `{standbys}`, `synchronous_commit` is `{value}`")),
        });
        if value(&rows, 5)? {
            findings.push((
                true,
                "the server is a standby and refuses writes".to_owned(),
            ));
        }
        let ahead = self.clock_ahead / 1_000;
        if ahead.abs() > 5_000 {
            findings.push((
                false,
                format!("the server's clock is {ahead} ms ahead of this machine's; events are dated by the server"),
            ));
        }
        Ok(findings)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the difference to the server's clock is taken between two moments of one call"
)]
fn clock_micros() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or(i64::MAX))
}
