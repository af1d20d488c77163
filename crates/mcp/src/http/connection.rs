//! Checks HTTP requests before they reach the implementation of the protocol.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;
use windlass_page::{Door, Refusal, whole_body};

use crate::Server;
use crate::message::{NO_JSON, NO_REQUEST, id_of, mistake, mistakes};
use crate::server_limits::{MAX_BODY, MAX_SESSIONS};

type Body = BoxBody<Bytes, Infallible>;

pub(super) struct Served {
    pub(super) service: StreamableHttpService<Server, LocalSessionManager>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) door: Door,
}

const PATH: &str = "/mcp";

impl Served {
    /// Checks everything about a request except its host name and origin, which the transport
    /// checks.
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

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if let Err(refusal) = self.admit(&request) {
            return refused(refusal);
        }
        let (head, body) = request.into_parts();
        let body = match whole_body(body, MAX_BODY).await {
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
            // Only clients that start with `initialize` get a session.
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

/// Turns a refusal by the transport, which is plain text, into a JSON-RPC error about the request
/// with `id`.
async fn as_mistake(answer: Response<Body>, id: Value) -> Response<Body> {
    let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
    let is_told = answer.headers().get(CONTENT_TYPE).is_some_and(is_json);
    if !answer.status().is_client_error() || is_told {
        return answer;
    }
    let (head, body) = answer.into_parts();
    // The transport has the whole body in memory, so we don't expect an error here.
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

fn refused(refusal: Refusal) -> Response<Body> {
    refused_for(refusal, &Value::Null)
}

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
