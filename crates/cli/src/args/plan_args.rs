//! `plan` and `check`.

use clap::{Args as ClapArgs, ValueEnum};

use super::OutputFormat;
use crate::completion;

/// How a plan is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// A tree, for people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
    /// For Graphviz.
    Dot,
    /// For Markdown that shows diagrams.
    Mermaid,
    /// A drawing, for browsers and documents; of up to 500 steps.
    Svg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlanArgs {
    /// The runbook's name, or its file; or the file of a vContext TodoList or Plan. Without it, an error says which
    /// runbooks there are.
    #[arg(value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// How to print the plan.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PlanFormat,
    /// Say of each step why it would run and what it would read.
    #[arg(long)]
    pub(crate) explain: bool,
    /// With `--explain`: an input of the run to explain; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=VALUE", requires = "explain")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// The documents, by name or file; all runbooks of the repository, and the anchors in `.windlass/anchors.json`, if
    /// none is given.
    #[arg(value_name = "NAME|FILE", add = completion::documents())]
    pub(crate) documents: Vec<String>,
    /// How to print what was found.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
