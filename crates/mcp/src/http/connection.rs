//! A single connection. Requests are checked before they reach the protocol's implementation.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;
use tokio::net::TcpStream;
use windlass::engine::{Stop, StopLevel};
use windlass_page::{Door, Refusal};

use crate::Server;
use crate::message::{NO_JSON, NO_REQUEST, id_of, mistake, mistakes};
use crate::server_limits::{MAX_BODY, MAX_HEAD, MAX_SESSIONS, TO_ASK, TO_SEND};

type Body = BoxBody<Bytes, Infallible>;

/// State shared by all connections.
pub(super) struct Served {
    pub(super) service: StreamableHttpService<Server, LocalSessionManager>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) door: Door,
}

/// Answers requests from `stream` until the client disconnects or `stop` is raised.
pub(super) async fn serve_connection(stream: TcpStream, served: Arc<Served>, stop: Stop) {
    // Answers are small and the client is waiting for them, so don't collect them into larger
    // packets.
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
    // There's no need to answer a client that drops the connection.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = stop.beyond(StopLevel::None) => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

/// The server's only path.
const PATH: &str = "/mcp";

impl Served {
    /// Checks everything about a request except its host name and origin. The transport checks
    /// those.
    fn admit(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        self.door.check_form(request.uri(), request.headers())?;
        if request.uri().path() != PATH {
            return Err(Refusal {
                status: StatusCode::NOT_FOUND,
                why: "the server is at /mcp",
            });
        }
        self.door.check_token(request.headers())
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if let Err(refusal) = self.admit(&request) {
            return refused(refusal);
        }
        let (head, body) = request.into_parts();
        let body = match whole(body).await {
            Ok(body) => body,
            Err(refusal) => return refused(refusal),
        };
        let mut id = Value::Null;
        if head.method == Method::POST {
            let Ok(said) = serde_json::from_slice::<Value>(&body) else {
                let mistake = mistake(&Value::Null, NO_JSON, "the message is not JSON");
                return error_response(StatusCode::BAD_REQUEST, &mistake);
            };
            let mut mistakes = mistakes(&said);
            if let Some(first) = mistakes.pop() {
                let all = match mistakes.is_empty() {
                    true => first,
                    false => {
                        mistakes.push(first);
                        Value::Array(mistakes)
                    }
                };
                return error_response(StatusCode::BAD_REQUEST, &all);
            }
            id = id_of(&said);
            let begins_session = said.get("method").and_then(Value::as_str) == Some("initialize");
            if begins_session && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
                let refusal = Refusal {
                    status: StatusCode::SERVICE_UNAVAILABLE,
                    why: "too many open sessions; end unused ones with DELETE",
                };
                return refused_for(refusal, &id);
            }
        }
        let method = head.method.clone();
        let request = Request::from_parts(head, Full::new(body));
        let answer = self.service.handle(request).await;
        match method {
            Method::POST => as_mistake(answer, id).await,
            _ => answer,
        }
    }
}

/// Converts the transport's plain-text refusals into JSON-RPC errors about the request with `id`.
async fn as_mistake(answer: Response<Body>, id: Value) -> Response<Body> {
    let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
    let is_told = answer.headers().get(CONTENT_TYPE).is_some_and(is_json);
    if !answer.status().is_client_error() || is_told {
        return answer;
    }
    let (head, body) = answer.into_parts();
    // The body is already in memory, so collecting it cannot fail.
    let Ok(body) = body.collect().await;
    let why = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let mut response = error_response(head.status, &mistake(&id, NO_REQUEST, why.trim()));
    for (name, value) in &head.headers {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH {
            response.headers_mut().append(name, value.clone());
        }
    }
    response
}

/// Reads the whole body, within limits of size and time.
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
            why: "the message is incomplete",
        }),
        Err(_) => Err(Refusal {
            status: StatusCode::REQUEST_TIMEOUT,
            why: "the message took too long to arrive",
        }),
    }
}

/// Returns the response for a refusal before the message is parsed.
fn refused(refusal: Refusal) -> Response<Body> {
    refused_for(refusal, &Value::Null)
}

/// Returns the response for refusing the request with `id`.
fn refused_for(refusal: Refusal, id: &Value) -> Response<Body> {
    let mut response = error_response(refusal.status, &mistake(id, NO_REQUEST, refusal.why));
    let headers = response.headers_mut();
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

/// Returns a response with a JSON-RPC error.
fn error_response(status: StatusCode, error: &Value) -> Response<Body> {
    let mut response = Response::new(text(error.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

fn text(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed()
}
