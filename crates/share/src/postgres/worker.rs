//! Thread that owns a connection. The client blocks on a runtime of its own, which it may not do on a thread of another
//! runtime; and a call that hangs must not hang its caller.

use std::fmt;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use postgres::Client;
use windlass_ledger::SharedError;

use super::connection::{Connection, described};

/// Maximum time for all hosts of a URL to refuse.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

type Job = Box<dyn FnOnce(&mut Client) + Send>;

/// Thread with a connection; it ends with this value.
pub(super) struct Worker {
    jobs: Sender<Job>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Worker")
    }
}

/// Failure of a call.
#[derive(Debug)]
pub(super) enum CallError {
    /// The server answered with an error.
    Answer(postgres::Error),
    /// There was no answer.
    Lost(String),
}

impl Worker {
    /// Connects.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or refuses the user.
    pub(super) fn start(connection: &Connection) -> Result<Self, SharedError> {
        let connection = connection.clone();
        let (jobs, work) = channel::<Job>();
        let (connected, result) = channel();
        std::thread::spawn(move || {
            let mut client = match connection.connect() {
                Ok(client) => client,
                Err(error) => {
                    // The caller may have given up.
                    let _ = connected.send(Err(refusal(&error)));
                    return;
                }
            };
            if connected.send(Ok(())).is_err() {
                return;
            }
            while let Ok(job) = work.recv() {
                job(&mut client);
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
    /// Returns an error if the server answers with one, or does not answer within `limit`.
    pub(super) fn call<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&mut Client) -> Result<T, postgres::Error> + Send + 'static,
    ) -> Result<T, CallError> {
        let (done, result) = channel();
        let job: Job = Box::new(move |client| {
            // The caller may have given up.
            let _ = done.send(work(client));
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

/// Returns the error for a failure to connect.
fn refusal(error: &postgres::Error) -> SharedError {
    let code = error
        .code()
        .map(postgres::error::SqlState::code)
        .unwrap_or_default();
    let text = described(error);
    // Wrong password, unknown user or database: no later try will succeed.
    match code.starts_with("28") || code.starts_with("3D") || text.contains("password missing") {
        true => SharedError::Refused(text),
        false => SharedError::Unreachable(text),
    }
}
