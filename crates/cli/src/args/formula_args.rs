//! `formula`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::OutputFormat;
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum FormulaCommand {
    /// Name the formulas on the search path, in its order.
    ///
    /// Formulas are looked for in `.beads/formulas`: of this folder and those above it up to the root, of the main working
    /// tree, of the home folder, and of `$GT_ROOT`. A formula NAME is in `NAME.formula.toml`, `NAME.formula.json` or
    /// `NAME.toml`. The first one found counts.
    List(FormulaListArgs),
    /// Say what a formula is, what it asks for, and which steps it has.
    Show(FormulaShowArgs),
    /// Print the final graph of a formula: merged, expanded, looped, woven, conditions decided, and checked.
    Cook(FormulaCookArgs),
    /// Draw the final graph of a formula.
    Graph(FormulaGraphArgs),
    /// Check formulas, as far as that is possible without values for their variables.
    Lint(FormulaLintArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaListArgs {
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// A formula, and what it is cooked with.
#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaValues {
    /// The formula's name, or its file; also a vContext document with a TodoList or Plan.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formula: String,
    /// The value of a variable; may be repeated.
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub(crate) vars: Vec<String>,
    /// A choice of legs that a convoy offers.
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A label of what the formula is for: decides which hooks attach something; may be repeated.
    #[arg(long = "for-label", value_name = "LABEL")]
    pub(crate) for_labels: Vec<String>,
    /// What sort of work the formula is for: decides which hooks attach something.
    #[arg(long, value_name = "TYPE")]
    pub(crate) for_type: Option<String>,
    /// The priority of what the formula is for, 0 to 4: decides which hooks attach something.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) for_priority: Option<u8>,
    /// The most steps it may have.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) max_steps: usize,
    /// Fields that are not known are errors.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaShowArgs {
    /// The formula's name, or its file; also a vContext document with a TodoList or Plan.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formula: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaCookArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// Leave open what depends on variables without a value, in place of asking for one.
    #[arg(long)]
    pub(crate) open: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How the graph of a formula is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// A tree, for people.
    Text,
    /// For Graphviz.
    Dot,
    /// For Markdown that shows diagrams.
    Mermaid,
    /// A drawing, for browsers and documents; of up to 500 steps.
    Svg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaGraphArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// How to print the graph.
    #[arg(long, value_name = "FORMAT", default_value = "mermaid")]
    pub(crate) format: GraphFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaLintArgs {
    /// The formulas, by name or file; all on the search path if none is given.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formulas: Vec<String>,
    /// Fields that are not known are errors.
    #[arg(long)]
    pub(crate) strict: bool,
    /// How to print what was found.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
