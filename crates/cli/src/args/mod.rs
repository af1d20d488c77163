//! Defines the command-line arguments.
//!
//! Note that the doc comments on arguments and commands are their help texts, so write them for
//! users: one phrase without a full stop at the end is usually enough.

mod anchor_args;
mod bead_args;
mod doc_args;
mod doc_item;
mod doc_page;
mod doc_playbook;
mod find_args;
mod formula_args;
mod impact_args;
mod lazy;
mod ledger_args;
mod memory_args;
mod mol_args;
mod notebook_args;
mod output_args;
mod pack_args;
mod plan_args;
mod plugin_args;
mod run_args;
mod runs_args;
mod server_args;
mod set_up_args;
mod work_args;
mod zoo_args;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use windlass::notebook::AnchorKind;

use crate::{completion, manual};

pub(crate) use self::anchor_args::*;
pub(crate) use self::bead_args::*;
pub(crate) use self::doc_args::*;
pub(crate) use self::doc_item::*;
pub(crate) use self::doc_page::DocPageArgs;
pub(crate) use self::doc_playbook::*;
pub(crate) use self::find_args::*;
pub(crate) use self::formula_args::*;
pub(crate) use self::impact_args::*;
pub(crate) use self::lazy::Lazy;
pub(crate) use self::ledger_args::*;
pub(crate) use self::memory_args::*;
pub(crate) use self::mol_args::*;
pub(crate) use self::notebook_args::*;
pub(crate) use self::output_args::*;
pub(crate) use self::pack_args::*;
pub(crate) use self::plan_args::*;
pub(crate) use self::plugin_args::*;
pub(crate) use self::run_args::*;
pub(crate) use self::runs_args::*;
pub(crate) use self::server_args::*;
pub(crate) use self::set_up_args::*;
pub(crate) use self::work_args::*;
pub(crate) use self::zoo_args::*;

/// Parses a value of type `T`. `names` are its possible values, as in JSON.
pub(crate) fn words<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| {
        let read = T::deserialize(name.into_deserializer());
        read.map_err(|error: serde::de::value::Error| error)
    })
}

pub(crate) fn anchor_kind() -> impl TypedValueParser<Value = AnchorKind> {
    words(AnchorKind::ALL.map(AnchorKind::as_str))
}

