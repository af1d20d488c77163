//! `web`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::completion;

/// Default address of the server.
const USUAL_ADDRESS: &str = "127.0.0.1:4611";

/// Default form of links to an editor.
const USUAL_EDITOR: &str = "vscode://file/{path}:{line}";

#[derive(Debug, ClapArgs)]
pub(crate) struct WebArgs {
    /// Open the page in a browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Address to serve at; port 0 takes a free one. An address that other machines reach needs a token.
    #[arg(long, value_name = "ADDR:PORT", default_value = USUAL_ADDRESS)]
    pub(crate) listen: SocketAddr,
    /// Let pages approve and reject gates, release claims and record feedback; without it, the server changes nothing.
    #[arg(long)]
    pub(crate) allow_actions: bool,
    /// Form of links to an editor, with `{path}` for the file and `{line}` for its line; empty for no links.
    #[arg(long, value_name = "URL", default_value = USUAL_EDITOR)]
    pub(crate) editor: String,
    /// File whose first line is the token that browsers have to show; the default is `WINDLASS_WEB_TOKEN`, if set.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that browsers on other machines use for the server; repeatable. Traffic is not encrypted.
    #[arg(long, value_name = "NAME")]
    pub(crate) public_host: Vec<String>,
}
