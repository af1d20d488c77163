//! Output formats and budgets.

use clap::{Args as ClapArgs, ValueEnum};
use windlass::base::ResponseMode;

use super::words;

/// Output format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which similar objects share a class, where that is shorter; alias `auto`.
    #[value(alias = "auto")]
    Tron,
}

/// Output format of a report on stale evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which similar objects share a class, where that is shorter; alias `auto`.
    #[value(alias = "auto")]
    Tron,
    /// SARIF 2.1.0 for code hosts, which show it next to the lines.
    Sarif,
    /// For a comment on a proposed change.
    Markdown,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormatArgs {
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Output format of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which similar objects share a class, where that is shorter; alias `auto`.
    #[value(alias = "auto")]
    Tron,
    /// For documents, and agents that read Markdown.
    Markdown,
    /// One web page without scripts, for a pull request or a mail. A budget applies to its text.
    Html,
}

/// Parses a maximum number of results; 0 stands for no limit.
pub(crate) fn max_results(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(usize::MAX),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

/// Output budget.
#[derive(Debug, ClapArgs)]
pub(crate) struct BudgetArgs {
    /// Print at most this many characters.
    #[arg(long, value_name = "N", conflicts_with = "max_tokens")]
    pub(crate) max_chars: Option<usize>,
    /// Print at most this many tokens (o200k).
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
}

/// Presentation of a pack.
#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PackFormat,
    /// Level of detail of the pack: with diagnostics and all next actions, with required next actions, or only places and
    /// statuses.
    #[arg(long, value_name = "MODE", value_parser = words::<ResponseMode>(["full", "facts", "minimal"]))]
    pub(crate) response_mode: Option<ResponseMode>,
}
