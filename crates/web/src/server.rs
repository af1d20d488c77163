use std::sync::Arc;

use tokio::net::TcpListener;
use windlass::Error;
use windlass::engine::{Stop, StopLevel};

use crate::app::{App, Settings};
use crate::live::Live;
use crate::routes::routes;

/// Serves a repository's pages on `listener` until `stop` is raised.
///
/// # Errors
/// Returns an error if the repository can't be opened, or if the listener fails.
pub async fn serve(mut settings: Settings, listener: TcpListener, stop: Stop) -> Result<(), Error> {
    let port = listener.local_addr().map_err(Error::internal)?.port();
    // A browser sends a host's cookies to all its ports. With the port in the name, two servers on
    // one host don't overwrite each other's cookies.
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
