//! Arguments of `windlass plan` and `windlass check`.

use clap::{Args as ClapArgs, ValueEnum};

use super::OutputFormat;
use crate::completion;

/// Output format of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// Tree for people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which similar objects share a class, where that is shorter; alias `auto`.
    #[value(alias = "auto")]
    Tron,
    /// Graphviz.
    Dot,
    /// Markdown with diagrams.
    Mermaid,
    /// Drawing for browsers and documents; up to 500 steps.
    Svg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlanArgs {
    /// Name or file of the runbook; or file of a vContext TodoList or Plan. By default the only runbook, or `overview`.
    #[arg(value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PlanFormat,
    /// Explain for each step why it would run and what it would read.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Value of an input, with `--explain`; repeatable.
    #[arg(short, long = "input", value_name = "NAME=VALUE", requires = "explain")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Documents by name or file; by default all runbooks of the repository, and the anchors in
    /// `.windlass/anchors.json`.
    #[arg(value_name = "NAME|FILE", add = completion::documents())]
    pub(crate) documents: Vec<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
