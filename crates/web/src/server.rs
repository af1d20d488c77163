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
pub async fn serve(mut settings: Settings, listener: TcpListener, stop: Stop) -> Result<(), Error> {
    let port = listener.local_addr().map_err(Error::internal)?.port();
    // Cookies of a host are sent to all its ports: servers on one host must not replace the cookies of each other.
    settings.door = settings.door.with_cookie(format!("windlass-{port}"));
    let live = Live::new();
    let folders = (settings.open)()?.stored_data()?;
    let app = Arc::new(App::new(settings, live, stop.clone())?);
    let watching = tokio::spawn(app.live.watch(folders));
    let served = axum::serve(listener, routes(app))
        .with_graceful_shutdown(async move {
            stop.beyond(StopLevel::None).await;
        })
        .await;
    watching.abort();
    served.map_err(|error| Error::internal(format!("the server ended: {error}")))
}
