//! `windlass mcp`: the tools an agent calls.

mod http;

use std::path::Path;
use std::sync::Arc;

use windlass::engine::Stop;
use windlass::{Environment, Error};
use windlass_mcp::{Scope, Server, Settings, serve_stdio};

use super::Failure;
use crate::args::McpArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// Serves whoever is at the other end of standard input and output, until they close it or the process is told to end; or
/// whoever comes over HTTP, until it is told so.
pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: &McpArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let scope = match root {
        Some(root) => Scope::Only(here().join(root)),
        None => Scope::From(here()),
    };
    let server = Server::new(Settings {
        scope,
        only_reading: args.read_only,
        actor: actor.map(str::to_owned),
        environment: without_token(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::internal(format!("the runtime cannot be started: {error}")))?;
    let stop = Stop::default();
    let served = runtime.block_on(async {
        let interrupts = Interrupts::listen(stop.clone())
            .map_err(|error| Error::internal(format!("interrupts cannot be heard: {error}")))?;
        let served = match args.http {
            Some(address) => http::serve(server, address, args, stop, screen).await,
            None => over_pipes(server, stop, screen).await,
        };
        interrupts.run_is_over();
        served
    });
    // The thread that reads standard input may wait for it still.
    runtime.shutdown_background();
    served.map(|()| Exit::Done)
}

/// The environment, without the token that lets clients in: no program that a call starts has a use for it.
fn without_token() -> Environment {
    let mut environment = environment();
    Arc::make_mut(&mut environment.variables).remove(http::TOKEN);
    environment
}

async fn over_pipes(server: Server, stop: Stop, screen: &Screen) -> Result<(), Failure> {
    if screen.is_watched() {
        screen.say(
            "an MCP client is expected on standard input; `windlass init --mcp CLIENT` sets one up",
        );
    }
    let served = serve_stdio(server, stop).await;
    served.map_err(|error| Failure::Usage(error.to_string()))
}
