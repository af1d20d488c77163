//! Arguments of the two servers, `windlass mcp` and `windlass web`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::completion;

/// Default address of the MCP server over HTTP.
const MCP_ADDRESS: &str = "127.0.0.1:4610";

/// Default address of the web pages.
const WEB_ADDRESS: &str = "127.0.0.1:4611";

/// Default form of links to an editor.
const USUAL_EDITOR: &str = "vscode://file/{path}:{line}";

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Offer only tools that change nothing and start no programs.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve over HTTP instead, at `http://ADDR:PORT/mcp`; port 0 takes a free one. Clients authenticate with a token:
    /// from `WINDLASS_MCP_TOKEN` or `--token-file`, or one that is generated and printed once, to standard error.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = MCP_ADDRESS)]
    pub(crate) http: Option<SocketAddr>,
    /// File whose first line is the token.
    #[arg(long, value_name = "FILE", requires = "http", add = completion::files())]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that clients on other machines use for the server; repeatable. Required to serve on a non-local
    /// address. Traffic is not encrypted.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) public_host: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WebArgs {
    /// Open the page in a browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Address to serve at; port 0 takes a free one. An address that other machines reach needs a token.
    #[arg(long, value_name = "ADDR:PORT", default_value = WEB_ADDRESS)]
    pub(crate) listen: SocketAddr,
    /// Let pages approve and reject gates, release claims and record feedback; without it, the server changes nothing.
    #[arg(long)]
    pub(crate) allow_actions: bool,
    /// Form of links to an editor, with `{path}` for the file and `{line}` for its line; empty for no links.
    #[arg(long, value_name = "URL", default_value = USUAL_EDITOR)]
    pub(crate) editor: String,
    /// File whose first line is the token; the default is the token in `WINDLASS_WEB_TOKEN`, if set.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that clients on other machines use for the server; repeatable. Traffic is not encrypted.
    #[arg(long, value_name = "NAME")]
    pub(crate) public_host: Vec<String>,
}
