//! One connection: requests are looked at before the protocol sees them.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpStream;
use windlass::engine::{Stop, StopLevel};

use super::door::{Door, Refusal};
use crate::Server;
use crate::limits::{MAX_BODY, MAX_HEAD, MAX_SESSIONS, TO_ASK, TO_SEND};

type Body = BoxBody<Bytes, Infallible>;

/// What all connections share.
pub(super) struct Served {
    pub(super) service: StreamableHttpService<Server, LocalSessionManager>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) door: Door,
}

/// Answers who is at the other end of `stream`, until they leave or `stop` is raised.
pub(super) async fn serve_connection(stream: TcpStream, served: Arc<Served>, stop: Stop) {
    // Answers are small, and waited for.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let served = Arc::clone(&served);
        async move { Ok::<_, Infallible>(served.answer(request).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TO_ASK)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    // Whoever breaks a connection off knows of it.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = stop.beyond(StopLevel::None) => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

impl Served {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if let Err(refusal) = self.door.check(request.uri().path(), request.headers()) {
            return refused(refusal);
        }
        let (head, body) = request.into_parts();
        let body = match whole(body).await {
            Ok(body) => body,
            Err(refusal) => return refused(refusal),
        };
        if head.method == Method::POST {
            let Ok(said) = serde_json::from_slice::<Said>(&body) else {
                return not_json();
            };
            if said.begins_session() && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
                return refused(Refusal {
                    status: StatusCode::SERVICE_UNAVAILABLE,
                    why: "too many sessions are open; end those that are not needed with DELETE",
                });
            }
        }
        let request = Request::from_parts(head, Full::new(body));
        self.service.handle(request).await
    }
}

/// What of a message has to be known here. A message that is no object is one that the protocol refuses.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Message { method: Option<String> },
    Other(serde::de::IgnoredAny),
}

impl Said {
    fn begins_session(&self) -> bool {
        matches!(self, Self::Message { method: Some(method) } if method == "initialize")
    }
}

/// All of a body.
async fn whole(body: Incoming) -> Result<Bytes, Refusal> {
    let collected = tokio::time::timeout(TO_SEND, Limited::new(body, MAX_BODY).collect()).await;
    match collected {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            why: "the message is larger than 4 MiB",
        }),
        Ok(Err(_)) => Err(Refusal {
            status: StatusCode::BAD_REQUEST,
            why: "the message did not arrive as a whole",
        }),
        Err(_) => Err(Refusal {
            status: StatusCode::REQUEST_TIMEOUT,
            why: "the message took too long to arrive",
        }),
    }
}

fn refused(refusal: Refusal) -> Response<Body> {
    let mut response = Response::new(text(refusal.why.to_owned()));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    match refusal.status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("60"));
        }
        _ => {}
    }
    response
}

/// What is no JSON is told so as JSON-RPC has it.
fn not_json() -> Response<Body> {
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "the message is no JSON" } });
    let mut response = Response::new(text(error.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

fn text(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed()
}
