//! How results are printed, and how much of them.

use clap::{Args as ClapArgs, ValueEnum};

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormatArgs {
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How a pack is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
    /// For documents, and agents that read Markdown.
    Markdown,
}

/// How much a pack says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Facts, diagnostics and next actions.
    Full,
    /// Facts, and the next actions that something calls for.
    Facts,
    /// Places and statuses only.
    Minimal,
}

/// How much is printed.
#[derive(Debug, ClapArgs)]
pub(crate) struct BudgetArgs {
    /// Print at most this many characters.
    #[arg(long, value_name = "N", conflicts_with = "max_tokens")]
    pub(crate) max_chars: Option<usize>,
    /// Print at most this many tokens (o200k).
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
}

/// How a pack is shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// How to print the pack.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PackFormat,
    /// How much the pack says about itself.
    #[arg(long, value_name = "MODE")]
    pub(crate) response_mode: Option<Mode>,
}
