//! Connections of a local server, with limits so that no client can block it.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::door::Refusal;

/// Maximum number of connections. Further clients wait until one of them ends.
const MAX_CONNECTIONS: usize = 512;

/// Maximum size of a request's head, in bytes. We answer a larger one with the status 431.
const MAX_HEAD: usize = 32 << 10;

/// Time for the head of a request, including the next one on an open connection. [`TO_SEND`] is the
/// time for the body. Both are short, because even a client without a token occupies a connection.
const TO_ASK: Duration = Duration::from_secs(10);
const TO_SEND: Duration = Duration::from_secs(30);

/// Time for sending finished answers when the server ends.
const TO_FLUSH: Duration = Duration::from_secs(1);

/// Delay before accepting connections again after a failure. If that was due to too many open
/// files, an immediate attempt would just fail again.
const TO_TRY_AGAIN: Duration = Duration::from_millis(50);

/// The open connections of a server. Dropping this closes them. To keep clients from blocking the
/// server, the number of connections is limited, and so are the size of a request's head and the
/// time for it.
#[derive(Debug)]
pub struct Connections(JoinSet<()>);

impl Connections {
    /// Accepts the clients of `listener` and lets `service` answer their requests. Once `stopped`
    /// completes, each connection ends after the answer in progress. Excess clients wait in the
    /// operating system's queue.
    pub async fn accept<S, B>(
        listener: TcpListener,
        service: S,
        stopped: impl Future<Output = ()>,
    ) -> Self
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
        S: Clone + Send + 'static,
        S::Future: Send,
        B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let (_open, is_open) = watch::channel(());
        let mut tasks = JoinSet::new();
        let mut stopped = std::pin::pin!(stopped);
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            };
            tokio::select! {
                // This also drops `_open`, which makes each connection end after its present
                // answer.
                () = stopped.as_mut() => return Self(tasks),
                // Just clear away a connection that has ended.
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                (place, accepted) = next => match accepted {
                    Ok((stream, _)) => {
                        // Answers are small and the client is waiting for them, so don't wait for
                        // more data.
                        let _ = stream.set_nodelay(true);
                        let serving = serve(stream, service.clone(), is_open.clone());
                        tasks.spawn(async move {
                            serving.await;
                            drop(place);
                        });
                    }
                    // The client disconnected at once, or the process has too many open files. In
                    // the latter case, we have to wait until connections end.
                    Err(_) => tokio::time::sleep(TO_TRY_AGAIN).await,
                },
            }
        }
    }

    /// Waits up to a second for sending answers, and closes all connections. Otherwise, dropping
    /// them would cut off answers.
    pub async fn flush(mut self) {
        let all_gone = async { while self.0.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(TO_FLUSH, all_gone).await;
    }
}

/// Answers requests from `stream` until the client disconnects, or until `is_open` has lost its
/// sender.
async fn serve<S, B>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    service: S,
    mut is_open: watch::Receiver<()>,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TO_ASK)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    // Ignore the result, because a client that drops the connection doesn't need an answer.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = is_open.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

/// Reads the body of a request, of at most `max` bytes and within 30 seconds.
///
/// # Errors
/// Returns the refusal to answer with.
pub async fn whole_body<B>(body: B, max: usize) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    match tokio::time::timeout(TO_SEND, Limited::new(body, max).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            why: "the message is too large",
        }),
        Ok(Err(_)) => Err(Refusal {
            status: StatusCode::BAD_REQUEST,
            why: "the message is incomplete",
        }),
        Err(_) => Err(Refusal {
            status: StatusCode::REQUEST_TIMEOUT,
            why: "the message took too long to arrive",
        }),
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{Empty, StreamBody};
    use hyper::service::service_fn;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Answers the client that sent `sent`. Also returns the time until the server disconnects.
    async fn answer(sent: &str) -> (String, Duration) {
        let service =
            service_fn(async |_| Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())));
        let (mut client, stream) = tokio::io::duplex(1 << 16);
        let (_open, is_open) = watch::channel(());
        let start = tokio::time::Instant::now();
        let client = async {
            client.write_all(sent.as_bytes()).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let (answer, ()) = tokio::join!(client, serve(stream, service, is_open));
        (answer, start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn client_with_a_slow_head_is_dropped() {
        let (_, time) = answer("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await;
        assert_eq!(time.as_secs(), TO_ASK.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn client_without_a_next_request_is_dropped() {
        let (answer, time) = answer("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(time.as_secs(), TO_ASK.as_secs());
    }

    #[tokio::test]
    async fn large_head_is_refused() {
        let head = "X: 1234567890\r\n".repeat(MAX_HEAD / 10);
        let (answer, _) = answer(&format!("GET / HTTP/1.1\r\n{head}")).await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_or_large_body_is_refused() {
        let slow = StreamBody::new(futures_util::stream::pending::<
            Result<hyper::body::Frame<Bytes>, Infallible>,
        >());
        let refused = whole_body(slow, 10).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::REQUEST_TIMEOUT);
        let large = http_body_util::Full::new(Bytes::from_static(b"12345678901"));
        let refused = whole_body(large, 10).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
    }
}
