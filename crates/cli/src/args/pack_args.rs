//! `pack …`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use windlass::packs::context::JoinPolicy;

use super::{BudgetArgs, OutputFormat, PackFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    /// Put a pack together: documents, what changed and fails, and the files that matter for a goal. All of it is kept, and what
    /// fits is printed.
    Build(Box<PackBuildArgs>),
    /// Join packs of several nodes to one, whichever came first; what they say differently is told. Exit code 1 while it waits.
    Merge(PackMergeArgs),
    /// Make a pack anew from where its parts come from, and say what is not as it was. Exit code 1 if it is not the same, or
    /// if nobody can look whether some of it holds: nothing says where that comes from, or it lay outside of the repository and is
    /// not there.
    Rebuild(PackRebuildArgs),
    /// Say what differs between two packs, part by part.
    Diff(PackDiffArgs),
    /// Show a pack, as much as fits into a budget; all of it without one.
    Show(PackShowArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackBuildArgs {
    /// What is to be reached, in one to three sentences; `-` reads it from standard input. Without it, what the plan says, if
    /// that is a vContext document.
    pub(crate) goal: Option<String>,
    /// What must hold for it to be reached; may be repeated. Without it, the lines with a box to tick of the documents' sections
    /// "Definition of done" and "Acceptance"; of a TodoList or Plan what its narratives say of it, and what is not done yet.
    #[arg(long = "done", value_name = "TEXT")]
    pub(crate) done: Vec<String>,
    /// The folder of the documents, in the repository; `docs` if not given.
    #[arg(long, value_name = "DIR")]
    pub(crate) docs_root: Option<String>,
    /// The plan, or a section of it: `docs/PLAN.md#retries`. Without it, `PLAN.md` of the documents or the root.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) plan: Option<String>,
    /// What is accepted; `ACCEPTANCE.md` without it.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) acceptance: Option<String>,
    /// How it is built; `ARCHITECTURE.md` without it.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) architecture: Option<String>,
    /// Another document that is a part of the contract; may be repeated.
    #[arg(long = "doc", value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) docs: Vec<String>,
    /// Tell what changed since this commit, or since this pack saw the files; since what is checked out without it. What failed in a pack
    /// is mended where results of the same name say now that it passed.
    #[arg(long, value_name = "REV|PACK")]
    pub(crate) since: Option<String>,
    /// A file with what tests or a compiler said: JUnit XML, TAP, `go test -json`, or what they printed; of any name, also outside of the
    /// repository; may be repeated.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) results: Vec<String>,
    /// A file that matters; may be repeated.
    #[arg(long = "file", value_name = "FILE", add = completion::files())]
    pub(crate) files: Vec<String>,
    /// Do not ask the memory of the repository what it recalls of the goal.
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// A regular expression that lines of files that matter match; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) search: Vec<String>,
    /// Something that has to be kept to; may be repeated.
    #[arg(long = "constraint", value_name = "NAME=TEXT")]
    pub(crate) constraints: Vec<String>,
    /// Something that was decided; may be repeated.
    #[arg(long = "decision", value_name = "ID=TEXT")]
    pub(crate) decisions: Vec<String>,
    /// The pack of a node before: it is named, and what was decided there holds; may be repeated.
    #[arg(long, value_name = "PACK", add = completion::files())]
    pub(crate) from: Vec<String>,
    /// The run it is for.
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// The node it is for.
    #[arg(long, value_name = "ID")]
    pub(crate) node: Option<String>,
    /// Whether the work is planned or done.
    #[arg(long, value_name = "MODE", default_value = "implementation")]
    pub(crate) mode: WorkMode,
    /// Whether the node can ask somebody.
    #[arg(long, value_name = "MODE")]
    pub(crate) node_mode: Option<AskMode>,
    /// A tool that the node may use; may be repeated.
    #[arg(long = "allow-tool", value_name = "NAME")]
    pub(crate) allow_tools: Vec<String>,
    /// A tool that the node may not use; may be repeated.
    #[arg(long = "block-tool", value_name = "NAME")]
    pub(crate) block_tools: Vec<String>,
    /// Treatment of all other tools.
    #[arg(long, value_name = "MODE")]
    pub(crate) approval: Option<ToolApproval>,
    /// The schema or contract that the output keeps to.
    #[arg(long, value_name = "REF")]
    pub(crate) output_schema: Option<String>,
    /// Write all of it to this file as well, in JSON.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

/// Whether work is planned or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkMode {
    /// Planned.
    Planning,
    /// Done.
    Implementation,
}

/// Whether somebody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskMode {
    /// Nobody.
    Auto,
    /// Somebody.
    Interactive,
}

/// Treatment of tools that are neither allowed nor blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolApproval {
    /// They may be used.
    Auto,
    /// Somebody is asked before each use.
    Ask,
    /// They may not be used.
    Deny,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackShowArgs {
    /// The pack: its id, six or more of its first digits, `last`, or a file in JSON.
    #[arg(value_name = "PACK", default_value = "last", add = completion::files())]
    pub(crate) pack: String,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackMergeArgs {
    /// The packs: ids, or files; or files of payloads that name a pack.
    #[arg(value_name = "PACK", required = true, add = completion::files())]
    pub(crate) packs: Vec<String>,
    /// When the join is done: `all`, `any`, `quorum:K`, or `timeout:30s` after the first.
    #[arg(long, value_name = "POLICY", default_value = "all")]
    pub(crate) policy: JoinPolicy,
    /// How many are to come; as many as are named without it.
    #[arg(long, value_name = "N")]
    pub(crate) expect: Option<NonZeroUsize>,
    /// The goal of what follows; one of theirs without it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    /// The run it is for.
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// The node it is for.
    #[arg(long, value_name = "ID")]
    pub(crate) node: Option<String>,
    /// The edge that the payload goes over.
    #[arg(long, value_name = "ID")]
    pub(crate) edge: Option<String>,
    /// Print what passes on in place of the pack: a payload in JSON that names it.
    #[arg(long)]
    pub(crate) payload: bool,
    /// Write all of the pack to this file as well, in JSON.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackRebuildArgs {
    /// The pack: its id, six or more of its first digits, `last`, or a file in JSON.
    #[arg(value_name = "PACK", default_value = "last", add = completion::files())]
    pub(crate) pack: String,
    /// Write what was made to this file, in JSON.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    /// How to print what became of its parts.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackDiffArgs {
    /// The older pack: its id, or a file.
    #[arg(value_name = "OLD", add = completion::files())]
    pub(crate) old: String,
    /// The newer pack: its id, or a file.
    #[arg(value_name = "NEW", default_value = "last", add = completion::files())]
    pub(crate) new: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How a context pack is shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct PackViewArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// What it is for, which says how large it may be: 6,000, 12,000, 16,000 or 20,000 tokens.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<PackProfile>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PackFormat,
}

/// What a context pack is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackProfile {
    /// The next turn of work that goes on.
    Routine,
    /// A first look at something.
    Investigation,
    /// A change of many places.
    Refactor,
    /// A failure that is not understood.
    DeepFailure,
}
