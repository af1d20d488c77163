//! `run`, and `fleet`, which runs a runbook in many repositories.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand};

use super::{FormatArgs, ViewArgs};
use crate::completion;

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// Name or file of the runbook. By default the only runbook, or `overview`; else the names are listed.
    #[arg(value_name = "NAME|FILE", conflicts_with_all = ["cursor", "list"])]
    #[arg(add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Value of an input; repeatable.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    #[arg(conflicts_with = "cursor")]
    pub(crate) inputs: Vec<String>,
    /// Number of parallel jobs; the number of processors by default.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Run this step and its dependents again; other steps reuse the outputs of the newest run if the files they read
    /// are unchanged.
    #[arg(long, value_name = "STEP", conflicts_with_all = ["cursor", "only"])]
    pub(crate) from: Option<String>,
    /// Run only this step and its needs; repeatable, or a list with commas.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    #[arg(conflicts_with = "cursor")]
    pub(crate) only: Vec<String>,
    /// Continue output that was cut; runs nothing again.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// List the runbooks.
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Print the pack as the JSON answer of a client hook at the beginning of a session, for clients that take no text.
    #[arg(long, conflicts_with_all = ["cursor", "list"])]
    pub(crate) hook_answer: bool,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start no more steps after the first failure.
    #[arg(long, overrides_with = "keep_going")]
    pub(crate) fail_fast: bool,
    /// Run all steps that do not depend on a failed one (default).
    #[arg(long, overrides_with = "fail_fast")]
    pub(crate) keep_going: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Run a runbook in many repositories and print one result, with a section for each.
    ///
    /// Pours a molecule with a step for each repository and works on it together with all workers that share the ledger
    /// (`mol drive --watch`). Exit code 1 if a repository failed. If it is interrupted, `fleet resume` goes on.
    Run(FleetRunArgs),
    /// Work on a fleet that was interrupted, and print its result.
    Resume(FleetResumeArgs),
    /// Print the result of a fleet so far.
    Show {
        /// Molecule id; the only open one by default.
        mol: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FleetRunArgs {
    /// Name of the runbook in each repository.
    pub(crate) runbook: String,
    /// Repositories: folders, such as a pattern that the shell expands, or files that list one folder per line. Relative
    /// folders begin at the root of this repository, on each machine.
    #[arg(long, value_name = "FILE|DIR", required = true, num_args = 1..)]
    pub(crate) repos: Vec<String>,
    /// Value of an input, for all repositories; repeatable.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Labels that a machine needs; repeatable, or separated by commas.
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    pub(crate) runs_on: Vec<String>,
    /// Leave the work to other machines: print the molecule and return.
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) work: FleetWorkArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FleetResumeArgs {
    /// Molecule id; the only open one by default.
    pub(crate) mol: Option<String>,
    #[command(flatten)]
    pub(crate) work: FleetWorkArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// How this machine works on a fleet.
#[derive(Debug, ClapArgs)]
pub(crate) struct FleetWorkArgs {
    /// Only take steps whose `runs_on` is among these labels; repeatable, or separated by commas.
    #[arg(
        short = 'l',
        long = "label",
        value_name = "LABEL",
        value_delimiter = ','
    )]
    pub(crate) labels: Vec<String>,
    /// Number of parallel jobs; 1 repository at a time by default.
    #[arg(
        short,
        long,
        value_name = "N",
        default_value = "1",
        hide_default_value = true
    )]
    pub(crate) jobs: NonZeroUsize,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
}
