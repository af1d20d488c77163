//! `find`.

use clap::Args as ClapArgs;

use super::{FormatArgs, OutputFormat};

#[derive(Debug, ClapArgs)]
pub(crate) struct FindArgs {
    /// What is asked, in words or names of code: `"where are sessions expired"`.
    #[arg(value_name = "QUESTION", required = true)]
    pub(crate) question: Vec<String>,
    /// Look in this folder or file only, relative to the root; may be repeated. Without it everywhere, also in hidden folders
    /// (`.github`), but for what git ignores, and what tools keep in `.windlass`, `.beads` and `.yarn`.
    #[arg(long = "in", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// How many tokens of text to show at most.
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
