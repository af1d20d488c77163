use std::time::Duration;

use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Error, Row};
use windlass_ledger::{Append, Batch, Head, Opening, Position, SharedError, SharedLog, Tail};

use super::connection::{Connection, described};
use super::schema::{self, VERSION};
use super::worker::{CallError, Session, Worker};
use crate::paused;

/// Maximum time of a call without an answer.
const LIMIT: Duration = Duration::from_secs(20);
/// Maximum time for attempts to connect again after losing the connection.
const AGAIN_LIMIT: Duration = Duration::from_secs(10);
const AGAIN_TICK: Duration = Duration::from_millis(200);
/// Maximum size of the tail that comes with a lost race, in bytes.
const RACE_TAIL: i64 = 1 << 20;

/// Start of a transaction that keeps other writers away. The server ends it if the client has
/// vanished.
const BEGIN: &str = "begin; set local idle_in_transaction_session_timeout = '5s'";
const SEIZE: &str = "select * from windlass.seize($1, $2, $3, $4)";
const READ: &str = "select * from windlass.read($1, $2, $3, $4)";
const APPEND: &str = "select * from windlass.append($1, $2, $3, $4, $5, $6)";
/// Query for the settings that durability depends on.
const SETTINGS: &str = "select current_setting('server_version'), current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_standby_names'), \
     (select setting from pg_settings where name = 'synchronous_commit' and source <> 'session' \
     union all select reset_val from pg_settings where name = 'synchronous_commit' and source = 'session'), \
     pg_is_in_recovery()";
/// Message for a database without the schema.
const NO_LEDGERS: &str = "it has no ledgers yet: run `windlass ledger share` to create one";
/// Query for the format, durability and end of the log, in one round trip.
const HELLO: &str = "select r.*, f.version, current_setting('synchronous_commit'), current_setting('default_transaction_isolation') \
     from (select max(version) as version from windlass.format) f left join windlass.read($1, 0, '', 0) r on true";

/// A ledger's shared log in PostgreSQL.
#[derive(Debug)]
pub(crate) struct PostgresLog {
    worker: Worker,
    name: String,
    /// End of the log when the connection was opened, until somebody asks for it.
    hello: Option<Head>,
    clock_ahead: i64,
    is_seized: bool,
    is_listening: bool,
}

impl PostgresLog {
    /// Connects and checks the format.
    ///
    /// # Errors
    /// Returns an error if the server can't be reached or refuses access, or there is no such
    /// ledger.
    pub(super) fn open(
        connection: &Connection,
        name: &str,
        opening: Opening,
    ) -> Result<Self, SharedError> {
        let worker = match opening {
            Opening::Again => connect_again(connection)?,
            _ => Worker::start(connection)?,
        };
        let mut log = Self {
            worker,
            name: name.to_owned(),
            hello: None,
            clock_ahead: 0,
            is_seized: false,
            is_listening: false,
        };
        if opening == Opening::Create {
            let name = log.name.clone();
            log.read_call(LIMIT, move |session| {
                session.run(async |client| schema::prepare(client, &name).await)
            })?;
        }
        log.greet()?;
        Ok(log)
    }

