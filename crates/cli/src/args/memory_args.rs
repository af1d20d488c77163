//! `memory …`.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::doc_page::DocPageArgs;
use super::{BudgetArgs, FormatArgs, OutputFormat};

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Begin a memory in `memory/`: write what is missing of it, and leave alone what is there.
    Init(MemoryInitArgs),
    /// Check the whole memory: records, impressions, links, supersession, and what must not be shared. Exit code 1 if
    /// something is an error.
    Check(MemoryCheckArgs),
    /// Ask what is remembered of something, in your own words: how sure it is, what was found, and as much of it as fits.
    ///
    /// `none` means that nothing is known: nothing is loaded. With `weak` the records are loaded that may be meant, which is
    /// said of each; with `strong` those that are. Each comes with its lines.
    Recall(MemoryRecallArgs),
    /// Write down what outlives the task: a decision, an open loop, context, an event, or a change of what is there.
    ///
    /// The record, the impression that leads to it, the index and the summary change as one. Exit code 4 where it holds a
    /// secret value.
    Remember(MemoryRememberArgs),
    /// Say what became of a recall, so that the next one is better. The query is a cue of a few words, not what somebody typed.
    Feedback(MemoryFeedbackArgs),
    /// Let a record take the place of another: on both sides, in the impressions, the index and the summary.
    Supersede(MemorySupersedeArgs),
    /// Bring the index and the summary in step with the records.
    Index(MemoryIndexArgs),
    /// Say what there is, in numbers.
    Stats(FormatArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryInitArgs {
    /// What the project is called, as in `project:NAME`; made from the name of its folder if not given.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Tell agents in `AGENTS.md` to use it.
    #[arg(long)]
    pub(crate) rules: bool,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryCheckArgs {
    /// Mend what is safe to mend: links, marks of supersession on both sides, missing impressions, ignore patterns, lines
    /// that are there twice. Nobody's words are changed.
    #[arg(long)]
    pub(crate) fix: bool,
    /// With `--fix`: say what would be mended, and write nothing.
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryRecallArgs {
    /// What it is about, in your own words.
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    pub(crate) question: Vec<String>,
    /// Look in the notebook (anchors) and in playbooks as well: `notebook,playbook`. Of an anchor that does not stand, no lines are shown.
    #[arg(long, value_name = "SOURCES", value_delimiter = ',')]
    pub(crate) also: Vec<String>,
    /// Name at most this many matches.
    #[arg(long, value_name = "N", default_value = "5")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) matches: NonZeroUsize,
    /// Say how scores came about.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// What is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RememberWhat {
    /// Something that was decided.
    Decision,
    /// Something that is not finished.
    OpenLoop,
    /// A fact about the project that lasts.
    Context,
    /// That something was done, in a line.
    Event,
    /// More, or something else, in a record that is there.
    Update,
    /// Something else in the summary.
    Summary,
    /// Nothing: it is not worth keeping.
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
    /// What is written down.
    pub(crate) what: RememberWhat,
    /// Its title; with `update` the id or the file of the record.
    #[arg(value_name = "TITLE")]
    pub(crate) name: Option<String>,
    /// What it says: the decision itself, why the loop matters, the current objective; with `update` in the place of what it said before. `-` reads it from standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// What a section or field of it says, such as `Rationale=…` or `owner=…`; may be repeated.
    #[arg(long = "section", value_name = "TITLE=TEXT")]
    pub(crate) sections: Vec<String>,
    /// A word that leads to it; may be repeated. Suggested from the text if none is given.
    #[arg(short, long = "keyword", value_name = "WORD")]
    pub(crate) keywords: Vec<String>,
    /// Another word for it; may be repeated.
    #[arg(long = "alias", value_name = "WORD")]
    pub(crate) aliases: Vec<String>,
    /// A record it belongs to, by id or file; may be repeated.
    #[arg(long, value_name = "ID")]
    pub(crate) related: Vec<String>,
    /// The record whose place it takes.
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Option<String>,
    /// Its name; made from the title if not given.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// With `update`: what it is called from now on.
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// What became of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeedbackOutcome {
    /// What was loaded made the work better.
    Helpful,
    /// It fitted the words, and did not help.
    Irrelevant,
    /// Something useful was there, and did not come up.
    Missed,
    /// Too much was loaded.
    Overloaded,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryFeedbackArgs {
    /// What became of it.
    pub(crate) outcome: FeedbackOutcome,
    /// The few words that were looked for; at most 240 characters, no secrets, nothing private.
    #[arg(long, value_name = "CUE")]
    pub(crate) query: String,
    /// What it is about: an id that a recall named, or the file of a record.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// A few words more.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Say what would follow, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemorySupersedeArgs {
    /// The record that no longer holds, by id or file.
    pub(crate) old: String,
    /// The one that takes its place.
    #[arg(value_name = "NEW")]
    pub(crate) newer: String,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MemoryIndexArgs {
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
