//! Arguments of `windlass doc item`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::vcontext::Priority;

use super::{OutputFormat, words};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocItemCommand {
    /// Add an item at the end of the list, or of a stage.
    Add(DocItemAddArgs),
    /// Change an item; times, sequences and stage percentages of the document follow.
    ///
    /// Refused with exit code 5 if another actor has locked the item (`lockedBy`, hard).
    Set(DocItemSetArgs),
}

/// Status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ItemState {
    /// Not started.
    Pending,
    /// Started.
    #[value(name = "inProgress", aliases = ["in-progress", "running"])]
    InProgress,
    /// Done.
    Completed,
    /// Held up by an obstacle.
    Blocked,
    /// Will not be done.
    Cancelled,
    /// Ended without success; xBRIEF only.
    Failed,
}

/// Fields of an item.
#[derive(Debug, ClapArgs)]
pub(crate) struct ItemArgs {
    /// Status.
    #[arg(short, long, value_name = "STATUS")]
    pub(crate) status: Option<ItemState>,
    /// Text, below the title `Overview`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Priority; for items of a TodoList.
    #[arg(short, long, value_name = "PRIORITY", value_parser = words::<Priority>(Priority::ALL.map(Priority::as_str)))]
    pub(crate) priority: Option<Priority>,
    /// Completed share, from 0 to 100.
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub(crate) percent: Option<f64>,
    /// Work that has to be done first, by item; repeatable. Replaces all dependencies.
    #[arg(long = "needs", alias = "after", value_name = "ID")]
    pub(crate) dependencies: Vec<String>,
    /// Tag to find it by; repeatable. Replaces all tags.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Require the document to be at this sequence; exit code 5 if it is not.
    #[arg(long, value_name = "SEQUENCE")]
    pub(crate) if_sequence: Option<u64>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocItemAddArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Title for people.
    pub(crate) title: String,
    /// Id.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Stage to add the item to.
    #[arg(long, alias = "into", value_name = "ID")]
    pub(crate) stage: Option<String>,
    #[command(flatten)]
    pub(crate) item: ItemArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocItemSetArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Item id.
    pub(crate) id: String,
    /// New title.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Remove all dependencies.
    #[arg(long, alias = "after-nothing", conflicts_with = "dependencies")]
    pub(crate) no_needs: bool,
    #[command(flatten)]
    pub(crate) item: ItemArgs,
}

fn percent(text: &str) -> Result<f64, String> {
    super::doc_page::within(text, 100.0)
}
