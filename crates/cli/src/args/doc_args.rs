//! `doc …`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{DocItemCommand, DocPageArgs, DocPlaybookCommand, EntryKind, ItemState, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocCommand {
    /// Say what is wrong with vContext documents, by the whole of the specification; exit code 2 if one is not valid.
    ///
    /// Fields, words, times, names that are there twice, dependencies that lead nowhere or in a circle, threads of
    /// playbooks, sequences, and files that are linked to.
    Check(DocCheckArgs),
    /// Begin a document: a TodoList, Plan or Playbook that says what such a document has to. A file that is there stays as it
    /// is.
    New(DocNewArgs),
    /// Show the items of a TodoList or Plan, or the entries of a Playbook as they stand now, within a budget.
    Show(DocShowArgs),
    /// Write a document as JSON or TRON, where nothing gets lost, or as Markdown for people.
    Convert(DocConvertArgs),
    /// Say how long documents are in each encoding, in characters and tokens.
    Stats(DocStatsArgs),
    /// Say where two documents differ in what they say, whatever they are encoded in; exit code 1 if they do.
    Diff(DocDiffArgs),
    /// Bring a document of an older shape into that of version 0.4, and say what was changed.
    Migrate(DocMigrateArgs),
    /// Make one of two versions of a document and the one that both come from; exit code 1 where they contradict each
    /// other. What would not be a valid document is told, and not written.
    ///
    /// Items keep their order, and what was put in stays behind what it was put behind. Percentages, sequences, logs of
    /// changes and who changed what follow by rules, and never contradict. Events of playbooks and items that somebody else
    /// has locked stay as they were: what a side did to them is told. A fork merged into its parent leaves it its `uid`; with
    /// `--out` the fork records that it is merged.
    Merge(DocMergeArgs),
    /// Make a fork of a TodoList or Plan: a copy with a `uid` of its own, which names its parent and the sequence it was at.
    ///
    /// The parent gets a `uid` and a `sequence` if it has none. `windlass doc merge` brings the fork back and closes it.
    Fork(DocForkArgs),
    /// Add and change items of TodoLists and Plans, under a lock.
    #[command(subcommand)]
    Item(DocItemCommand),
    /// Show playbooks, and append events to them: none is ever changed or taken out.
    #[command(subcommand)]
    Playbook(DocPlaybookCommand),
}

/// What a document is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocSort {
    /// Work to be done now or soon.
    Todo,
    /// How to go about something.
    Plan,
    /// What was learned over time.
    Playbook,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocNewArgs {
    /// What it is to hold.
    pub(crate) sort: DocSort,
    /// What it is called by people; of a Plan it is what is proposed as well, until somebody writes more.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: String,
    /// Write it into this file, which must not be there, instead of printing it: TRON where it ends with `.tron`, else JSON.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocCheckArgs {
    /// The documents.
    #[arg(value_name = "FILE", required = true, add = completion::files())]
    pub(crate) files: Vec<String>,
    /// The same document as it was before: what may only grow is compared with it.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) before: Option<String>,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocShowArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only the item with this `id`, or the entry of this name; may be repeated.
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only items that are as far; may be repeated.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) statuses: Vec<ItemState>,
    /// Only what has this tag, and all others that are given; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only entries that have one of these tags; may be repeated.
    #[arg(long = "any-tag", value_name = "TAG")]
    pub(crate) any_tags: Vec<String>,
    /// Only entries of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<EntryKind>,
    /// Only what has this text in its title or narrative, whatever the case of its letters.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Also entries that are no longer to be followed.
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

/// What a document is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocEncoding {
    /// For all tools.
    Json,
    /// For agents: JSON in which objects that are alike share a class.
    Tron,
    /// For people. There is no way back.
    Markdown,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocConvertArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// What to write it as.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) to: DocEncoding,
    /// Write it into this file instead of printing it. What is printed has secret values replaced.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
    /// Without a blank that need not be there; with `--compact=tokens` TRON of as few tokens as can be found, and never of
    /// more than JSON.
    #[arg(long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "chars")]
    pub(crate) compact: Option<DocCompact>,
    /// Keep `null` in fields of the specification, where it means the same as no field.
    #[arg(long)]
    pub(crate) keep_null: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocStatsArgs {
    /// The documents.
    #[arg(value_name = "FILE", required = true, add = completion::files())]
    pub(crate) files: Vec<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocDiffArgs {
    /// One document.
    #[arg(value_name = "FIRST", add = completion::files())]
    pub(crate) first: String,
    /// The other.
    #[arg(value_name = "SECOND", add = completion::files())]
    pub(crate) second: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocMigrateArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Replace the file instead of printing what becomes of it.
    #[arg(long)]
    pub(crate) write: bool,
}

/// What a compact text is to have few of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocCompact {
    /// Characters.
    Chars,
    /// Tokens.
    Tokens,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocForkArgs {
    /// The document, which becomes the parent.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Write the fork into this file, which must not exist.
    #[arg(short, long, value_name = "FORK", add = completion::files())]
    pub(crate) out: String,
    /// Also keep the parent as it is now in this file, which must not exist: the BASE of `windlass doc merge`.
    #[arg(long, value_name = "BASE", add = completion::files())]
    pub(crate) base: Option<String>,
    /// Reason for the fork.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocMergeArgs {
    /// The document that both come from.
    #[arg(value_name = "BASE", add = completion::files())]
    pub(crate) base: String,
    /// One version. Where they contradict each other what it says counts; what it took out and the other changed stays as
    /// that has it.
    #[arg(value_name = "OURS", add = completion::files())]
    pub(crate) ours: String,
    /// The other.
    #[arg(value_name = "THEIRS", add = completion::files())]
    pub(crate) theirs: String,
    /// Write it into this file instead of printing it; as a merge driver of git: `windlass doc merge %O %A %B --out %A`.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    /// How it is printed: `text` is the document, with the conflicts on the other stream; otherwise both are one object.
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub(crate) format: OutputFormat,
}
