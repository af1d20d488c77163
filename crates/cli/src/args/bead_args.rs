//! `bead …`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::ledger::Stamp;
use windlass::ledger::bead::{BeadStatus, IssueType};

use super::OutputFormat;
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum BeadCommand {
    /// Make a bead.
    Create(BeadCreateArgs),
    /// Name beads, the most important first; closed ones with `--all`.
    List(BeadListArgs),
    /// Show a bead, what it waits for, and what waits for it.
    Show(BeadShowArgs),
    /// Name the beads that can be worked on now.
    Ready(BeadListArgs),
    /// Name the beads that cannot be begun, and say why.
    Blocked(BeadListArgs),
    /// Name the beads that have a text in them.
    Search(BeadSearchArgs),
    /// Take a bead for oneself; the most important that is ready, if none is named. Exit code 5 if somebody has it.
    Claim(BeadClaimArgs),
    /// Change fields of a bead.
    Update(Box<BeadUpdateArgs>),
    /// Close beads, all or none.
    Close(BeadCloseArgs),
    /// Open closed beads again, all or none.
    Reopen(BeadReopenArgs),
    /// Say what a bead depends on.
    #[command(subcommand)]
    Dep(BeadDepCommand),
    /// Import records of `bd` and `beads_rust` (`issues.jsonl`), or items of a TodoList (vContext), without losing a field.
    ///
    /// Beside an `issues.jsonl`, the tables of a backup are read as well: `dependencies.jsonl`, `labels.jsonl`, `comments.jsonl`.
    /// A record without a priority has the one that `bd` reads there, which is 0. Nothing waits for a dependency on a
    /// bead itself, or for one that closes a circle: it is reported, and kept as `related`.
    Import(BeadImportArgs),
    /// Write beads as items of a TodoList (vContext), by its extension for beads: status, priority, texts, dependencies.
    ///
    /// Into a file that is there, the beads are written over their own items; what else the file says stays. With
    /// `--to issues` they are written as records of `bd` and `beads_rust`, a line each: those that were imported field by
    /// field as they came in, with what changed since.
    Export(BeadExportArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadCreateArgs {
    /// Its title: one line of at most 100 characters.
    pub(crate) title: String,
    /// What is to be done, in Markdown; `-` reads it from standard input.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) description: String,
    /// What sort of work it is: `task`, `bug`, `feature`, `epic`, `merge-request`.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    #[arg(default_value = "task")]
    pub(crate) issue_type: IssueType,
    /// 0 (critical) to 4 (backlog).
    #[arg(short, long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) priority: u8,
    /// A word to find it by; may be repeated.
    #[arg(short, long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Who it is for.
    #[arg(short, long, value_name = "ACTOR")]
    pub(crate) assignee: Option<String>,
    /// The bead it is a part of: its id is that one's, and a number.
    #[arg(long, value_name = "BEAD")]
    pub(crate) parent: Option<String>,
    /// A bead that has to be closed before this one can be begun; may be repeated.
    #[arg(short, long = "needs", value_name = "BEAD")]
    pub(crate) needs: Vec<String>,
    /// Its id; drawn if not given.
    #[arg(long, value_name = "BEAD")]
    pub(crate) id: Option<String>,
    /// What a drawn id begins with; as that of the bead before, or as the folder is called, if not given.
    #[arg(long, value_name = "PREFIX", conflicts_with = "id")]
    pub(crate) prefix: Option<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Which beads.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct BeadFilterArgs {
    /// Only those of this status; may be repeated.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) statuses: Vec<BeadStatus>,
    /// Closed and deleted ones as well.
    #[arg(long)]
    pub(crate) all: bool,
    /// Only those of this type, also one of another tool (`chore`).
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<String>,
    /// Only those of this priority; may be repeated.
    #[arg(short, long = "priority", value_name = "N")]
    pub(crate) priorities: Vec<u8>,
    /// Only those for this one.
    #[arg(short, long, value_name = "ACTOR", conflicts_with = "unassigned")]
    pub(crate) assignee: Option<String>,
    /// Only those for nobody.
    #[arg(long)]
    pub(crate) unassigned: bool,
    /// Only those with this label; may be repeated, all have to fit.
    #[arg(short, long = "label", value_name = "LABEL")]
    pub(crate) labels: Vec<String>,
    /// Only parts of this one, at any depth.
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

/// How beads are shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct BeadViewArgs {
    /// As it was at this moment: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Stamp>,
    /// How many to name at most; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value = "50")]
    pub(crate) limit: usize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadSearchArgs {
    /// The text; large and small letters are the same.
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    #[command(flatten)]
    pub(crate) view: BeadViewArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadShowArgs {
    /// Its id.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// As it was at this moment: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Stamp>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadClaimArgs {
    /// Its id; the most important that is ready and nobody else's, if not given.
    #[arg(value_name = "BEAD")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadUpdateArgs {
    /// Its id.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// Another title.
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Another description; `-` reads it from standard input.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Another type.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) issue_type: Option<IssueType>,
    /// Another priority: 0 (critical) to 4 (backlog).
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) priority: Option<u8>,
    /// Who it is for from now on; nobody if empty.
    #[arg(short, long, value_name = "ACTOR")]
    pub(crate) assignee: Option<String>,
    /// Where it stands from now on.
    #[arg(short, long, value_name = "STATUS")]
    pub(crate) status: Option<BeadStatus>,
    /// A label it has from now on; may be repeated.
    #[arg(short = 'l', long = "label", value_name = "LABEL")]
    pub(crate) add_labels: Vec<String>,
    /// A label it has no longer; may be repeated.
    #[arg(long = "remove-label", value_name = "LABEL")]
    pub(crate) remove_labels: Vec<String>,
    /// A key of `metadata` and its value, JSON or text; without a value it is taken away. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadCloseArgs {
    /// Their ids.
    #[arg(value_name = "BEAD", required = true)]
    pub(crate) ids: Vec<String>,
    /// Why.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) reason: String,
    /// They failed: what depends on them with `conditional-blocks` may begin.
    #[arg(long)]
    pub(crate) failed: bool,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadReopenArgs {
    /// Their ids.
    #[arg(value_name = "BEAD", required = true)]
    pub(crate) ids: Vec<String>,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BeadDepCommand {
    /// `dep add A B`: A depends on B. Refused if nothing of it could ever begin.
    Add(BeadDepAddArgs),
    /// `dep remove A B`: A depends on B no longer.
    Remove(BeadDepRemoveArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadDepAddArgs {
    /// The bead that depends on the other.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// The other.
    pub(crate) on: String,
    /// In which way: `blocks`, `parent-child`, `conditional-blocks` (begins only if the other fails), `waits-for` (for
    /// all children of the other); every other word (`related`, `discovered-from` …) is waited for by nobody.
    #[arg(short = 't', long = "type", value_name = "KIND")]
    #[arg(default_value = "blocks")]
    pub(crate) kind: String,
    /// With `waits-for`: any child is enough.
    #[arg(long)]
    pub(crate) any_child: bool,
    /// How to print the bead.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadDepRemoveArgs {
    /// The bead that depends on the other.
    #[arg(value_name = "BEAD")]
    pub(crate) id: String,
    /// The other.
    pub(crate) on: String,
    /// Only this kind of dependency.
    #[arg(short = 't', long = "type", value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// How to print the bead.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadImportArgs {
    /// The file, a record a line, or a TodoList in JSON or TRON; the folder of a backup; `-` for standard input.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: PathBuf,
    /// Say what would be taken over, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep the ledger in a `.beads` folder that belongs to another tool from now on.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) adopt: bool,
    /// How to print what was taken over.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BeadExportArgs {
    #[command(flatten)]
    pub(crate) filter: BeadFilterArgs,
    /// Write it into this file instead of printing it. What is printed has secret values replaced.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
    /// What is written; as the name of the file says if not given (`.tron`, `.jsonl`), else JSON.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) to: Option<BeadEncoding>,
}

/// What beads are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BeadEncoding {
    /// For all tools.
    Json,
    /// For agents: JSON in which objects that are alike share a class.
    Tron,
    /// Records of `bd` and `beads_rust`, a line each.
    Issues,
}
