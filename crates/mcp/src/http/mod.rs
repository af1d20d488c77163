//! HTTP server: the streamable transport of the protocol, on a socket opened by the caller.
//!
//! Clients of 2025-11-25 have sessions, so that they can cancel requests; those of 2026-07-28 need none. Both
//! are answered with JSON, unless there is progress to report.
//!
//! A request needs a token, of which only the digest is stored, and a host name of the server, so that web
//! pages of others cannot reach it ([`Door`]). The size, time, connections and sessions of requests are limited
//! before the protocol handles them.

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

/// Serves clients of `listener` that pass the `door`, until `stop` is raised: then calls are stopped, and finished
/// answers are still sent.
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
            // Further clients wait in the queue of the operating system.
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
                // It was gone at once, or too many files are open.
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
