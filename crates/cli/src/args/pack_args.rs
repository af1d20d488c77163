//! Arguments of `windlass pack`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand};
use windlass::packs::context::{Approval, GlobalMode, JoinPolicy, NodeMode, Profile};

use super::{BudgetArgs, FormatArgs, OutputFormat, PackFormat, max_results, words};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    /// Build a pack for a goal: documents, changes, failures and relevant files. The whole pack is stored, and the part
    /// that fits the budget is printed.
    #[command(visible_alias = "add")]
    Build(Box<PackBuildArgs>),
    /// List stored packs, the newest first.
    List {
        /// Maximum number of results; 0 for no limit.
        #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_results)]
        limit: usize,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Merge the packs of several nodes, in any order, and report conflicts; exit code 1 while the join waits.
    Merge(PackMergeArgs),
    /// Rebuild a pack from its sources and report differences; exit code 1 if it differs or cannot be verified, because
    /// a source is not recorded, or was outside of the repository and no longer exists.
    Rebuild(PackRebuildArgs),
    /// Compare two packs, part by part.
    Diff(PackDiffArgs),
    /// Show a pack, cut to a budget if one is given.
    Show(PackShowArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackBuildArgs {
    /// Goal in one to three sentences; `-` reads standard input. By default the goal of the plan, if that is a vContext
    /// document.
    pub(crate) goal: Option<String>,
    /// Acceptance criterion; repeatable. By default the checkbox lines in the sections "Definition of done" and
    /// "Acceptance" of the documents; for a TodoList or Plan its narratives of these names and its unfinished items.
    #[arg(long = "criterion", alias = "done", value_name = "TEXT")]
    pub(crate) done: Vec<String>,
    /// Folder of the documents in the repository; `docs` by default.
    #[arg(long, value_name = "DIR")]
    pub(crate) docs_root: Option<String>,
    /// Plan, or a section of it: `docs/PLAN.md#retries`. By default `PLAN.md` of the documents or the root.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) plan: Option<String>,
    /// Acceptance document; `ACCEPTANCE.md` by default.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) acceptance: Option<String>,
    /// Architecture document; `ARCHITECTURE.md` by default.
    #[arg(long, value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) architecture: Option<String>,
    /// Another document of the contract; repeatable.
    #[arg(long = "doc", value_name = "FILE[#SECTION]", add = completion::files())]
    pub(crate) docs: Vec<String>,
    /// Base revision: report changes since this commit, or since the files of this pack; since the checked-out commit by
    /// default. A failure of a previous pack counts as fixed if results of the same name pass now.
    #[arg(long, alias = "since", value_name = "REV")]
    pub(crate) base: Option<String>,
    /// File with results of tests or a compiler: JUnit XML, TRX, CTRF, JSON of Jest, Vitest or RSpec, Bazel build events,
    /// TAP, `go test -json`, or their printed output; any name, also outside of the repository; repeatable.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) results: Vec<String>,
    /// Relevant file; repeatable.
    #[arg(long = "file", value_name = "FILE", add = completion::files())]
    pub(crate) files: Vec<String>,
    /// Do not recall memory for the goal.
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Regular expression that finds relevant lines; repeatable.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) search: Vec<String>,
    /// Constraint to respect; repeatable.
    #[arg(long = "constraint", value_name = "NAME=TEXT")]
    pub(crate) constraints: Vec<String>,
    /// Decision that was made; repeatable.
    #[arg(long = "decision", value_name = "ID=TEXT")]
    pub(crate) decisions: Vec<String>,
    /// Pack of a preceding node: it is named, and its decisions apply; repeatable.
    #[arg(long, alias = "from", value_name = "PACK", add = completion::files())]
    pub(crate) inherit: Vec<String>,
    /// Run id.
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Node id.
    #[arg(long, value_name = "ID")]
    pub(crate) node: Option<String>,
    /// Mode of work: planning or implementation.
    #[arg(long, value_name = "MODE", default_value = "implementation")]
    #[arg(value_parser = words::<GlobalMode>(["planning", "implementation"]))]
    pub(crate) mode: GlobalMode,
    /// Interaction of the node with people: none, or questions may be asked.
    #[arg(long, value_name = "MODE", value_parser = words::<NodeMode>(["auto", "interactive"]))]
    pub(crate) node_mode: Option<NodeMode>,
    /// Tool that the node may use; repeatable.
    #[arg(long = "allow-tool", value_name = "NAME")]
    pub(crate) allow_tools: Vec<String>,
    /// Tool that the node may not use; repeatable.
    #[arg(long = "block-tool", value_name = "NAME")]
    pub(crate) block_tools: Vec<String>,
    /// Treatment of all other tools: they may be used, each use needs approval, or they may not be used.
    #[arg(long, value_name = "MODE", value_parser = words::<Approval>(["auto", "ask", "deny"]))]
    pub(crate) approval: Option<Approval>,
    /// Schema or contract of the output.
    #[arg(long, value_name = "REF")]
    pub(crate) output_schema: Option<String>,
    /// Write the whole pack to this file as well, in JSON.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackShowArgs {
    /// Pack: id, at least six of its first digits, `last`, or a JSON file.
    #[arg(value_name = "PACK", default_value = "last", add = completion::files())]
    pub(crate) pack: String,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackMergeArgs {
    /// Packs: ids, files, or files of payloads that name a pack.
    #[arg(value_name = "PACK", required = true, add = completion::files())]
    pub(crate) packs: Vec<String>,
    /// Completion of the join: `all`, `any`, `quorum:K`, or `timeout:30s` after the first.
    #[arg(long, value_name = "POLICY", default_value = "all")]
    pub(crate) policy: JoinPolicy,
    /// Number of expected packs; the number of given packs by default.
    #[arg(long, value_name = "N")]
    pub(crate) expect: Option<NonZeroUsize>,
    /// Goal of the next node; one of the merged goals by default.
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    /// Run id.
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Node id.
    #[arg(long, value_name = "ID")]
    pub(crate) node: Option<String>,
    /// Edge that the payload passes.
    #[arg(long, value_name = "ID")]
    pub(crate) edge: Option<String>,
    /// Print the payload in place of the pack: JSON that names the pack.
    #[arg(long)]
    pub(crate) payload: bool,
    /// Write the whole pack to this file as well, in JSON.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: PackViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackRebuildArgs {
    /// Pack: id, at least six of its first digits, `last`, or a JSON file.
    #[arg(value_name = "PACK", default_value = "last", add = completion::files())]
    pub(crate) pack: String,
    /// Write the rebuilt pack to this file, in JSON.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PackDiffArgs {
    /// Older pack: id or file.
    #[arg(value_name = "OLD", add = completion::files())]
    pub(crate) old: String,
    /// Newer pack: id or file.
    #[arg(value_name = "NEW", default_value = "last", add = completion::files())]
    pub(crate) new: String,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Presentation of a context pack.
#[derive(Debug, ClapArgs)]
pub(crate) struct PackViewArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Purpose, which sets the size of the pack: 6,000, 12,000, 16,000 or 20,000 tokens.
    ///
    /// `routine` is the next turn of ongoing work, `investigation` a first look, `refactor` a change in many places,
    /// `deep-failure` a failure that is not understood.
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(crate) profile: Option<Profile>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PackFormat,
}

/// Parses the name of a profile.
pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str)).try_map(|name| name.parse())
}
