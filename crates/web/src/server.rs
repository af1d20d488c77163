use std::sync::Arc;

use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use windlass::Error;
use windlass::engine::{Stop, StopLevel};
use windlass_page::Connections;

use crate::app::{App, Settings};
use crate::live::Live;
use crate::routes::routes;

/// Serves a repository's pages on `listener` until `stop` is raised.
///
/// # Errors
/// Returns an error if opening the repository fails.
pub async fn serve(mut settings: Settings, listener: TcpListener, stop: Stop) -> Result<(), Error> {
    let port = listener.local_addr().map_err(Error::internal)?.port();
    // A browser sends the cookies of a host to all of its ports, so put the port in the name. If we
    // didn't, two servers on one host would overwrite each other's cookies.
    settings.door = settings.door.with_cookie(format!("windlass-{port}"));
    let live = Live::new();
    let folders = (settings.open)()?.stored_data()?;
    let app = Arc::new(App::new(settings, live, stop.clone())?);
    let watching = tokio::spawn(app.live.watch(folders));
    let stopped = async {
        stop.beyond(StopLevel::None).await;
    };
    let answering = TowerToHyperService::new(routes(app));
    let connections = Connections::accept(listener, answering, stopped).await;
    watching.abort();
    connections.flush().await;
    Ok(())
}
