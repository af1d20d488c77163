//! The address and the token of the HTTP server.

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

pub(super) const TOKEN: &str = "WINDLASS_MCP_TOKEN";

const TOKEN_BYTES: usize = 32;

pub(super) async fn serve(
    server: Server,
    address: SocketAddr,
    args: &McpArgs,
    stop: Stop,
    screen: &Screen,
) -> Result<(), Failure> {
    // There's always a token, but it would be sent unencrypted. So the user has to confirm that
    // other machines may connect.
    if !address.ip().is_loopback() && args.public_host.is_empty() {
        return Err(Failure::Usage(format!(
            "`{address}` is reachable from other machines: serve `127.0.0.1:{}`, or allow it with `--public-host NAME` (traffic is \
             not encrypted)",
            address.port()
        )));
    }
    let (token, generated) = match given_token(args.token_file.as_deref(), TOKEN)? {
        Some((given, _)) => (given, None),
        None => generated()?,
    };
    let door = args
        .public_host
        .iter()
        .fold(Door::new(Some(token)), |door, host| door.with_host(host));
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::Usage(format!("cannot serve `{address}`: {error}")))?;
    let address = listener.local_addr().unwrap_or(address);
    screen.complain(&format!("serving http://{address}/mcp"));
    if let Some(generated) = generated {
        // The token is secret and we don't store it, so this is the only time we show it.
        screen.complain_styled(&format!("Authorization: Bearer {generated}"));
    }
    serve_http(server, listener, door, stop).await;
    Ok(())
}

/// The token that the user gives: the first line of `file`, or the value of `variable`.
pub(in crate::commands) fn given_token(
    file: Option<&Path>,
    variable: &str,
) -> Result<Option<(Token, String)>, Failure> {
    let (text, source) = match (file, std::env::var_os(variable)) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|error| {
                Failure::Usage(format!("`--token-file {}`: {error}", file.display()))
            })?;
            let first = text.lines().next().unwrap_or_default().trim().to_owned();
            (first, "the first line of the file")
        }
        (None, Some(text)) if !text.is_empty() => (text.to_string_lossy().into_owned(), variable),
        (None, _) => return Ok(None),
    };
    let token = Token::new(&text);
    let token =
        token.map_err(|error| Failure::Usage(format!("{source} is not a token: {error}")))?;
    Ok(Some((token, text)))
}

/// Generates a random token, and returns its text as well, since that is what the user has to give
/// to clients.
fn generated() -> Result<(Token, Option<String>), Failure> {
    let mut random = [0; TOKEN_BYTES];
    let internal = |error: &dyn std::fmt::Display| {
        Error::internal(format!("cannot generate a token: {error}; set {TOKEN}"))
    };
    getrandom::fill(&mut random).map_err(|error| internal(&error))?;
    let text = random.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let token = Token::new(&text).map_err(|error| internal(&error))?;
    Ok((token, Some(text)))
}
