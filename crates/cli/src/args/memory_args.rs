//! Arguments of `windlass memory`.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::memory::Outcome;

use super::doc_page::DocPageArgs;
use super::{BudgetArgs, FormatArgs, OutputFormat, words};

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Set up a memory in `memory/`: write missing files, and leave existing ones alone.
    Init(MemoryInitArgs),
    /// Check the whole memory: records, impressions, links, supersession, and content that must not be shared. Exit
    /// code 1 on errors.
    Check(MemoryCheckArgs),
    /// List the records, with kind and status.
    List(FormatArgs),
    /// Recall what is known about a question, with a confidence and the records that fit the budget.
    ///
    /// `none`: nothing is known, and nothing is loaded. `weak`: records that may be relevant are loaded and marked as
    /// such. `strong`: the relevant records are loaded. Each record comes with its lines.
    Recall(MemoryRecallArgs),
    /// Record long-lived knowledge: a decision, an open loop, context, an event, or an update of a record.
    ///
    /// The record, its impression, the index and the summary change together. Exit code 4 if it contains a secret
    /// value.
    #[command(visible_alias = "add")]
    Remember(MemoryRememberArgs),
    /// Rate a recall, to improve the next one. The query is a cue of a few words, not the full prompt.
    Feedback(MemoryFeedbackArgs),
    /// Replace a record by another one: on both sides, in the impressions, the index and the summary.
    Supersede(MemorySupersedeArgs),
    /// Bring the index and the summary in line with the records.
    Index(MemoryIndexArgs),
    /// Show the size of the memory in numbers.
    Stats(FormatArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryInitArgs {
    /// Project name, as in `project:NAME`; derived from the folder name by default.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Tell agents in `AGENTS.md` to use the memory.
    #[arg(long)]
    pub(crate) rules: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryCheckArgs {
    /// Repair what is safe to repair: links, supersession marks on both sides, missing impressions, ignore patterns,
    /// duplicate lines. The text of records is never changed.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show what would change, and change nothing; with `--fix`.
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryRecallArgs {
    /// Question in your own words.
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    pub(crate) question: Vec<String>,
    /// Also search the notebook (anchors) and playbooks: `notebook,playbook`. Lines of invalid anchors are not shown.
    #[arg(long, value_name = "SOURCES", value_delimiter = ',')]
    pub(crate) also: Vec<String>,
    /// Maximum number of results.
    #[arg(
        short = 'n',
        long = "limit",
        alias = "matches",
        value_name = "N",
        default_value = "5"
    )]
    #[arg(allow_negative_numbers = true)]
    pub(crate) matches: NonZeroUsize,
    /// Explain the scores.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Kinds of knowledge to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RememberWhat {
    /// A decision.
    Decision,
    /// Something unfinished.
    OpenLoop,
    /// A lasting fact about the project.
    Context,
    /// A completed action, in one line.
    Event,
    /// New text for an existing record.
    Update,
    /// New text for the summary.
    Summary,
    /// No knowledge worth recording.
    Skip,
}

impl RememberWhat {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::OpenLoop => "open-loop",
            Self::Context => "context",
            Self::Event => "event",
            Self::Update => "update",
            Self::Summary => "summary",
            Self::Skip => "skip",
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryRememberArgs {
    /// Kind of knowledge.
    #[arg(value_name = "KIND")]
    pub(crate) what: RememberWhat,
    /// Title; with `update` the id or the file of the record.
    #[arg(value_name = "TITLE")]
    pub(crate) name: Option<String>,
    /// Text: the decision itself, the reason for the loop, the current objective; with `update` the replacement text.
    /// `-` reads standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Text of a section or field, such as `Rationale=…` or `owner=…`; repeatable.
    #[arg(long = "section", value_name = "TITLE=TEXT")]
    pub(crate) sections: Vec<String>,
    /// Keyword that leads to it; repeatable. Suggested from the text by default.
    #[arg(long = "keyword", short_alias = 'k', value_name = "WORD")]
    pub(crate) keywords: Vec<String>,
    /// Synonym for it; repeatable.
    #[arg(long = "alias", value_name = "WORD")]
    pub(crate) aliases: Vec<String>,
    /// Related record, by id or file; repeatable.
    #[arg(long, value_name = "ID")]
    pub(crate) related: Vec<String>,
    /// Entry that it replaces.
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Option<String>,
    /// Id; derived from the title by default.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// New title; with `update`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryFeedbackArgs {
    /// Outcome of the recall: the loaded records helped, did not help, a useful one was not found, or too much was
    /// loaded.
    #[arg(value_parser = words::<Outcome>(Outcome::ALL.map(Outcome::as_str)))]
    pub(crate) outcome: Outcome,
    /// Search words; at most 240 characters, no secrets, nothing private.
    #[arg(long, value_name = "CUE")]
    pub(crate) query: String,
    /// Id: of the subject, from a recall, or the file of a record.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Short note.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemorySupersedeArgs {
    /// Outdated record, by id or file.
    pub(crate) old: String,
    /// Record that replaces it.
    #[arg(value_name = "NEW")]
    pub(crate) newer: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryIndexArgs {
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
