//! `memory …`.

use clap::{Args as ClapArgs, Subcommand};

use super::doc::DocPageArgs;
use super::{BudgetArgs, OutputFormat};

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Begin a memory in `memory/`: write what is missing of it, and leave alone what is there.
    Init(MemoryInitArgs),
    /// Check the whole memory: records, impressions, links, supersession, and what must not be shared. Exit code 1 if
    /// something is an error.
    Check(MemoryCheckArgs),
    /// Ask what is remembered of something, in your own words: how sure it is, what was found, and as much of it as fits.
    ///
    /// `none` means that nothing is known: nothing is loaded. With `weak` the summary is worth a look; with `strong` the
    /// records that were found are loaded, each with its lines.
    Recall(MemoryRecallArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryInitArgs {
    /// What the project is called, as in `project:NAME`; made from the name of its folder if not given.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Tell agents in `AGENTS.md` to use it.
    #[arg(long)]
    pub(crate) rules: bool,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryCheckArgs {
    /// Mend what is safe to mend: links, marks of supersession on both sides, missing impressions, ignore patterns, lines
    /// that are there twice. Nobody's words are changed.
    #[arg(long)]
    pub(crate) fix: bool,
    /// With `--fix`: say what would be mended, and write nothing.
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryRecallArgs {
    /// What it is about, in your own words.
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    pub(crate) question: Vec<String>,
    /// Look in the notebook (anchors) and in playbooks as well: `notebook,playbook`.
    #[arg(long, value_name = "SOURCES", value_delimiter = ',')]
    pub(crate) also: Vec<String>,
    /// Name at most this many matches.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) matches: usize,
    /// Say how scores came about.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
