use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{Router, get};
use http::{HeaderMap, StatusCode, Uri};

use crate::actions::{self, action};
use crate::app::App;
use crate::assets;
use crate::event_stream;
use crate::guard::guard;
use crate::reply::{Address, page, refusal};
use crate::views;

pub(crate) fn routes(app: Arc<App>) -> Router {
    Router::new()
        .route("/", page(views::now))
        .route("/runs", page(views::runs))
        .route("/runs/compare", page(views::compare))
        .route("/runs/{run}", page(views::run))
        .route("/runs/{run}/graph", page(views::run_graph))
        .route("/work", page(views::work))
        .route("/work/board", page(views::board))
        .route("/work/molecules/{molecule}", page(views::molecule))
        .route(
            "/work/molecules/{molecule}/graph",
            page(views::molecule_graph),
        )
        .route("/work/molecules/{molecule}/steps/{step}", page(views::step))
        .route("/work/beads", page(views::beads))
        .route("/work/beads/{bead}", page(views::bead))
        .route("/work/mail", page(views::mail))
        .route("/work/events", page(views::events))
        .route("/health", page(views::health))
        .route("/health/citations", page(views::citations))
        .route("/memory", page(views::memory))
        .route("/memory/packs", page(views::packs))
        .route("/memory/packs/{pack}", page(views::pack))
        .route("/zoo", page(views::zoo))
        .route("/actions/gate", action(actions::answer_gate))
        .route("/actions/release", action(actions::release))
        .route("/actions/feedback", action(actions::feedback))
        .route("/live", get(event_stream::stream))
        .route("/assets/style.css", get(assets::style))
        .route("/assets/windlass.js", get(assets::script))
        .route("/assets/icon.svg", get(assets::icon))
        .fallback(unknown)
        .layer(axum::middleware::from_fn_with_state(
            Arc::clone(&app),
            guard,
        ))
        .with_state(app)
}

async fn unknown(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Response {
    let address = Address::of(uri.path(), &headers);
    let message = format!("no page at `{}`", address.path);
    refusal(&app, &address, StatusCode::NOT_FOUND, &message, None)
}
