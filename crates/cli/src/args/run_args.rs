//! `run`.

use std::num::NonZeroUsize;

use clap::Args as ClapArgs;

use super::ViewArgs;
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
