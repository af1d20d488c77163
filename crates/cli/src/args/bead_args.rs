//! Arguments of `windlass bead`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::ledger::Stamp;
use windlass::ledger::bead::{BeadStatus, IssueType};

use super::{OutputFormat, max_results};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum BeadCommand {
    /// Create a bead.
    #[command(visible_aliases = ["new", "add"])]
    Create(BeadCreateArgs),
    /// List beads, the most important first; closed ones with `--all`.
    List(BeadListArgs),
    /// Show a bead, its dependencies and its dependents.
    Show(BeadShowArgs),
    /// List beads that are ready to be worked on.
    Ready(BeadListArgs),
    /// List blocked beads, with the reason for each.
    Blocked(BeadListArgs),
    /// List beads that contain a text.
    Search(BeadSearchArgs),
    /// Claim a bead; by default the most important ready one. Exit code 5 if another actor holds it.
    Claim(BeadClaimArgs),
    /// Change fields of a bead.
    Update(Box<BeadUpdateArgs>),
    /// Close beads, all or none.
    #[command(visible_alias = "done")]
    Close(BeadCloseArgs),
    /// Reopen closed beads, all or none.
    Reopen(BeadReopenArgs),
    /// Change the dependencies of a bead.
    #[command(subcommand)]
    Dep(BeadDepCommand),
    /// Import records of `bd` and `beads_rust` (`issues.jsonl`), issues of GitHub (`gh issue list --json …`), or items of
    /// a TodoList (vContext), without losing a field.
    ///
    /// The shape is detected. An issue of GitHub is found again by its address, in `external_ref`, so importing again
    /// updates its bead; labels, comments, the parent and blocking issues are taken over, all else is in its metadata.
    /// Next to an `issues.jsonl`, the tables of a backup are read as well: `dependencies.jsonl`, `labels.jsonl`,
    /// `comments.jsonl`. A record without a priority gets 0, as `bd` reads it. A dependency of a bead on itself, or one
    /// that closes a cycle, is reported and stored as `related`.
    Import(BeadImportArgs),
    /// Write beads as items of a TodoList (vContext) with its extension for beads: status, priority, texts,
    /// dependencies.
    ///
    /// In an existing file, beads replace their own items; everything else stays. With `--format issues`, beads are written
    /// as records of `bd` and `beads_rust`, one per line; imported records keep every field, with the changes since
    /// then.
    Export(BeadExportArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadCreateArgs {
    /// Title: one line of at most 100 characters.
    pub(crate) title: String,
    /// Description, in Markdown; `-` reads standard input.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) description: String,
    /// Type: `task`, `bug`, `feature`, `epic`, `merge-request`.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    #[arg(default_value = "task")]
    pub(crate) issue_type: IssueType,
    /// Priority, from 0 (critical) to 4 (backlog).
    #[arg(short, long, value_name = "PRIORITY", default_value = "2", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) priority: u8,
    /// Label to find it by; repeatable.
    #[arg(short, long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Assignee.
    #[arg(short, long, value_name = "ACTOR")]
    pub(crate) assignee: Option<String>,
    /// Parent bead; the id becomes the parent's id and a number.
    #[arg(long, value_name = "BEAD")]
    pub(crate) parent: Option<String>,
    /// Work that has to be done first, by bead; repeatable.
    #[arg(long = "needs", short_alias = 'n', value_name = "ID")]
    pub(crate) needs: Vec<String>,
    /// Id; drawn at random by default.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Prefix of a drawn id; by default that of the previous bead, or the name of the folder.
    #[arg(long, value_name = "PREFIX", conflicts_with = "id")]
    pub(crate) prefix: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Filter of beads.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct BeadFilterArgs {
    /// Only beads with this status; repeatable.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) statuses: Vec<BeadStatus>,
    /// Include closed and deleted beads.
    #[arg(long)]
    pub(crate) all: bool,
    /// Only beads of this type, including types of other tools (`chore`).
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<String>,
    /// Only beads of this priority; repeatable.
    #[arg(short, long = "priority", value_name = "PRIORITY")]
    pub(crate) priorities: Vec<u8>,
    /// Only beads assigned to this actor.
    #[arg(short, long, value_name = "ACTOR", conflicts_with = "unassigned")]
    pub(crate) assignee: Option<String>,
    /// Only beads without an assignee.
    #[arg(long)]
    pub(crate) unassigned: bool,
    /// Only beads with this label; repeatable, all must match.
    #[arg(short, long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Only descendants of this bead, at any depth.
    #[arg(long, value_name = "BEAD")]
    pub(crate) parent: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadListArgs {
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    #[command(flatten)]
    pub(crate) view: BeadViewArgs,
}

/// Presentation of a list of beads.
#[derive(Debug, ClapArgs)]
pub(crate) struct BeadViewArgs {
    /// State at this time: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Stamp>,
    /// Maximum number of results; 0 for no limit.
    #[arg(short = 'n', long, value_name = "N", default_value = "50", value_parser = max_results)]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadSearchArgs {
    /// Text to search for, ignoring case.
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    #[command(flatten)]
    pub(crate) view: BeadViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadShowArgs {
    /// Bead id.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// State at this time: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Stamp>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadClaimArgs {
    /// Bead id; by default the most important ready bead that is not assigned to another actor.
    #[arg(value_name = "BEAD")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadUpdateArgs {
    /// Bead id.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// New title.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// New description; `-` reads standard input.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// New type.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<IssueType>,
    /// New priority, from 0 (critical) to 4 (backlog).
    #[arg(short, long, value_name = "PRIORITY", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) priority: Option<u8>,
    /// New assignee; empty for none.
    #[arg(short, long, value_name = "ACTOR")]
    pub(crate) assignee: Option<String>,
    /// New status.
    #[arg(short, long, value_name = "STATUS")]
    pub(crate) status: Option<BeadStatus>,
    /// Label to add; repeatable.
    #[arg(
        long = "add-label",
        alias = "label",
        short_alias = 'l',
        value_name = "LABEL"
    )]
    pub(crate) add_labels: Vec<String>,
    /// Label to remove; repeatable.
    #[arg(long = "remove-label", value_name = "LABEL")]
    pub(crate) remove_labels: Vec<String>,
    /// Key of `metadata` and its value, JSON or text; an empty value removes the key. Repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadCloseArgs {
    /// Bead ids.
    #[arg(value_name = "BEAD", required = true)]
    pub(crate) ids: Vec<String>,
    /// Reason.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) reason: String,
    /// Close as failed: dependents of the kind `conditional-blocks` may begin.
    #[arg(long)]
    pub(crate) failed: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadReopenArgs {
    /// Bead ids.
    #[arg(value_name = "BEAD", required = true)]
    pub(crate) ids: Vec<String>,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BeadDepCommand {
    /// `dep add A B`: make A depend on B. Refused if A could never begin.
    Add(BeadDepAddArgs),
    /// `dep remove A B`: remove the dependency of A on B.
    Remove(BeadDepRemoveArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadDepAddArgs {
    /// Bead that depends on the other.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// Bead it depends on.
    pub(crate) on: String,
    /// Type: `blocks`, `parent-child`, `conditional-blocks` (begins only if the other fails), `waits-for`
    /// (all children of the other); any other word (`related`, `discovered-from` …) blocks nothing.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    #[arg(default_value = "blocks")]
    pub(crate) kind: String,
    /// With `waits-for`: wait for any one child.
    #[arg(long)]
    pub(crate) any_child: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadDepRemoveArgs {
    /// Bead that depends on the other.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// Bead it depends on.
    pub(crate) on: String,
    /// Only this type of dependency.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadImportArgs {
    /// File with one record per line, TodoList in JSON or TRON, or folder of a backup; `-` for standard input.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: PathBuf,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep the ledger in a `.beads` folder that belongs to another tool from now on.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) adopt: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadExportArgs {
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    /// Write to this file instead of standard output. Secret values are replaced on standard output.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
    /// Output format; by default from the file extension (`.tron`, `.jsonl`), else JSON.
    #[arg(long, alias = "to", value_name = "FORMAT")]
    pub(crate) format: Option<BeadEncoding>,
}

/// Encoding of exported beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BeadEncoding {
    /// For all tools.
    Json,
    /// For agents: JSON in which similar objects share a class.
    Tron,
    /// Records of `bd` and `beads_rust`, one per line.
    Issues,
}
