//! Arguments of `windlass doc playbook`.

use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::vcontext::ItemKind;

use super::doc_page::within;
use super::{DocPageArgs, OutputFormat, words};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocPlaybookCommand {
    /// Show the current entries, folded from all their events.
    Show(DocPlaybookShowArgs),
    /// Add an entry.
    #[command(visible_alias = "add")]
    Append(DocPlaybookAppendArgs),
    /// Change an entry, or add to its counts.
    Update(DocPlaybookUpdateArgs),
    /// Deprecate an entry.
    #[command(visible_alias = "remove")]
    Deprecate(DocPlaybookDeprecateArgs),
    /// Merge concurrent heads of an entry into one, as after merging two copies.
    ///
    /// Appends one event: it follows the retained head (`prevEventId`), lists the others in its
    /// `metadata.resolvesEventIds`, and is later than all of them. The text of the other branches no longer applies,
    /// but their counts still do; `--text` sets the merged text. An event that follows a closed branch opens a new one.
    Resolve(DocPlaybookResolveArgs),
    /// Add the events of another copy of a playbook; exit code 1 on conflicts. Both copies and the result have to be
    /// valid, or nothing is written. Counts are added up.
    Merge(DocPlaybookMergeArgs),
    /// Deprecate entries that duplicate an older one, which receives their counts, tags and evidence.
    ///
    /// Two entries are duplicates if kind, title and narrative match, ignoring case outside of code, whitespace, and
    /// trailing punctuation. Every copy produces the same events, so that copies can still be merged.
    Dedupe(DocPlaybookDedupeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookShowArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only entries with this tag; repeatable.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only entries of this kind; repeatable.
    #[arg(short, long = "kind", value_name = "KIND", value_parser = entry_kind())]
    pub(crate) kinds: Vec<ItemKind>,
    /// Include deprecated entries.
    #[arg(long, short_alias = 'a')]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

/// Source of feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Feedback {
    /// Review by a person.
    HumanReview,
    /// Result of trying it.
    ExecutionOutcome,
    /// Statement of the agent itself.
    SelfReport,
    /// Not known.
    Unknown,
}

/// Fields of an event.
#[derive(Debug, ClapArgs)]
pub(crate) struct EventArgs {
    /// Text, below the title `Overview`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Text of a section or field, such as `Risk=it may fail`; repeatable.
    #[arg(long = "section", alias = "narrative", value_name = "TITLE=TEXT")]
    pub(crate) narratives: Vec<String>,
    /// Title, for people.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Tag to find it by; repeatable.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Supporting evidence: an incident, a change, a document; repeatable.
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Vec<String>,
    /// Confidence, from 0 to 1.
    #[arg(long, value_name = "NUMBER", value_parser = confidence, allow_negative_numbers = true)]
    pub(crate) confidence: Option<f64>,
    /// Source of the feedback.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) feedback: Option<Feedback>,
    /// Entry that it replaces; repeatable.
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Vec<String>,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookAppendArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Name of the new entry.
    pub(crate) target: String,
    /// Kind of the entry: an approach that works, a lesson learned, an obligation, a prohibition, anything else.
    #[arg(short, long, value_name = "KIND", value_parser = entry_kind())]
    pub(crate) kind: ItemKind,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookUpdateArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Name of the entry.
    pub(crate) target: String,
    /// Require this to be the newest event of the entry; exit code 5 if it is not.
    #[arg(long, alias = "after", value_name = "EVENT")]
    pub(crate) if_event: Option<String>,
    /// Amount to add to the helpful count.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) helpful: Option<i64>,
    /// Amount to add to the harmful count.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) harmful: Option<i64>,
    /// Reactivate a deprecated entry.
    #[arg(long)]
    pub(crate) reactivate: bool,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookDeprecateArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Name of the entry.
    pub(crate) target: String,
    /// Require this to be the newest event of the entry; exit code 5 if it is not.
    #[arg(long, alias = "after", value_name = "EVENT")]
    pub(crate) if_event: Option<String>,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Entry that replaces it.
    #[arg(long, value_name = "ID", conflicts_with = "duplicate_of")]
    pub(crate) superseded_by: Option<String>,
    /// Entry that it duplicates.
    #[arg(long, value_name = "ID")]
    pub(crate) duplicate_of: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookMergeArgs {
    /// Copy to add events to.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Copy to take events from.
    #[arg(value_name = "OTHER", add = completion::files())]
    pub(crate) other: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format; `text` lists the names of the added events.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookResolveArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Name of the entry.
    pub(crate) target: String,
    /// Head to retain; the effective one by default.
    #[arg(long, alias = "keep", value_name = "EVENT")]
    pub(crate) retain: Option<String>,
    /// Head to close; repeatable. Exit code 5 if these are not all the others; all others by default.
    #[arg(long, value_name = "EVENT")]
    pub(crate) over: Vec<String>,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookDedupeArgs {
    /// Document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only exact duplicates.
    #[arg(long)]
    pub(crate) exact: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Parses the kind of a playbook entry.
pub(super) fn entry_kind() -> impl TypedValueParser<Value = ItemKind> {
    words(ItemKind::ALL.map(ItemKind::as_str))
}

fn confidence(text: &str) -> Result<f64, String> {
    within(text, 1.0)
}
