//! Arguments of `windlass find`.

use clap::Args as ClapArgs;

use super::{FormatArgs, OutputFormat};

#[derive(Debug, ClapArgs)]
pub(crate) struct FindArgs {
    /// Question in words or names of code: `"where are sessions expired"`.
    #[arg(value_name = "QUESTION", required = true)]
    pub(crate) question: Vec<String>,
    /// Search only this folder or file; repeatable. By default everything, including hidden folders (`.github`), except what git ignores and the tool folders `.windlass`, `.beads` and `.yarn`.
    #[arg(long = "in", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Print at most this many tokens (o200k).
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) max_tokens: usize,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

impl FindArgs {
    pub(crate) fn format(&self) -> OutputFormat {
        self.format.format
    }
}
