//! Serving over HTTP: where, and to whom.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use tokio::net::TcpListener;
use windlass::Error;
use windlass::engine::Stop;
use windlass_mcp::{Door, Server, Token, serve_http};

use super::Failure;
use crate::args::McpArgs;
use crate::screen::Screen;

/// The variable with the token.
pub(super) const TOKEN: &str = "WINDLASS_MCP_TOKEN";

/// How many bytes of chance a token is made of.
const CHANCE: usize = 32;

pub(super) async fn serve(
    server: Server,
    address: SocketAddr,
    args: &McpArgs,
    stop: Stop,
    screen: &Screen,
) -> Result<(), Failure> {
    if !address.ip().is_loopback() && args.public_host.is_empty() {
        return Err(Failure::Usage(format!(
            "`{address}` can be reached from other machines: serve `127.0.0.1:{}`, or name the server with `--public-host` if that is \
             meant (nothing is encrypted)",
            address.port()
        )));
    }
    let (token, made) = match given(args.token_file.as_deref())? {
        Some(given) => (given, None),
        None => made()?,
    };
    let door = args
        .public_host
        .iter()
        .fold(Door::new(token), |door, host| door.with_host(host));
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::Usage(format!("`{address}` cannot be served: {error}")))?;
    let address = listener.local_addr().unwrap_or(address);
    screen.complain(&format!("serving http://{address}/mcp"));
    if let Some(made) = made {
        // It is a secret, and meant to be seen this once.
        screen.complain_styled(&format!("Authorization: Bearer {made}"));
    }
    serve_http(server, listener, door, stop).await;
    Ok(())
}

/// The token that the user gave.
fn given(file: Option<&Path>) -> Result<Option<Token>, Failure> {
    let (text, whence) = match (file, std::env::var_os(TOKEN)) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|error| {
                Failure::Usage(format!("`--token-file {}`: {error}", file.display()))
            })?;
            let first = text.lines().next().unwrap_or_default().trim().to_owned();
            (first, "the first line of the file")
        }
        (None, Some(text)) if !text.is_empty() => (text.to_string_lossy().into_owned(), TOKEN),
        (None, _) => return Ok(None),
    };
    let token = Token::new(&text);
    let token = token.map_err(|error| Failure::Usage(format!("{whence} is no token: {error}")))?;
    Ok(Some(token))
}

/// A token that nobody can guess, and its text.
fn made() -> Result<(Token, Option<String>), Failure> {
    let mut chance = [0; CHANCE];
    let internal = |error: &dyn std::fmt::Display| {
        Error::internal(format!("no token can be made: {error}; set {TOKEN}"))
    };
    getrandom::fill(&mut chance).map_err(|error| internal(&error))?;
    let text = chance.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let token = Token::new(&text).map_err(|error| internal(&error))?;
    Ok((token, Some(text)))
}
