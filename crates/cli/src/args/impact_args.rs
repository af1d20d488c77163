//! `impact`.

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(crate) struct ImpactArgs {
    /// Only changes to these files and folders; all changes by default.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Base revision: check everything since this branch left it, such as `main` or `origin/main`; by default only
    /// uncommitted changes.
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ImpactFormat,
}

/// Output format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImpactFormat {
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
