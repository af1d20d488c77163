//! `pack …`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{BudgetArgs, PackFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    /// Show a pack, as much as fits into a budget; all of it without one.
    Show(PackShowArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackShowArgs {
    /// The pack: its id, six or more of its first digits, `last`, or a file in JSON.
    #[arg(value_name = "PACK", default_value = "last", add = completion::files())]
    pub(crate) pack: String,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

/// How a context pack is shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct PackViewArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// What it is for, which says how large it may be: 6,000, 12,000, 16,000 or 20,000 tokens.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<PackProfile>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PackFormat,
}

/// What a context pack is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackProfile {
    /// The next turn of work that goes on.
    Routine,
    /// A first look at something.
    Investigation,
    /// A change of many places.
    Refactor,
    /// A failure that is not understood.
    DeepFailure,
}
