//! The stream of changes for an open page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use tokio::sync::broadcast::error::RecvError;
use windlass::engine::StopLevel;

use crate::app::App;

/// Interval of empty messages, without which we would not notice that a page was closed.
const STILL_THERE: Duration = Duration::from_secs(30);

/// Streams the kinds of changed data, until the page is closed or the server stops.
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let start = (app.live.reports(), app.stop.clone());
    let events = futures_util::stream::unfold(start, |(mut reports, stop)| async move {
        let report = tokio::select! {
            _ = stop.beyond(StopLevel::None) => return None,
            report = reports.recv() => report,
        };
        let words = match report {
            Ok(changed) => {
                let kinds: Vec<&str> = changed.iter().map(|kind| kind.as_str()).collect();
                kinds.join(" ")
            }
            // Reports to this slow page have been dropped. The page has to assume that everything
            // changed.
            Err(RecvError::Lagged(_)) => "all".to_owned(),
            Err(RecvError::Closed) => return None,
        };
        let event = Event::default().event("change").data(words);
        Some((Ok(event), (reports, stop)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(STILL_THERE))
}
