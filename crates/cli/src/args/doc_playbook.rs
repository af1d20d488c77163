//! `doc playbook …`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::doc_page::within;
use super::{DocPageArgs, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocPlaybookCommand {
    /// Show the entries as they stand now, by all their events.
    Show(DocPlaybookShowArgs),
    /// Begin an entry.
    Append(DocPlaybookAppendArgs),
    /// Change what an entry says, or add to its counts.
    Update(DocPlaybookUpdateArgs),
    /// Say that an entry is no longer to be followed.
    Deprecate(DocPlaybookDeprecateArgs),
    /// Make one of the events of an entry that were made side by side, as after merging two copies.
    ///
    /// Appends one event: it follows the head that is kept (`prevEventId`), names the others in its
    /// `metadata.resolvesEventIds`, and is later than all of them. What the branches of the others say counts no more, but
    /// their counts still do; say with `--text` what both mean. Whoever goes on with a branch that ended makes another one.
    Resolve(DocPlaybookResolveArgs),
    /// Add the events of another copy of a playbook. Both have to be valid, and so has what comes of it: else nothing is
    /// written. Counts are added up; exit code 1 where the copies contradict each other.
    Merge(DocPlaybookMergeArgs),
    /// End the entries that say what an older one does: they are deprecated as its duplicates, and it is given their
    /// counts, tags and evidence.
    ///
    /// Two entries say the same when kind, title and narrative do, but for the case of letters outside of code, blanks, and
    /// punctuation at the end. The events are the same wherever it is done, so that copies can still be merged.
    Dedupe(DocPlaybookDedupeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookShowArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only entries with this tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only entries of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<EntryKind>,
    /// Also entries that are no longer to be followed.
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryKind {
    /// A way that works.
    Strategy,
    /// What was learned.
    Learning,
    /// What has to be done.
    Rule,
    /// What must not be done.
    Warning,
    /// Anything else.
    Note,
}

/// Where feedback is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Feedback {
    /// A person looked at it.
    HumanReview,
    /// It was tried.
    ExecutionOutcome,
    /// The agent says so itself.
    SelfReport,
    /// It is not known.
    Unknown,
}

/// What an event says.
#[derive(Debug, ClapArgs)]
pub(crate) struct EventArgs {
    /// What the entry says, below the title `Overview`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// What the entry says below another title: `Risk=it may fail`; may be repeated.
    #[arg(long = "narrative", value_name = "TITLE=TEXT")]
    pub(crate) narratives: Vec<String>,
    /// A short label.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// A label to find it by; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// What supports it: an incident, a change, a document; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Vec<String>,
    /// How sure it is, from 0 to 1.
    #[arg(long, value_name = "NUMBER", value_parser = confidence, allow_negative_numbers = true)]
    pub(crate) confidence: Option<f64>,
    /// Where the feedback is from.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) feedback: Option<Feedback>,
    /// An entry that it replaces; may be repeated.
    #[arg(long, value_name = "TARGET")]
    pub(crate) supersedes: Vec<String>,
    /// Why there is this event.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Show the event, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print the event.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookAppendArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// What the entry is to be called.
    pub(crate) target: String,
    /// What it is.
    #[arg(short, long, value_name = "KIND")]
    pub(crate) kind: EntryKind,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookUpdateArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// The entry.
    pub(crate) target: String,
    /// The event it has to follow: exit code 5 if another one came since.
    #[arg(long, value_name = "EVENT")]
    pub(crate) after: Option<String>,
    /// How often more it helped.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) helpful: Option<i64>,
    /// How often more it did harm.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) harmful: Option<i64>,
    /// It is to be followed again.
    #[arg(long)]
    pub(crate) reactivate: bool,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookDeprecateArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// The entry.
    pub(crate) target: String,
    /// The event it has to follow: exit code 5 if another one came since.
    #[arg(long, value_name = "EVENT")]
    pub(crate) after: Option<String>,
    /// Why it is no longer to be followed.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The entry that replaces it.
    #[arg(long, value_name = "TARGET", conflicts_with = "duplicate_of")]
    pub(crate) superseded_by: Option<String>,
    /// The entry that says the same.
    #[arg(long, value_name = "TARGET")]
    pub(crate) duplicate_of: Option<String>,
    /// Show the event, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print the event.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookMergeArgs {
    /// The copy that is added to.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// The other copy.
    #[arg(value_name = "OTHER", add = completion::files())]
    pub(crate) other: String,
    /// Say what would be added, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what was added: `text` is the names of the events.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookResolveArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// The entry.
    pub(crate) target: String,
    /// The head that goes on; the one that counts, if none is named.
    #[arg(long, value_name = "EVENT")]
    pub(crate) keep: Option<String>,
    /// A head that ends; may be repeated. Exit code 5 if these are not all the others; without it all of them end.
    #[arg(long, value_name = "EVENT")]
    pub(crate) over: Vec<String>,
    #[command(flatten)]
    pub(crate) event: EventArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocPlaybookDedupeArgs {
    /// The document.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only entries that say the same in the same words.
    #[arg(long)]
    pub(crate) exact: bool,
    /// Say which entries would end, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print the entries that end.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How sure something is.
fn confidence(text: &str) -> Result<f64, String> {
    within(text, 1.0)
}
