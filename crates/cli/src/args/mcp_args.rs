//! `mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::completion;

/// Where HTTP is served where nothing is said.
const USUAL_ADDRESS: &str = "127.0.0.1:4610";

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Offer nothing that changes something, and start no program.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve over HTTP instead, at `http://ADDR:PORT/mcp`; port 0 takes any that is free. Clients show a token: that of
    /// `WINDLASS_MCP_TOKEN` or `--token-file`, or one that is made and printed once, to standard error.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = USUAL_ADDRESS)]
    pub(crate) http: Option<SocketAddr>,
    /// The file whose first line is the token.
    #[arg(long, value_name = "FILE", requires = "http", add = completion::files())]
    pub(crate) token_file: Option<PathBuf>,
    /// A name that clients on other machines call the server by; may be repeated. Only with one is an address served that is
    /// not of this machine alone. Nothing is encrypted.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) public_host: Vec<String>,
}
