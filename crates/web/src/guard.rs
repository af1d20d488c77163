//! Checks every request before computing a page, and adds security headers to every response.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{HeaderName, HeaderValue, LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use windlass_page::{Refusal, whole_body};

use crate::app::App;

/// Maximum size of a form, in bytes. Only the comment on a gate or one of its inputs can be long.
const MAX_FORM: usize = 64 << 10;

/// Content policy of all pages. They only use content from this server, so injected markup couldn't
/// load or run anything else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
];

/// Passes on the requests admitted by the door. A browser sends the token in the address once, and
/// from then on in a cookie.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&app, &request) {
        Ok(None) => match with_whole_body(request).await {
            Ok(request) => next.run(request).await,
            Err(refusal) => refused(refusal),
        },
        Ok(Some(entry)) => entry,
        Err(refusal) => refused(refusal),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

async fn with_whole_body(request: Request) -> Result<Request, Refusal> {
    let (head, body) = request.into_parts();
    let body = whole_body(body, MAX_FORM).await?;
    Ok(Request::from_parts(head, Body::from(body)))
}

fn admit(app: &App, request: &Request) -> Result<Option<Response>, Refusal> {
    let (door, headers) = (&app.settings.door, request.headers());
    door.check_form(request.uri(), headers)?;
    door.check_site(headers)?;
    if let Some(entry) = entry(app, request) {
        return Ok(Some(entry));
    }
    door.check_token(headers)?;
    Ok(None)
}

/// Sets the cookie of a browser whose address has a valid token.
///
/// We redirect to the same address without the token, which would otherwise stay in the address bar
/// and in the history. For any other request, this returns `None`.
fn entry(app: &App, request: &Request) -> Option<Response> {
    let query = request.uri().query()?;
    let shown = query.strip_prefix("token=")?;
    if request.method() != Method::GET || !app.settings.door.is_token(shown) {
        return None;
    }
    let name = app.settings.door.cookie()?;
    let cookie = format!("{name}={shown}; Path=/; HttpOnly; SameSite=Strict");
    let headers = [
        (SET_COOKIE, HeaderValue::from_str(&cookie).ok()?),
        (LOCATION, HeaderValue::from_str(request.uri().path()).ok()?),
    ];
    Some((StatusCode::SEE_OTHER, headers).into_response())
}

pub(crate) fn refused(refusal: Refusal) -> Response {
    let mut response = (refusal.status, format!("error: {}\n", refusal.why)).into_response();
    if refusal.status == StatusCode::UNAUTHORIZED {
        let bearer = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
    }
    response
}
