//! The MCP server (`windlass mcp`).

pub(super) mod http;

use std::path::Path;
use std::sync::Arc;

use windlass::Environment;
use windlass::engine::Stop;
use windlass_mcp::{Scope, Server, Settings, serve_stdio};

use super::command_context::interruptible;
use super::{Ended, Failure};
use crate::args::McpArgs;
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

/// Serves one client over standard input and output until it closes them, or over HTTP any number
/// of clients until the process is told to end.
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

/// The environment without the server's token. Child processes don't need it.
fn without_token() -> Environment {
    let mut environment = environment();
    Arc::make_mut(&mut environment.variables).remove(http::TOKEN);
    environment
}

async fn over_pipes(server: Server, stop: Stop, screen: &Screen) -> Result<(), Failure> {
    if screen.is_watched() {
        screen.say(
            "waiting for an MCP client on standard input; set one up with `windlass init --mcp CLIENT`",
        );
    }
    let served = serve_stdio(server, stop).await;
    served.map_err(|error| Failure::Usage(error.to_string()))
}
