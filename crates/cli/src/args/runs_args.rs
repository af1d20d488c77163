//! `runs …`.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand};

use super::{OutputFormat, ViewArgs};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Name the recorded runs of this working tree, the newest first.
    List(RunsListArgs),
    /// Show what became of each step of a run.
    Show(RunsShowArgs),
    /// Tell again what happened in a run and print its pack, judged by the files as they are; nothing is run.
    Replay(RunsReplayArgs),
    /// Say what changed between two runs, evidence by evidence.
    Diff(RunsDiffArgs),
    /// Run again what a run ran, keeping its outputs as long as what they read is the same.
    Resume(RunsResumeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsListArgs {
    /// Only runs of this runbook.
    #[arg(long, value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// How many to name.
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsShowArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsReplayArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsDiffArgs {
    /// The earlier run; the two newest runs of one runbook are compared if none is given.
    #[arg(value_name = "OLD", requires = "new", add = completion::runs())]
    pub(crate) old: Option<String>,
    /// The later run.
    #[arg(value_name = "NEW", add = completion::runs())]
    pub(crate) new: Option<String>,
    /// Compare the two newest runs of this runbook.
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "old", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Print at most this many characters.
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<usize>,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsResumeArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// Give an input another value, or one that was not recorded since it is secret; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Run all steps, also where that run was of some alone (`run --only`).
    #[arg(long)]
    pub(crate) whole: bool,
    /// How many steps run at once; as many as there are processors if not given.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Let steps start programs in this run, without trusting the runbook for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start nothing more after the first failure.
    #[arg(long)]
    pub(crate) fail_fast: bool,
}
