//! Serves a process's metrics to Prometheus, at one address.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{Router, get};
use http::header::CONTENT_TYPE;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use windlass_page::{Connections, Door};

use crate::guard::refused;

const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Collects the current metrics and formats them in Prometheus' text format.
pub type MetricsText = Arc<dyn Fn() -> String + Send + Sync>;

/// Serves `text` at `/metrics`, until the future is dropped. `door` checks the requests, without
/// requiring a token.
pub async fn serve_metrics(listener: TcpListener, door: Door, text: MetricsText) {
    let answering = TowerToHyperService::new(routes(door, text));
    Connections::accept(listener, answering, std::future::pending()).await;
}

fn routes(door: Door, text: MetricsText) -> Router {
    let page = get(move || async move { ([(CONTENT_TYPE, TEXT_FORMAT)], text()) });
    let admission = axum::middleware::from_fn_with_state(Arc::new(door), admit);
    Router::new().route("/metrics", page).layer(admission)
}

async fn admit(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let checked = door
        .check_form(request.uri(), headers)
        .and_then(|()| door.check_site(headers));
    match checked {
        Ok(()) => next.run(request).await.into_response(),
        Err(refusal) => refused(refusal),
    }
}
