//! A thread that owns a connection.
//!
//! The client blocks on a runtime of its own, which it may not do on a thread of another runtime.
//! Besides, a hanging call must not hang its caller.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::{AsyncMessage, Client, Error};
use windlass_ledger::SharedError;

use super::connection::{Connection, Messages, described};

/// Maximum time for all hosts of a URL to refuse.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// An open connection with the runtime that drives it.
pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    messages: Messages,
    /// Payloads of notifications that have arrived but weren't asked for yet.
    notifications: VecDeque<String>,
}

impl Session {
    /// Runs `work`. Requests whose futures are polled together travel in one round trip.
    ///
    /// # Errors
    /// Returns the error of `work`, or the reason why the connection ended.
    pub(super) fn run<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (messages, notifications) = (&mut self.messages, &mut self.notifications);
        let client = &mut self.client;
        self.runtime.block_on(async {
            let mut work = pin!(work(client));
            poll_fn(|context| match receive(messages, notifications, context) {
                Ok(_) => work.as_mut().poll(context),
                Err(error) => Poll::Ready(Err(error)),
            })
            .await
        })
    }

    /// Waits until a notification starting with `start` arrives, the connection ends, or `limit`
    /// has passed.
    ///
    /// # Errors
    /// Returns the reason why the connection ended.
    pub(super) fn wait_for(&mut self, start: &str, limit: Duration) -> Result<(), Error> {
        let (messages, notifications) = (&mut self.messages, &mut self.notifications);
        self.runtime.block_on(async {
            let mut limit = pin!(tokio::time::sleep(limit));
            poll_fn(|context| {
                let is_open = match receive(messages, notifications, context) {
                    Ok(is_open) => is_open,
                    Err(error) => return Poll::Ready(Err(error)),
                };
                let is_there = notifications.drain(..).any(|text| text.starts_with(start));
                match is_there || !is_open || limit.as_mut().poll(context).is_ready() {
                    true => Poll::Ready(Ok(())),
                    false => Poll::Pending,
                }
            })
            .await
        })
    }
}

/// Handles everything that has arrived. Returns false if the connection has ended.
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

/// A thread with a connection, which ends when this value is dropped.
pub(super) struct Worker {
    jobs: Sender<Job>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Worker")
    }
}

#[derive(Debug)]
pub(super) enum CallError {
    /// The server answered with an error.
    Answer(Error),
    /// There was no answer.
    Lost(String),
}

impl Worker {
    /// Connects on a new thread.
    ///
    /// # Errors
    /// Returns an error if the server can't be reached or refuses the user.
    pub(super) fn start(connection: &Connection) -> Result<Self, SharedError> {
        let connection = connection.clone();
        let (jobs, work) = channel::<Job>();
        let (connected, result) = channel();
        std::thread::spawn(move || {
            let mut session = match open(&connection) {
                Ok(session) => session,
                Err(error) => {
                    // The caller may have given up.
                    let _ = connected.send(Err(error));
                    return;
                }
            };
            if connected.send(Ok(())).is_err() {
                return;
            }
            while let Ok(job) = work.recv() {
                job(&mut session);
            }
        });
        match result.recv_timeout(CONNECT_LIMIT) {
            Ok(Ok(())) => Ok(Self { jobs }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(SharedError::Unreachable(
                "no answer to the connection".to_owned(),
            )),
        }
    }

    /// Runs `work` on the connection.
    ///
    /// # Errors
    /// Returns an error if the server answers with one, or doesn't answer within `limit`.
    pub(super) fn call<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, CallError> {
        let (done, result) = channel();
        let job: Job = Box::new(move |session| {
            // The caller may have given up.
            let _ = done.send(work(session));
        });
        let lost = || CallError::Lost("the connection was lost".to_owned());
        self.jobs.send(job).map_err(|_| lost())?;
        match result.recv_timeout(limit) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) if error.as_db_error().is_some() => Err(CallError::Answer(error)),
            Ok(Err(error)) => Err(CallError::Lost(described(&error))),
            Err(RecvTimeoutError::Disconnected) => Err(lost()),
            Err(RecvTimeoutError::Timeout) => Err(CallError::Lost(format!(
                "no answer within {} s",
                limit.as_secs()
            ))),
        }
    }
}

fn open(connection: &Connection) -> Result<Session, SharedError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build();
    let runtime = runtime.map_err(|error| SharedError::Unreachable(error.to_string()))?;
    let connected = runtime.block_on(connection.connect());
    let (client, messages) = connected.map_err(|error| refusal(&error))?;
    Ok(Session {
        runtime,
        client,
        messages,
        notifications: VecDeque::new(),
    })
}

/// Returns the error for a failed connection.
fn refusal(error: &Error) -> SharedError {
    let code = error
        .code()
        .map(tokio_postgres::error::SqlState::code)
        .unwrap_or_default();
    let text = described(error);
    // The password is wrong, or the user or database is unknown, so there's no use in trying again.
    match code.starts_with("28") || code.starts_with("3D") || text.contains("password missing") {
        true => SharedError::Refused(text),
        false => SharedError::Unreachable(text),
    }
}
