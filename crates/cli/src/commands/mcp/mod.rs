//! `windlass mcp`: the tools an agent calls.

mod http;

use std::path::Path;
use std::sync::Arc;

use windlass::Environment;
use windlass::engine::Stop;
use windlass_mcp::{Scope, Server, Settings, serve_stdio};

use super::desk::interruptible;
use super::{Ended, Failure};
use crate::args::McpArgs;
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// Serves whoever is at the other end of standard input and output, until they close it or the process is told to end; or
/// whoever comes over HTTP, until it is told so.
pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: &McpArgs,
    screen: &Screen,
) -> Ended {
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
    let served = interruptible(async |stop| {
        Ok(match args.http {
            Some(address) => http::serve(server, address, args, stop, screen).await,
            None => over_pipes(server, stop, screen).await,
        })
    });
    served?.map(|()| Exit::Done)
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
