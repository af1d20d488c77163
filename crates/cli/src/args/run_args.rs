//! `run`.

use std::num::NonZeroUsize;

use clap::Args as ClapArgs;

use super::ViewArgs;
use crate::completion;

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// The runbook's name, or its file. Without it, an error says which there are.
    #[arg(value_name = "NAME|FILE", conflicts_with = "cursor")]
    #[arg(add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Give an input; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    #[arg(conflicts_with = "cursor")]
    pub(crate) inputs: Vec<String>,
    /// How many steps run at once; as many as there are processors if not given.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Run this step and what depends on it anew; of other steps the outputs of the newest run are kept as long
    /// as what they read is the same.
    #[arg(long, value_name = "STEP", conflicts_with_all = ["cursor", "only"])]
    pub(crate) from: Option<String>,
    /// Run only this step and what it needs; may be repeated, or given a list with commas.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    #[arg(conflicts_with = "cursor")]
    pub(crate) only: Vec<String>,
    /// Go on where a pack was cut; nothing is run again.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Let steps start programs in this run, without trusting the runbook for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start nothing more after the first failure.
    #[arg(long, overrides_with = "keep_going")]
    pub(crate) fail_fast: bool,
    /// Go on with what does not depend on a failure (the default).
    #[arg(long, overrides_with = "fail_fast")]
    pub(crate) keep_going: bool,
}
