//! `doc item …`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::OutputFormat;
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocItemCommand {
    /// Add an item at the end of the list, or of the parts of a stage.
    Add(DocItemAddArgs),
    /// Change an item. What the document says of changes is kept true: times, sequences, percentages of stages.
    ///
    /// Refused with exit code 5 where somebody has locked the item (`lockedBy`, hard).
    Set(DocItemSetArgs),
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ItemState {
    /// Not begun.
    Pending,
    /// Begun.
    #[value(name = "inProgress", alias = "in-progress")]
    InProgress,
    /// Done.
    Completed,
    /// Something is in its way.
    Blocked,
    /// It will not be done.
    Cancelled,
}

/// How much an item matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ItemPriority {
    /// Little.
    Low,
    /// As usual.
    Medium,
    /// Much.
    High,
    /// More than all else.
    Critical,
}

/// What an item is to say.
#[derive(Debug, ClapArgs)]
pub(crate) struct ItemArgs {
    /// How far it is.
    #[arg(short, long, value_name = "STATUS")]
    pub(crate) status: Option<ItemState>,
    /// What it is about, below the title `Overview`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// How much it matters; of items of a TodoList.
    #[arg(long, value_name = "PRIORITY")]
    pub(crate) priority: Option<ItemPriority>,
    /// How much of it is done, from 0 to 100.
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub(crate) percent: Option<f64>,
    /// The items it waits for, by `id`, all of them; may be repeated.
    #[arg(long = "after", value_name = "ID")]
    pub(crate) dependencies: Vec<String>,
    /// A label to find it by, all of them; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only if the document is still at this sequence; exit code 5 if it is not.
    #[arg(long, value_name = "SEQUENCE")]
    pub(crate) if_sequence: Option<u64>,
    /// Show the item, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print the item.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocItemAddArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// What it is called by people.
    pub(crate) title: String,
    /// What it is called by others.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The stage that it is a part of.
    #[arg(long, value_name = "ID")]
    pub(crate) into: Option<String>,
    #[command(flatten)]
    pub(crate) item: ItemArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocItemSetArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// The item.
    pub(crate) id: String,
    /// What it is called by people.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Let it wait for nothing.
    #[arg(long, conflicts_with = "dependencies")]
    pub(crate) after_nothing: bool,
    #[command(flatten)]
    pub(crate) item: ItemArgs,
}

/// How much of something is done.
fn percent(text: &str) -> Result<f64, String> {
    super::doc_page::within(text, 100.0)
}
