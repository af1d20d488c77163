//! HTTP server: the protocol's streamable transport, on a socket opened by the caller.
//!
//! Clients of version 2025-11-25 have sessions, so that they can cancel requests. Version
//! 2026-07-28 needs none. Both get JSON answers unless there is progress to report.
//!
//! A request needs a token, of which we only store the digest. It also needs the host name of this
//! server, so that other people's web pages cannot reach it ([`Door`]). Limits on size, time,
//! connections and sessions apply before the protocol is involved.

mod connection;

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use windlass::engine::{Stop, StopLevel};

pub use windlass_page::{Door, Token, TokenError};

use self::connection::{Served, serve_connection};
use crate::Server;
use crate::server_limits::{MAX_BODY, MAX_CONNECTIONS, SESSION_LIFETIME, TO_FLUSH, TO_TRY_AGAIN};

/// Serves clients of `listener` that pass the `door`. Once `stop` is raised, running calls are
/// stopped, and answers already finished are still sent.
pub async fn serve_http(server: Server, listener: TcpListener, door: Door, stop: Stop) {
    let running = server.running().clone();
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_hosts(door.hosts())
        .with_allowed_origins(door.origins())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY);
    let ended = config.cancellation_token.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_LIFETIME);
    let sessions = Arc::new(sessions);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
    let served = Arc::new(Served {
        service,
        sessions,
        door,
    });
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // Clients beyond the maximum wait in the operating system's queue.
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            _ = stop.beyond(StopLevel::None) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            (place, accepted) = next => match accepted {
                Ok((stream, _)) => {
                    let serving = serve_connection(stream, Arc::clone(&served), stop.clone());
                    connections.spawn(async move {
                        serving.await;
                        drop(place);
                    });
                }
                // The client disconnected at once, or the process has too many open files. In the
                // latter case, we have to wait for connections to end.
                Err(_) => tokio::time::sleep(TO_TRY_AGAIN).await,
            },
        }
    }
    drop(listener);
    running.end().await;
    ended.cancel();
    let all_gone = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(TO_FLUSH, all_gone).await;
}
