//! `impact`.

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(crate) struct ImpactArgs {
    /// Look at changes to these files and folders alone; at all that changed if none is named.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Look at everything since this branch left that revision: `main`, `origin/main`; at what is not committed if not
    /// given.
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ImpactFormat,
}

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImpactFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
    /// For code hosts, which show it beside the lines: SARIF 2.1.0.
    Sarif,
    /// For a comment under a proposed change.
    Markdown,
}
