//! What is typed. What it means is worked out by the commands.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use windlass::base::Digest;

use crate::{completion, manual};

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
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        help_heading = "Global options",
        add = completion::folders()
    )]
    pub(crate) root: Option<PathBuf>,
    /// Say less: only results and errors.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Say more about what is going on; twice for even more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,
    /// When to use colours.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Global options"
    )]
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
    Run(RunArgs),
    /// Show what a runbook would do, without doing it.
    Plan(PlanArgs),
    /// Check documents: runbooks, anchors that are handed over or to be added, and transactions.
    Check(CheckArgs),
    /// Look at the runs there were: name, show, replay, compare and resume them.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Save places that matter, and check whether they still stand.
    #[command(subcommand)]
    Anchor(AnchorCommand),
    /// Show, change and bring back all that is saved of this repository: anchors and runbooks.
    #[command(subcommand)]
    Notebook(NotebookCommand),
    /// Write a first runbook that fits this repository.
    Init(InitArgs),
    /// Look at everything windlass depends on, and say what is amiss.
    Doctor(FormatArgs),
    /// Allow a runbook to start programs, or the repository's list of secret paths to make some readable.
    Trust(TrustArgs),
    /// Print the JSON Schemas of documents, for editors and other tools.
    Schema(SchemaArgs),
    /// Print a script that makes a shell complete commands, options, and names of runbooks and anchors.
    Completions(CompletionsArgs),
    /// Print a manual page, or write them all.
    Man(ManArgs),
    /// Print the reference of all commands as Markdown.
    #[command(hide = true)]
    Reference,
}

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

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// The runbook's name, or its file.
    #[arg(
        value_name = "NAME|FILE",
        required_unless_present = "cursor",
        conflicts_with = "cursor",
        add = completion::runbooks()
    )]
    pub(crate) runbook: Option<String>,
    /// Give an input; may be repeated.
    #[arg(
        short,
        long = "input",
        value_name = "NAME=VALUE",
        conflicts_with = "cursor"
    )]
    pub(crate) inputs: Vec<String>,
    /// How many steps run at once; as many as there are processors if not given.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Run this step and what depends on it anew; of other steps the outputs of the newest run are kept as long
    /// as what they read is the same.
    #[arg(long, value_name = "STEP", conflicts_with_all = ["cursor", "only"])]
    pub(crate) from: Option<String>,
    /// Run only this step and what it needs; may be repeated, or given a list with commas.
    #[arg(
        long,
        value_name = "STEP",
        value_delimiter = ',',
        conflicts_with = "cursor"
    )]
    pub(crate) only: Vec<String>,
    /// Go on where a pack was cut; nothing is run again.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Let steps start programs in this run, without trusting the runbook for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start nothing more after the first failure.
    #[arg(long, overrides_with = "keep_going")]
    pub(crate) fail_fast: bool,
    /// Go on with what does not depend on a failure (the default).
    #[arg(long, overrides_with = "fail_fast")]
    pub(crate) keep_going: bool,
}

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
    /// The runbook's name, or its file.
    #[arg(value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: String,
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

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Name the recorded runs of this working tree, the newest first.
    List(RunsListArgs),
    /// Show what became of each step of a run.
    Show(RunsShowArgs),
    /// Tell again what happened in a run and print its pack, judged by the files as they are; nothing is run.
    Replay(RunsReplayArgs),
    /// Say what changed between two runs, evidence by evidence.
    Diff(RunsDiffArgs),
    /// Run again what a run ran, keeping its outputs as long as what they read is the same.
    Resume(RunsResumeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsListArgs {
    /// Only runs of this runbook.
    #[arg(long, value_name = "NAME|FILE", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// How many to name.
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsShowArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsReplayArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsDiffArgs {
    /// The earlier run; the two newest runs of one runbook are compared if none is given.
    #[arg(value_name = "OLD", requires = "new", add = completion::runs())]
    pub(crate) old: Option<String>,
    /// The later run.
    #[arg(value_name = "NEW", add = completion::runs())]
    pub(crate) new: Option<String>,
    /// Compare the two newest runs of this runbook.
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "old", add = completion::runbooks())]
    pub(crate) runbook: Option<String>,
    /// Print at most this many characters.
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<usize>,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunsResumeArgs {
    /// The run: its id, the beginning of it, or `last`.
    #[arg(value_name = "RUN", default_value = "last", add = completion::runs())]
    pub(crate) run: String,
    /// Give an input another value, or one that was not recorded since it is secret; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// How many steps run at once; as many as there are processors if not given.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Let steps start programs in this run, without trusting the runbook for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Start nothing more after the first failure.
    #[arg(long)]
    pub(crate) fail_fast: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AnchorCommand {
    /// Capture lines of files under a name, or many from JSON Lines.
    Add(AnchorAddArgs),
    /// Name the saved anchors, with what became of each, the worst first.
    List(AnchorListArgs),
    /// Show anchors with their text, and what became of them.
    Show(AnchorShowArgs),
    /// Say which anchors no longer stand; exit code 1 if there is one.
    Check(AnchorCheckArgs),
    /// Point anchors to where their text is proven to stand now; exit code 1 if one is left that does not stand.
    ///
    /// What moved unchanged is taken over; with `--edited` also what was edited, as it is now. All in one transaction,
    /// which `windlass notebook rollback` takes back; each anchor keeps where it was, and what proved the new place.
    Repair(AnchorRepairArgs),
    /// Take anchors out of the notebook.
    Remove {
        /// Their names.
        #[arg(required = true, value_name = "ID", add = completion::anchors())]
        ids: Vec<String>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorAddArgs {
    /// Its name.
    #[arg(
        required_unless_present = "from",
        conflicts_with = "from",
        value_name = "ID"
    )]
    pub(crate) id: Option<String>,
    /// Where it is grounded: `src/main.rs:10-24`, or `src/main.rs#Type::method` for what defines a symbol;
    /// several for one anchor. Files are meant from here, with `--root` from there. Their names may hold `:` and `#`: lines come after the last `:`, a symbol after
    /// the last `#` that follows the name of a file.
    #[arg(
        required_unless_present = "from",
        value_name = "FILE:LINES|FILE#SYMBOL",
        add = completion::files()
    )]
    pub(crate) places: Vec<String>,
    /// Read anchors from a file of JSON Lines, `-` for standard input: `id`, `file`, `start_line`, and
    /// perhaps `end_line`, `label`, `kind`, `symbol`, `tags`, `zone`.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) from: Option<String>,
    /// What a person calls it.
    #[arg(short, long, value_name = "TEXT", conflicts_with = "from")]
    pub(crate) label: Option<String>,
    /// What sort of thing it is; `other` if not given for a new one.
    #[arg(short, long, value_name = "KIND", conflicts_with = "from")]
    pub(crate) kind: Option<Kind>,
    /// A word to find it by; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG", conflicts_with = "from")]
    pub(crate) tags: Vec<String>,
    /// Where to look for it later: a glob; may be repeated.
    #[arg(long, value_name = "GLOB", conflicts_with = "from")]
    pub(crate) zone: Vec<String>,
    /// Replace anchors of the same name. What is not given stays as it was; the symbol or pattern to look for
    /// it by only where it is still true of the new place.
    #[arg(long)]
    pub(crate) replace: bool,
}