    /// Checks the format, and changes the session's settings if appends wouldn't be durable and
    /// isolated otherwise.
    fn greet(&mut self) -> Result<(), SharedError> {
        let name = self.name.clone();
        let before = clock_micros();
        let row = self.read_call(LIMIT, move |session| {
            session.run(async |client| client.query_typed_one(HELLO, &[(&name, Type::TEXT)]).await)
        })?;
        let version: i32 = match value(&row, 5)? {
            Some(version) => version,
            None => return Err(SharedError::Refused(NO_LEDGERS.to_owned())),
        };
        if version > VERSION {
            return Err(SharedError::Refused(format!(
                "its format is {version}, and this program knows up to {VERSION}: update windlass"
            )));
        }
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
            self.read_call(LIMIT, move |session| {
                session.run(async |client| client.batch_execute(&settings).await)
            })?;
        }
        self.hello = Some(self.head_at(head));
        Ok(())
    }

    /// Computes the difference of the clocks from the answer to a request sent at `before`. We
    /// assume that the server read its clock halfway between.
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

    /// Runs a call that changes nothing.
    fn read_call<T: Send + 'static>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, SharedError> {
        self.worker.call(limit, work).map_err(|error| match error {
            CallError::Lost(why) => SharedError::Unreachable(why),
            CallError::Answer(error) => answer(&error, false),
        })
    }

    /// Asks for the batches after `after`. With `is_seizing`, also takes the ledger's lock.
    fn ask(&mut self, after: &Position, max: i64, is_seizing: bool) -> Result<Tail, SharedError> {
        let (name, position) = (self.name.clone(), after.clone());
        let before = clock_micros();
        let rows = self.read_call(LIMIT, move |session| {
            let at = at_of(&position);
            let (name, batch) = (&name, &position.batch);
            session.run(async |client| {
                let query = if is_seizing { SEIZE } else { READ };
                let values: [(&(dyn ToSql + Sync), Type); 4] = [
                    (name, Type::TEXT),
                    (&at, Type::INT8),
                    (batch, Type::TEXT),
                    (&max, Type::INT8),
                ];
                let asked = client.query_typed(query, &values);
                if !is_seizing {
                    return asked.await;
                }
                let (begun, rows) = tokio::join!(biased; client.batch_execute(BEGIN), asked);
                begun.and(rows)
            })
        })?;
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

/// Connects, trying again and again for several seconds.
fn connect_again(connection: &Connection) -> Result<Worker, SharedError> {
    let mut failure = None;
    let found = paused(AGAIN_LIMIT, AGAIN_TICK, || {
        match Worker::start(connection) {
            Ok(worker) => Ok(Some(worker)),
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

/// Returns the value of a column.
///
/// # Errors
/// Returns [`SharedError::Refused`] if it's null or of another type. The schema is then not that of
/// Windlass.
fn value<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, SharedError> {
    row.try_get(column)
        .map_err(|error| SharedError::Refused(format!("unexpected answer: {}", described(&error))))
}

fn at_of(position: &Position) -> i64 {
    i64::try_from(position.at).unwrap_or(i64::MAX)
}

/// Returns the error for an answer of the server. With `is_append`, the server may have ended after
/// the append took place.
fn answer(error: &Error, is_append: bool) -> SharedError {
    let code = error
        .code()
        .map(tokio_postgres::error::SqlState::code)
        .unwrap_or_default();
    let text = described(error);
    match &code[..code.len().min(2)] {
        // The schema, a table or a function is missing.
        "3F" | "42" if code != "42501" => SharedError::Refused(format!("{NO_LEDGERS} ({text})")),
        // The server ended a seizure's transaction, because the client was idle for too long.
        _ if code == "25P03" && is_append => SharedError::Unknown(text),
        _ if code == "25P03" => SharedError::Unreachable(text),
        // The server is shutting down, was interrupted, or rolled back for reasons of its own.
        "57" | "40" | "53" | "58" if is_append => SharedError::Unknown(text),
        "57" | "40" | "53" | "58" | "08" => SharedError::Unreachable(text),
        // This is a standby, and the primary is elsewhere.
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
        let (name, expected_at, sent) = (self.name.clone(), expected.clone(), batch.clone());
        let before = clock_micros();
        let is_seized = std::mem::take(&mut self.is_seized);
        let rows = self.worker.call(LIMIT, move |session| {
            let at = at_of(&expected_at);
            session.run(async |client| {
                let values: [(&(dyn ToSql + Sync), Type); 6] = [
                    (&name, Type::TEXT),
                    (&at, Type::INT8),
                    (&expected_at.batch, Type::TEXT),
                    (&sent.id, Type::TEXT),
                    (&sent.lines, Type::BYTEA),
                    (&RACE_TAIL, Type::INT8),
                ];
                let appended = client.query_typed(APPEND, &values);
                if !is_seized {
                    return appended.await;
                }
                let (rows, ended) = tokio::join!(biased; appended, client.batch_execute("commit"));
                ended.and(rows)
            })
        });
        let rows = rows.map_err(|error| match error {
            CallError::Lost(why) => SharedError::Unknown(why),
            CallError::Answer(error) => answer(&error, true),
        })?;
        // We can't read the answer, but the append may have taken place.
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
        self.is_seized = true;
        let max = i64::try_from(max_bytes.max(1)).unwrap_or(i64::MAX);
        self.ask(after, max, true).map(Some)
    }

    fn release(&mut self) -> Result<(), SharedError> {
        if !std::mem::take(&mut self.is_seized) {
            return Ok(());
        }
        self.read_call(LIMIT, |session| {
            session.run(async |client| client.batch_execute("rollback").await)
        })
    }

    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError> {
        if !self.is_listening {
            self.read_call(LIMIT, |session| {
                session.run(async |client| client.batch_execute("listen windlass").await)
            })?;
            self.is_listening = true;
        }
        // Ask after `listen`, so that no append falls in between.
        let head = self.ask(&Position::default(), 0, false)?.head;
        if head.position != *after {
            return Ok(head);
        }
        let start = format!("{} ", self.name);
        self.read_call(limit + LIMIT, move |session| {
            session.wait_for(&start, limit)
        })?;
        Ok(self.ask(&Position::default(), 0, false)?.head)
    }

    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        let rows = self.read_call(LIMIT, |session| {
            session.run(async |client| client.query_typed_one(SETTINGS, &[]).await)
        })?;
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

/// Returns the time on this machine's clock, in microseconds since the epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "the difference to the server's clock is taken between two moments of one call"
)]
fn clock_micros() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or(i64::MAX))
}
