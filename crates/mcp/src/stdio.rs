//! Serves one client over two pipes.

use rmcp::ServiceExt as _;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use windlass::engine::{Stop, StopLevel};

use crate::Server;
use crate::lines::Lines;
use crate::server_limits::TO_FLUSH;

/// Reasons why we stopped serving a client.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client's first message is not a handshake that we know.
    #[error(
        "unexpected first message: {0}; an MCP client begins with `initialize`, or sends requests of 2026-07-28"
    )]
    Began(#[from] Box<ServerInitializeError>),
    /// The task that serves the client was aborted.
    #[error("the server task was aborted: {0}")]
    BrokenOff(String),
}

/// Serves the client behind standard input and output until it closes them, or `stop` is raised.
///
/// # Errors
/// Returns an error if the client does not speak the protocol.
pub async fn serve_stdio(server: Server, stop: Stop) -> Result<(), ServeError> {
    let (input, output) = stdio_pipes();
    let running = server.running().clone();
    tokio::select! {
        served = serve(server, input, output) => served,
        _ = stop.beyond(StopLevel::None) => {
            running.end().await;
            Ok(())
        }
    }
}

/// Like [`serve_stdio`], but for any pipes: the client writes to `input` and reads from `output`.
///
/// # Errors
/// Returns an error if the client does not speak the protocol.
pub async fn serve<R, W>(server: Server, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let running = server.running().clone();
    let Lines {
        input,
        output,
        written,
    } = Lines::between(input, output);
    let served = serve_lines(server, input, output).await;
    running.end().await;
    // The client may not have read the last answers yet.
    let _ = tokio::time::timeout(TO_FLUSH, written).await;
    served
}

async fn serve_lines(
    server: Server,
    input: DuplexStream,
    output: DuplexStream,
) -> Result<(), ServeError> {
    let served = match server.of_one_client().serve((input, output)).await {
        // A client that connects and leaves without a message isn't worth an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
        Ok(service) => service.waiting().await,
    };
    match served {
        Ok(QuitReason::JoinError(error)) => Err(ServeError::BrokenOff(error.to_string())),
        Ok(_) => Ok(()),
        Err(error) => Err(ServeError::BrokenOff(error.to_string())),
    }
}
