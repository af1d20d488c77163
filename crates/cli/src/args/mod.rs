//! What is typed. What it means is worked out by the commands.

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
mod mcp_args;
mod memory_args;
mod mol_args;
mod notebook_args;
mod output_args;
mod pack_args;
mod plan_args;
mod plugin_args;
mod run_args;
mod runs_args;
mod set_up_args;
mod work_args;
mod zoo_args;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

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
pub(crate) use self::mcp_args::*;
pub(crate) use self::memory_args::*;
pub(crate) use self::mol_args::*;
pub(crate) use self::notebook_args::*;
pub(crate) use self::output_args::*;
pub(crate) use self::pack_args::*;
pub(crate) use self::plan_args::*;
pub(crate) use self::plugin_args::*;
pub(crate) use self::run_args::*;
pub(crate) use self::runs_args::*;
pub(crate) use self::set_up_args::*;
pub(crate) use self::work_args::*;
pub(crate) use self::zoo_args::*;

/// Runbooks over a repository: what is fresh, moved, stale or gone, and what to do next.
///
/// A runbook re-fetches what matters of a subsystem, checks every piece of evidence against the files, and
/// prints a compact pack. Nothing is shown as true that was not verified.
#[derive(Debug, Parser)]
#[command(
    name = "windlass",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(after_help = manual::exit_codes_in_short(), after_long_help = manual::in_full())]
pub(crate) struct Args {
    /// The repository's root; found upwards from here if not given.
    #[arg(long, global = true, value_name = "DIR")]
    #[arg(help_heading = "Global options", add = completion::folders())]
    pub(crate) root: Option<PathBuf>,
    /// Who works with beads, molecules, mail and hooks; `BD_ACTOR` if not given.
    #[arg(long, global = true, value_name = "NAME")]
    #[arg(help_heading = "Global options")]
    pub(crate) actor: Option<String>,
    /// Say less: only results and errors.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Log the events of a run; twice, also why a file, git or history gave no answer (as `RUST_LOG=debug`).
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Global options")]
    pub(crate) color: ColorWhen,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal that has them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a runbook and print its pack.
    Run(Lazy<RunArgs>),
    /// Show what a runbook would do, without doing it.
    Plan(Lazy<PlanArgs>),
    /// Check documents: runbooks, formulas, anchors that are handed over or to be added, transactions, and vContext
    /// documents.
    Check(Lazy<CheckArgs>),
    /// Look at the runs there were: name, show, replay, compare and resume them.
    #[command(subcommand)]
    Runs(Lazy<RunsCommand>),
    /// Find the places that answer a question: what is defined or said there, the best first, within a budget.
    Find(Lazy<FindArgs>),
    /// Save places that matter, and check whether they still stand.
    #[command(subcommand)]
    Anchor(Lazy<AnchorCommand>),
    /// Say what the change at hand makes stale, before it is merged; exit code 1 if it is not repaired in it.
    ///
    /// Looks at anchors, those that are handed over included, at what Markdown documents cite, and at sections of runbooks,
    /// as far as they rest on files that differ between the base and the working tree. What did not stand at the base either is only counted.
    /// Citations written anew, in no commit yet, while the text that they cited stands elsewhere by now are named to be looked at, and change
    /// no exit code.
    Impact(Lazy<ImpactArgs>),
    /// Show, change and bring back all that is saved of this repository: anchors and runbooks.
    #[command(subcommand)]
    Notebook(Lazy<NotebookCommand>),
    /// Make, find, claim and close pieces of work, and say what waits for what.
    #[command(subcommand)]
    Bead(Lazy<BeadCommand>),
    /// Put what an agent is to do next on its hook.
    #[command(subcommand)]
    Hook(Lazy<HookCommand>),
    /// Send messages to other agents, and read one's own.
    #[command(subcommand)]
    Mail(Lazy<MailCommand>),
    /// Say in which repositories the beads of other prefixes lie.
    #[command(subcommand)]
    Route(Lazy<RouteCommand>),
    /// Note what an agent does; a hook or wrapper of the agent calls it.
    #[command(subcommand)]
    Agent(Lazy<AgentCommand>),
    /// Look at the log of events that beads, mail and hooks follow from.
    #[command(subcommand)]
    Events(Lazy<EventsCommand>),
    /// Look at formulas: workflow templates that many agents work through.
    #[command(subcommand)]
    Formula(Lazy<FormulaCommand>),
    /// Work through formulas that were poured: claim steps, complete them, and see what stands still.
    #[command(subcommand)]
    Mol(Lazy<MolCommand>),
    /// Look whether work is done as it should be, and keep what was found as evidence. Exit code 1 if it is not.
    Verify(Lazy<VerifyArgs>),
    /// Put together what somebody has to know to do a piece of work, within a budget: documents, changes, failures, files.
    #[command(subcommand)]
    Pack(Lazy<PackCommand>),
    /// Check, convert and change vContext documents: TodoLists, Plans and Playbooks, in JSON and TRON.
    #[command(subcommand)]
    Doc(Lazy<DocCommand>),
    /// Keep what outlives a task in `memory/`, and find it again: decisions, open loops, facts, and what leads to them.
    #[command(subcommand)]
    Memory(Lazy<MemoryCommand>),
    /// Measure how good recall and repair are: on sample repositories, and on one's own.
    #[command(subcommand)]
    Zoo(Lazy<ZooCommand>),
    /// Write a first runbook that fits this repository; or a hook, or a workflow, that looks at changes.
    Init(Lazy<InitArgs>),
    /// Serve the tools an agent calls (MCP), over standard input and output or over HTTP.
    Mcp(Lazy<McpArgs>),
    /// Replace secret values in what stands on standard input: the text goes to standard output, what was found to standard error,
    /// by kind and line, never by value.
    Redact(Lazy<RedactArgs>),
    /// Look at everything windlass depends on, and say what is amiss.
    Doctor(Lazy<FormatArgs>),
    /// Look at the plugins that runbooks may use, and try them.
    #[command(subcommand)]
    Plugin(Lazy<PluginCommand>),
    /// Allow a runbook to start programs, a plugin what it asks for, or the repository's list of secret paths to make some
    /// readable.
    Trust(Lazy<TrustArgs>),
    /// Print the JSON Schemas of documents, for editors and other tools.
    Schema(Lazy<SchemaArgs>),
    /// Print a script that makes a shell complete commands, options, and names of runbooks and anchors.
    Completions(Lazy<CompletionsArgs>),
    /// Print a manual page, or write them all.
    Man(Lazy<ManArgs>),
    /// Print the reference of all commands as Markdown.
    #[command(hide = true)]
    Reference,
}
