//! Arguments of `windlass runs`.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand};

use super::{OutputFormat, ViewArgs, max_results};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List the recorded runs of this working tree, the newest first.
    List(RunsListArgs),
    /// Show the outcome of each step of a run.
    Show(RunsShowArgs),
    /// Replay the events of a run and print its pack, checked against the current files; runs nothing.
    Replay(RunsReplayArgs),
    /// Compare two runs, evidence by evidence.
    Diff(RunsDiffArgs),
    /// Run the steps of a run again, reusing outputs whose files are unchanged.
    Resume(RunsResumeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsListArgs {
    /// Only runs of this runbook.
    #[arg(long, value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Maximum number of results; 0 for no limit.
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_results)]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsShowArgs {
    /// Run: id, prefix of an id, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsReplayArgs {
    /// Run: id, prefix of an id, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsDiffArgs {
    /// Earlier run; by default the two newest runs of one runbook are compared.
    #[arg(value_name = "OLD", requires = "new", add = completion::runs())]
    pub(crate) old: Option<String>,
    /// Later run.
    #[arg(value_name = "NEW", add = completion::runs())]
    pub(crate) new: Option<String>,
    /// Only runs of this runbook: its two newest are compared.
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "old", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsResumeArgs {
    /// Run: id, prefix of an id, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// Value of an input: a new one, or one that was not recorded because it is secret; repeatable.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Run all steps, even if that run was limited by `run --only`.
    #[arg(long)]
    pub(crate) whole: bool,
    /// Number of parallel jobs; the number of processors by default.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start no more steps after the first failure.
    #[arg(long)]
    pub(crate) fail_fast: bool,
}
