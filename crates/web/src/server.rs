use std::sync::Arc;

use tokio::net::TcpListener;
use windlass::Error;
use windlass::engine::{Stop, StopLevel};

use crate::app::{App, Settings};
use crate::live::Live;
use crate::routes::routes;

/// Serves the pages of a repository to clients of `listener`, until `stop` is raised.
///
/// # Errors
/// If the repository cannot be opened, or the listener fails.
pub async fn serve(settings: Settings, listener: TcpListener, stop: Stop) -> Result<(), Error> {
    let live = Live::new();
    let folders = (settings.open)()?.stored_data()?;
    let app = Arc::new(App::new(settings, live.clone(), stop.clone())?);
    let watching = tokio::spawn(live.watch(folders));
    let served = axum::serve(listener, routes(app))
        .with_graceful_shutdown(async move {
            stop.beyond(StopLevel::None).await;
        })
        .await;
    watching.abort();
    served.map_err(|error| Error::internal(format!("the server ended: {error}")))
}
