//! `mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::completion;

/// Default address of the HTTP server.
const USUAL_ADDRESS: &str = "127.0.0.1:4610";

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Offer only tools that change nothing and start no programs.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve over HTTP instead, at `http://ADDR:PORT/mcp`; port 0 takes a free one. Clients authenticate with a token:
    /// from `WINDLASS_MCP_TOKEN` or `--token-file`, or one that is generated and printed once, to standard error.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = USUAL_ADDRESS)]
    pub(crate) http: Option<SocketAddr>,
    /// File whose first line is the token.
    #[arg(long, value_name = "FILE", requires = "http", add = completion::files())]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that clients on other machines use for the server; repeatable. Required to serve on a non-local
    /// address. Traffic is not encrypted.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) public_host: Vec<String>,
}
