//! HTTP server: the protocol's streamable transport, on a socket that the caller has opened.
//!
//! Clients of version 2025-11-25 get a session, which they need for cancelling requests. Version
//! 2026-07-28 does without. Both get JSON answers, unless there is progress to report.
//!
//! A request needs a token, and it must be addressed to this server's host name. Otherwise, someone
//! else's web page could reach the server ([`Door`]). Limits on size, time, connections and
//! sessions apply before the protocol is involved.

mod connection;

use std::sync::Arc;

use hyper::service::service_fn;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use windlass::engine::{Stop, StopLevel};
use windlass_page::Connections;

pub use windlass_page::{Door, Token, TokenError};

use self::connection::Served;
use crate::Server;
use crate::server_limits::{MAX_BODY, SESSION_LIFETIME};

/// Serves the clients of `listener` that pass the `door`, until `stop` is raised. At that point, we
/// stop running calls, but still send answers that are finished.
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
    let answering = service_fn(move |request| {
        let served = Arc::clone(&served);
        async move { Ok(served.answer(request).await) }
    });
    let stopped = async {
        stop.beyond(StopLevel::None).await;
    };
    let connections = Connections::accept(listener, answering, stopped).await;
    // The order matters: end the calls so that their answers are complete, then the streams that
    // clients keep open, and give what's left a moment to be sent.
    running.end().await;
    ended.cancel();
    connections.flush().await;
}