/// Sorts of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// How things are done: set up, build, run, test.
    Canon,
    /// A gate in continuous integration.
    Ci,
    /// What others may rely on.
    Contract,
    /// Where execution or reading begins.
    Entrypoint,
    /// A part of the repository.
    Zone,
    /// Something in progress.
    Work,
    /// Anything else.
    Other,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorListArgs {
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only anchors with this tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorShowArgs {
    /// Their names.
    #[arg(required = true, value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How a list of anchors is printed, and how much of it.
#[derive(Debug, ClapArgs)]
pub(crate) struct ListPageArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Go on where the list was cut, with the same other arguments.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: AnchorFormat,
}

/// How a list of anchors is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnchorFormat {
    /// For people: a count, then the worst first.
    Text,
    /// One object.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
    /// One object a line for each anchor; always complete, whatever the budget.
    Jsonl,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorCheckArgs {
    /// Their names; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Say step by step how each was looked for.
    #[arg(long, conflicts_with_all = ["format", "cursor", "max_chars", "max_tokens"])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorRepairArgs {
    /// Their names; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Also take over text that was edited where its place is proven, as it is now: look at it first.
    #[arg(long)]
    pub(crate) edited: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NotebookCommand {
    /// Name the saved runbooks and anchors, with what became of each.
    Show(NotebookShowArgs),
    /// Do what a transaction asks for: save and delete anchors and runbooks, all or nothing.
    ///
    /// A transaction is JSON or YAML: `{"operations": [...]}`, each of them one of
    /// `{"op": "upsert_anchor", "anchor": {"id": "errors", "at": ["src/error.rs:12-31"]}}`,
    /// `{"op": "delete_anchor", "id": "errors"}`,
    /// `{"op": "upsert_runbook", "runbook": "schema_version: 1\nid: api\n..."}` (or `"file": "api.yaml"`),
    /// `{"op": "delete_runbook", "id": "api"}`. An anchor may have `id`, `at` (places as `anchor add` takes them, from
    /// the root), `kind`, `label`, `tags`, `zone`, `locator`; what is not said stays as it was, `locator` only where it is still true
    /// of the new place.
    Edit(NotebookEditArgs),
    /// Suggest anchors and runbooks for this repository, each with its evidence and the reason; save nothing.
    Suggest(NotebookSuggestArgs),
    /// Save what is suggested. What the notebook has under the same name stays as it is; `notebook rollback` takes
    /// the whole back.
    Apply(NotebookApplyArgs),
    /// Name the revisions that are kept, with what each changed, the newest first.
    History(NotebookHistoryArgs),
    /// Make the notebook what it was at a revision, as a new revision.
    Rollback(NotebookRollbackArgs),
    /// Let go of superseded revisions. This is also done after each change: beyond a hundred, 90 days, 64 MiB.
    Gc(NotebookGcArgs),
    /// Hand anchors and runbooks over to others who work on this repository: anchors in `.windlass/anchors.json`,
    /// runbooks in `runbooks/`, to be committed.
    ///
    /// What others changed there since stays, and is named. What is handed over has no times and no absolute paths;
    /// what holds a secret value, or is grounded in a secret file, is left out. An anchor that was taken out of the
    /// notebook is taken out of the file, if it is there as this notebook knows it.
    Export(NotebookExportArgs),
    /// Take over the anchors that others handed over in `.windlass/anchors.json`, and say what became of them here.
    ///
    /// What you saved yourself stays, and is named, if it is not what was handed over or taken over before. Runbooks
    /// are run where they are, in `runbooks/`; one of the same name in the notebook gives way in the same cases.
    /// Nothing is trusted by it. `notebook rollback` takes the whole back.
    Import(NotebookImportArgs),
    /// Take over the notebook of a repository that this one was cloned from.
    ///
    /// After a move nothing has to be done: where the old place is no longer there, its notebook is taken over by the
    /// first command that needs it. The other notebook is left as it is. What was trusted there is not trusted here.
    Adopt(NotebookAdoptArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookShowArgs {
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only anchors with this tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only what is in this state, as the list calls it: `fresh`, `moved`, `edited`, `stale`, `missing`, `gone`,
    /// `secret`, `unknown`, `invalid`, and of runbooks `valid`, `untrusted`; may be repeated.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) states: Vec<String>,
    /// Only anchors with evidence in this folder, or in files that this glob matches; may be repeated.
    #[arg(short, long = "zone", value_name = "FOLDER|GLOB", add = completion::folders())]
    pub(crate) zones: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookEditArgs {
    /// The transaction, `-` for standard input.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Change it only if it is still at this revision; exit code 5 if it is not.
    #[arg(long, value_name = "REVISION")]
    pub(crate) if_revision: Option<u64>,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookSuggestArgs {
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookApplyArgs {
    /// The suggestions, by name; all if none is given.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Save them only if the suggestions still have this digest: the one that was printed with them.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<Digest>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookHistoryArgs {
    /// How many to name.
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookRollbackArgs {
    /// The revision, as `notebook history` names it.
    #[arg(value_name = "REVISION")]
    pub(crate) revision: u64,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookAdoptArgs {
    /// Where that repository is, or was; needed only if there are several.
    #[arg(long, value_name = "FOLDER", add = completion::folders())]
    pub(crate) from: Option<PathBuf>,
    /// Show what would be taken over, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookExportArgs {
    /// The anchors and runbooks, by name, and the anchors that such runbooks name; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Let what the notebook has count where others changed it too.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what was done.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookImportArgs {
    /// The anchors and runbooks, by name; all if none is given.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Let what the repository has count where you changed it too.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what was done.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookGcArgs {
    /// Keep at most so many superseded revisions; the newest is always kept.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Keep none that is older than so many days, but for the newest ten.
    #[arg(long, value_name = "DAYS")]
    pub(crate) max_age: Option<u32>,
    /// Keep at most so many MiB of them.
    #[arg(long, value_name = "MIB")]
    pub(crate) max_size: Option<u32>,
    /// Show what would be let go of.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Print the runbook instead of writing it.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrustArgs {
    /// The runbook's name, or its file; `.windlass/secrets` for the repository's own list of secret paths,
    /// whose `!` lines count only when it is trusted.
    #[arg(value_name = "NAME|FILE", required_unless_present = "list", add = completion::trustable())]
    pub(crate) runbook: Option<String>,
    /// Show what would be allowed, and allow nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Trust it only if it still has this digest: the one that `--dry-run` printed when you looked at it.
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["dry_run", "revoke", "list"])]
    pub(crate) digest: Option<Digest>,
    /// Take trust back from every version of the runbook.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) revoke: bool,
    /// Name what is trusted, and say what changed since.
    #[arg(long, conflicts_with_all = ["runbook", "dry_run", "revoke"])]
    pub(crate) list: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// `runbook`, `pack`, `anchor`, `transaction`, or a kind of step; all names are printed if none is given.
    #[arg(value_name = "NAME", add = completion::schema_names())]
    pub(crate) name: Option<String>,
    /// Write all schemas into this folder, one file each.
    #[arg(long, value_name = "DIR", conflicts_with = "name", add = completion::folders())]
    pub(crate) out: Option<PathBuf>,
}

/// Shells that can ask for completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// `source <(windlass completions bash)` in `~/.bashrc`.
    Bash,
    /// `eval (windlass completions elvish | slurp)` in `rc.elv`.
    Elvish,
    /// `windlass completions fish | source` in `config.fish`.
    Fish,
    /// `windlass completions powershell | Out-String | Invoke-Expression` in `$PROFILE`.
    Powershell,
    /// `source <(windlass completions zsh)` in `~/.zshrc`, after `compinit`.
    Zsh,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell, and how it takes the script.
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// The command the page is about: `run`, `anchor add`; `windlass` itself if none is given.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Write all pages into this folder, one file each.
    #[arg(long, value_name = "DIR", conflicts_with = "command", add = completion::folders())]
    pub(crate) out: Option<PathBuf>,
}
