//! `mcp`.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Offer nothing that changes something.
    #[arg(long)]
    pub(crate) read_only: bool,
}
