//! Arguments of `windlass formula`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use windlass::formula::FORMULA_EXAMPLES;

use super::{FormatArgs, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum FormulaCommand {
    /// List the formulas on the search path, in its order.
    ///
    /// The search path is `.beads/formulas` of the current folder and its parents up to the root, of the main working
    /// tree, of the home folder, and of `$GT_ROOT`; then the pack of the formula in question with the packs that it
    /// imports, the folders of `formula path`, and all packs in the repository: folders with a `pack.toml` and
    /// `formulas/`. A formula NAME is in `NAME.formula.toml`, `NAME.formula.json` or `NAME.toml`. The first one found
    /// counts.
    List(FormulaListArgs),
    /// Write a formula into `.beads/formulas/`, from an example.
    #[command(visible_alias = "add")]
    New {
        /// Name of the formula.
        name: String,
        /// Example that it starts from.
        #[arg(long, value_name = "EXAMPLE", default_value = FORMULA_EXAMPLES[0].0, value_parser = FORMULA_EXAMPLES.map(|(name, _)| name))]
        example: String,
    },
    /// Manage folders outside of the repository that are searched for formulas.
    Path {
        #[command(subcommand)]
        command: FormulaPathCommand,
    },
    /// Show a formula: its purpose, its variables and its steps.
    Show(FormulaShowArgs),
    /// Print the final graph of a formula: merged, expanded, looped, woven, conditions decided, and checked.
    Cook(FormulaCookArgs),
    /// Draw the final graph of a formula.
    Graph(FormulaGraphArgs),
    /// Check formulas, as far as possible without values for their variables.
    #[command(visible_alias = "check")]
    Lint(FormulaLintArgs),
}

/// Folders of the search path.
#[derive(Debug, Subcommand)]
pub(crate) enum FormulaPathCommand {
    /// Add a folder: a pack, its `formulas` folder, or a folder with packs. Its formulas and their texts are trusted.
    Add {
        /// Folder.
        folder: PathBuf,
    },
    /// Remove a folder.
    Remove {
        /// Folder.
        folder: PathBuf,
    },
    /// List the added folders.
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaListArgs {
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// A formula and the values to cook it with.
#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaValues {
    /// Name or file of the formula; or a vContext document with a TodoList or Plan.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formula: String,
    /// Value of a variable, or of an undeclared name that the texts use; repeatable.
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub(crate) vars: Vec<String>,
    /// Preset of legs, for a convoy.
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Label of the work, which decides which hooks attach steps; repeatable.
    #[arg(long = "for-label", value_name = "LABEL")]
    pub(crate) for_labels: Vec<String>,
    /// Type of the work, which decides which hooks attach steps.
    #[arg(long, value_name = "TYPE")]
    pub(crate) for_type: Option<String>,
    /// Priority of the work, 0 to 4, which decides which hooks attach steps.
    #[arg(long, value_name = "PRIORITY", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) for_priority: Option<u8>,
    /// Maximum number of steps.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) max_steps: usize,
    /// Treat unknown fields as errors.
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaShowArgs {
    /// Name or file of the formula; or a vContext document with a TodoList or Plan.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formula: String,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaCookArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// Leave parts open that depend on variables without a value, instead of asking for one.
    #[arg(long)]
    pub(crate) open: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Output format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Tree for people.
    Text,
    /// Graphviz.
    Dot,
    /// Markdown with diagrams.
    Mermaid,
    /// Drawing for browsers and documents; up to 500 steps.
    Svg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaGraphArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: GraphFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FormulaLintArgs {
    /// Formulas by name or file; all on the search path by default.
    #[arg(value_name = "NAME|FILE", add = completion::formulas())]
    pub(crate) formulas: Vec<String>,
    /// Treat unknown fields as errors.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
