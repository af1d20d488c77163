//! `windlass mcp`: the tools an agent calls.

use std::path::Path;

use windlass::Error;
use windlass::engine::Stop;
use windlass_mcp::{Scope, Server, Settings, serve_stdio};

use super::Failure;
use crate::args::McpArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// Serves whoever is at the other end of standard input and output, until they close it or the process is told to end.
pub(crate) fn run(root: Option<&Path>, args: &McpArgs, screen: &Screen) -> Result<Exit, Failure> {
    let scope = match root {
        Some(root) => Scope::Only(here().join(root)),
        None => Scope::From(here()),
    };
    if screen.is_watched() {
        screen.say(
            "an MCP client is expected on standard input; `windlass init --mcp CLIENT` sets one up",
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Internal(format!("the runtime cannot be started: {error}")))?;
    let server = Server::new(Settings {
        scope,
        only_reading: args.read_only,
        environment: environment(),
    });
    let stop = Stop::default();
    let served = runtime.block_on(async {
        let interrupts = Interrupts::listen(stop.clone())
            .map_err(|error| Error::Internal(format!("interrupts cannot be heard: {error}")))?;
        let served = serve_stdio(server, stop).await;
        interrupts.run_is_over();
        Ok::<_, Failure>(served)
    });
    // The thread that reads standard input may wait for it still.
    runtime.shutdown_background();
    served?.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Exit::Done)
}
