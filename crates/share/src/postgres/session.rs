//! An open connection, and the runtime that drives it.
//!
//! The driver is asynchronous, and the rest of the ledger is not. So each session has a small
//! runtime of its own, which only runs while we wait for an answer.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::{Handle, Runtime};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Error, Row, Statement};
use windlass_ledger::SharedError;

use super::connection::{Connection, Messages, described};

/// Time limit for connecting, over all hosts in the URL. Each host has a limit of its own as well.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

pub(super) struct Session {
    /// The runtime, which is `None` once the session is being dropped.
    runtime: Option<Runtime>,
    client: Client,
    messages: Messages,
    /// Notifications that arrived while nobody was waiting for them.
    notifications: VecDeque<String>,
    /// The queries so far. We prepare a query when it is repeated.
    statements: BTreeMap<&'static str, Option<Statement>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

#[derive(Debug)]
pub(super) enum CallError {
    Answer(Error),
    /// There was no answer, so we do not know what the call did on the server.
    Lost(String),
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        match error.as_db_error() {
            Some(_) => Self::Answer(error),
            None => Self::Lost(described(&error)),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) before: &'a str,
    pub(super) query: &'static str,
    pub(super) parameters: &'a [Parameter<'a>],
    pub(super) after: &'a str,
}

impl Session {
    /// Connects to the server, see [`Connection::connect`].
    ///
    /// # Errors
    /// Returns an error if the server is unreachable or refuses the user.
    pub(super) fn open(connection: &Connection) -> Result<Self, SharedError> {
        let runtime = windlass_engine::current_thread_runtime();
        let runtime = runtime.map_err(|error| SharedError::Unreachable(error.to_string()))?;
        let connected = outside_runtimes(|| {
            runtime
                .block_on(async { tokio::time::timeout(CONNECT_LIMIT, connection.connect()).await })
        });
        let Ok(connected) = connected else {
            runtime.shutdown_background();
            let why = "no answer to the connection".to_owned();
            return Err(SharedError::Unreachable(why));
        };
        let (client, messages) = connected.map_err(|error| refusal(&error))?;
        Ok(Self {
            runtime: Some(runtime),
            client,
            messages,
            notifications: VecDeque::new(),
            statements: BTreeMap::new(),
        })
    }

    /// Runs `work` until it is done. If `work` polls several futures at once, their requests share
    /// a round trip.
    ///
    /// # Errors
    /// Returns an error if the server reports one, or does not answer within `limit`. Do not use
    /// the session after that.
    pub(super) fn run<T: Send>(
        &mut self,
        limit: Duration,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, Error> + Send,
    ) -> Result<T, CallError> {
        let (messages, notifications) = (&mut self.messages, &mut self.notifications);
        let client = &mut self.client;
        let Some(runtime) = &self.runtime else {
            return Err(CallError::Lost("the connection was closed".to_owned()));
        };
        let answered = outside_runtimes(|| {
            runtime.block_on(async {
                let mut work = pin!(work(client));
                // The connection only makes progress while it's polled, so poll it before `work`.
                let answer = poll_fn(|context| match receive(messages, notifications, context) {
                    Ok(_) => work.as_mut().poll(context),
                    Err(error) => Poll::Ready(Err(error)),
                });
                tokio::time::timeout(limit, answer).await
            })
        });
        match answered {
            Ok(answer) => Ok(answer?),
            Err(_) => {
                let seconds = limit.as_secs();
                Err(CallError::Lost(format!("no answer within {seconds} s")))
            }
        }
    }

    /// Runs a request and returns its rows. Fails in the cases of [`run`](Self::run).
    pub(super) fn rows(
        &mut self,
        limit: Duration,
        request: Request<'_>,
    ) -> Result<Vec<Row>, CallError> {
        let Request { query, .. } = request;
        // Preparing a query takes another round trip, which doesn't pay for a query that we run
        // only once.
        if let Some(None) = self.statements.get(query) {
            let types: Vec<Type> = request
                .parameters
                .iter()
                .map(|(_, kind)| kind.clone())
                .collect();
            let made = self.run(limit, async |client| {
                client.prepare_typed(query, &types).await
            })?;
            self.statements.insert(query, Some(made));
        }
        let statement = self.statements.entry(query).or_default().clone();
        self.run(limit, async |client| {
            let client = &*client;
            let asked = async {
                match &statement {
                    Some(statement) => {
                        let values: Vec<_> =
                            request.parameters.iter().map(|(value, _)| *value).collect();
                        client.query(statement, &values).await
                    }
                    None => client.query_typed(query, request.parameters).await,
                }
            };
            let send = async |sql: &str| match sql {
                "" => Ok(()),
                sql => client.batch_execute(sql).await,
            };
            // Polled in this order, the three are sent in this order too, without waiting for the
            // answers in between.
            let (before, rows, after) =
                tokio::join!(biased; send(request.before), asked, send(request.after));
            before?;
            after.and(rows)
        })
    }

    /// Waits for a notification with the prefix `start`, up to `limit`.
    ///
    /// # Errors
    /// Returns the reason if the connection has ended.
    pub(super) fn wait_for(&mut self, start: &str, limit: Duration) -> Result<(), CallError> {
        let (messages, notifications) = (&mut self.messages, &mut self.notifications);
        let Some(runtime) = &self.runtime else {
            return Err(CallError::Lost("the connection was closed".to_owned()));
        };
        let waited = outside_runtimes(|| {
            runtime.block_on(async {
                let mut limit = pin!(tokio::time::sleep(limit));
                poll_fn(|context| {
                    let is_open = match receive(messages, notifications, context) {
                        Ok(is_open) => is_open,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                    // Dropping the iterator removes the remaining notifications as well. One is
                    // enough, since the caller asks for the end of the log next.
                    let is_there = notifications.drain(..).any(|text| text.starts_with(start));
                    match is_there || !is_open || limit.as_mut().poll(context).is_ready() {
                        true => Poll::Ready(Ok(())),
                        false => Poll::Pending,
                    }
                })
                .await
            })
        });
        Ok(waited?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Shut down in the background. A look-up of a host may hang, and a runtime can't be dropped
        // inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs `work`, which may block on a runtime. Inside another runtime, that is only possible on a
/// separate thread.
fn outside_runtimes<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return work();
    }
    std::thread::scope(|threads| match threads.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Handles all messages received so far. Returns false if the connection has ended.
fn receive(
    messages: &mut Messages,
    notifications: &mut VecDeque<String>,
    context: &mut Context<'_>,
) -> Result<bool, Error> {
    loop {
        match messages(context) {
            Poll::Ready(Some(Ok(AsyncMessage::Notification(notification)))) => {
                notifications.push_back(notification.payload().to_owned());
            }
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => return Err(error),
            Poll::Ready(None) => return Ok(false),
            Poll::Pending => return Ok(true),
        }
    }
}

fn refusal(error: &Error) -> SharedError {
    let code = error
        .code()
        .map(tokio_postgres::error::SqlState::code)
        .unwrap_or_default();
    let text = described(error);
    // If the password is wrong, or there's no such user or database, trying again is useless.
    match code.starts_with("28") || code.starts_with("3D") || text.contains("password missing") {
        true => SharedError::Refused(text),
        false => SharedError::Unreachable(text),
    }
}