/// Runbooks over a repository: which evidence is fresh, moved, stale or gone, and what to do next.
///
/// A runbook re-fetches what matters about a subsystem, checks every piece of evidence against the files, and prints a
/// compact pack. Nothing unverified is shown as true.
#[derive(Debug, Parser)]
#[command(
    name = "windlass",
    version,
    long_version = env!("WINDLASS_VERSION"),
    propagate_version = true,
    max_term_width = 100
)]
#[command(after_help = manual::exit_codes_in_short(), after_long_help = manual::in_full())]
pub(crate) struct Args {
    /// Repository root; found upwards from the current folder by default.
    #[arg(long, global = true, value_name = "DIR")]
    #[arg(help_heading = "Global options", add = completion::folders())]
    pub(crate) root: Option<PathBuf>,
    /// Actor name for beads, molecules, mail, hooks and the notebook; defaults to `BD_ACTOR`.
    #[arg(long, global = true, value_name = "NAME")]
    #[arg(help_heading = "Global options")]
    pub(crate) actor: Option<String>,
    /// Work without the shared ledger; the next command that reaches it merges.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) offline: bool,
    /// Print only results and errors.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Log the events of a run; twice, also why a file, git or history gave no answer (same as `RUST_LOG=debug`).
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,
    /// Color output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    pub(crate) color: ColorWhen,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Color output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// Use color on terminals that support it.
    Auto,
    /// Always use color.
    Always,
    /// Never use color.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show runbooks, anchors, work and memory, and the next action.
    Status(Lazy<FormatArgs>),
    /// Run a runbook and print its pack.
    Run(Lazy<RunArgs>),
    /// Show what a runbook would do, without running it.
    Plan(Lazy<PlanArgs>),
    /// Check runbooks, formulas, anchors, transactions and vContext documents.
    Check(Lazy<CheckArgs>),
    /// List, show, replay, compare and resume recorded runs.
    #[command(subcommand)]
    Runs(Lazy<RunsCommand>),
    /// Find the code and text that answer a question: best match first, within a budget.
    Find(Lazy<FindArgs>),
    /// Save pointers to lines that matter, and check that they are still valid.
    #[command(subcommand)]
    Anchor(Lazy<AnchorCommand>),
    /// Suggest anchors and runbooks for this repository; `--apply` saves them.
    Suggest(Lazy<SuggestArgs>),
    /// Report evidence that the current change makes stale, before it is merged; exit code 1 if the change leaves any
    /// unrepaired.
    ///
    /// Checks anchors (shared ones included), citations in Markdown documents, and sections of runbooks, if their
    /// evidence is in files that differ between the base and the working tree. Evidence that was already broken at the
    /// base is only counted. New citations of files or lines that do not exist are reported, too. New, uncommitted
    /// citations of text that is elsewhere by now are listed for review, and do not change the exit code.
    Impact(Lazy<ImpactArgs>),
    /// Show, change and restore everything saved about this repository: anchors and runbooks.
    #[command(subcommand)]
    Notebook(Lazy<NotebookCommand>),
    /// Create, find, claim and close work items (beads); track their dependencies.
    #[command(subcommand)]
    Bead(Lazy<BeadCommand>),
    /// Assign an agent its next piece of work (agent hooks).
    #[command(subcommand)]
    Hook(Lazy<HookCommand>),
    /// Send messages to other agents, and read your own.
    #[command(subcommand)]
    Mail(Lazy<MailCommand>),
    /// Map bead prefixes to repositories.
    #[command(subcommand)]
    Route(Lazy<RouteCommand>),
    /// Record the activity of an agent; called by the agent's client hook or wrapper.
    #[command(subcommand)]
    Agent(Lazy<AgentCommand>),
    /// Inspect the event log behind beads, mail and agent hooks.
    #[command(subcommand)]
    Events(Lazy<EventsCommand>),
    /// Share the ledger with other machines: beads, molecules, mail and agent hooks.
    #[command(subcommand)]
    Ledger(Lazy<LedgerCommand>),
    /// Write and check workflow templates (formulas).
    #[command(subcommand)]
    Formula(Lazy<FormulaCommand>),
    /// Run workflows with many agents (molecules): pour a formula, claim steps, complete them, find stalled work.
    #[command(subcommand)]
    Mol(Lazy<MolCommand>),
    /// Run a runbook in many repositories, on this machine and on workers.
    #[command(subcommand)]
    Fleet(Lazy<FleetCommand>),
    /// Verify that work meets its acceptance criteria: record the result as evidence; exit code 1 if it does not.
    Verify(Lazy<VerifyArgs>),
    /// Build context packs: the documents, changes, failures and files that a piece of work needs, within a budget.
    #[command(subcommand)]
    Pack(Lazy<PackCommand>),
    /// Check, convert and edit vContext documents: TodoLists, Plans and Playbooks, in JSON and TRON.
    #[command(subcommand)]
    Doc(Lazy<DocCommand>),
    /// Record and recall long-lived knowledge in `memory/`: decisions, open loops, facts, and the cues that lead to
    /// them.
    #[command(subcommand)]
    Memory(Lazy<MemoryCommand>),
    /// Measure the quality of recall and repair: on sample repositories and on your own.
    #[command(subcommand)]
    Zoo(Lazy<ZooCommand>),
    /// Set up this repository for runbooks, git, CI or agents: write a first runbook, a git hook, a CI workflow, or the
    /// configuration of an MCP client.
    Init(Lazy<InitArgs>),
    /// Serve MCP tools to agents, over standard input and output or over HTTP.
    Mcp(Lazy<McpArgs>),
    /// Serve web pages about this repository: its state, runs, evidence, work, memory and measurements.
    Web(Lazy<WebArgs>),
    /// Replace secret values in standard input.
    ///
    /// The text goes to standard output; findings go to standard error, by kind and line, never by value.
    Redact(Lazy<RedactArgs>),
    /// Check the installation, the repository and all stored data.
    Doctor(Lazy<FormatArgs>),
    /// List, inspect, create, build and test plugins for runbooks.
    #[command(subcommand)]
    Plugin(Lazy<PluginCommand>),
    /// Allow a runbook to start programs: also a plugin to use what it requests, or the repository's list of secret paths
    /// to make paths readable.
    Trust(Lazy<TrustArgs>),
    /// Print the JSON Schemas of documents, for editors and other tools.
    Schema(Lazy<SchemaArgs>),
    /// Print a shell completion script for commands, options, and names of runbooks and anchors.
    Completions(Lazy<CompletionsArgs>),
    /// Print a manual page, or write all of them.
    Man(Lazy<ManArgs>),
    /// Write the reference pages of the book.
    #[command(hide = true)]
    Reference(Lazy<ReferenceArgs>),
}
