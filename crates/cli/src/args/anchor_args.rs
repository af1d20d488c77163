//! Arguments of `windlass anchor`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::notebook::AnchorKind;

use super::{BudgetArgs, OutputFormat, ReportFormat, anchor_kind};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum AnchorCommand {
    /// Capture lines of files under a name, or import many anchors from JSON Lines.
    Add(AnchorAddArgs),
    /// List saved anchors with the state of each, the worst first.
    List(AnchorListArgs),
    /// Show anchors with their snippets and the state of their evidence.
    Show(AnchorShowArgs),
    /// Report anchors that are no longer valid; exit code 1 if there is one.
    Check(AnchorCheckArgs),
    /// Point anchors to the proven new location of their text; exit code 1 if one stays invalid.
    ///
    /// Adopts text that moved unchanged; with `--edited` also edited text, as it is now. All changes are one
    /// transaction, which `windlass notebook rollback` reverts; each anchor keeps its old location and the proof of the
    /// new one.
    Repair(AnchorRepairArgs),
    /// Report citations in Markdown documents that are no longer valid; exit code 1 if there is one.
    ///
    /// Finds `src/a.rs#L10-L20` in links, `src/a.rs:10-20` and `src/a.rs:3,10-20` in text and code, and code blocks
    /// that name a file in their first line or in a comment right after it (`// src/a.rs:10-20`). Struck-out text is
    /// ignored.
    ///
    /// The cited text is the content of the code block, or else the text at that location in the commit that wrote the
    /// citation. For uncommitted citations it is known if they replace another citation or if `--save` stored an anchor
    /// for them; no other anchor gives a citation its meaning. If history is cut off before that commit, as in a
    /// shallow clone, the text is unknown, and the exit code is 1 as well. `--fix` writes the new locations into the
    /// documents, and changes nothing else in them.
    Scan(AnchorScanArgs),
    /// Remove anchors from the notebook.
    Remove {
        /// Anchor ids.
        #[arg(required = true, value_name = "ID", add = completion::anchors())]
        ids: Vec<String>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorAddArgs {
    /// Anchor id.
    #[arg(required_unless_present = "import", conflicts_with = "import")]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Lines to anchor: `src/main.rs:10-24`, or `src/main.rs#Type::method` for the definition of a symbol; several for
    /// one anchor. Paths are relative to the current folder, or to `--root`. File names may contain `:` and `#`: lines
    /// come after the last `:`, a symbol after the last `#` that follows a file name.
    #[arg(required_unless_present = "import")]
    #[arg(value_name = "FILE:LINES|FILE#SYMBOL", add = completion::files())]
    pub(crate) places: Vec<String>,
    /// Read anchors from a file or pipe of JSON Lines, `-` for standard input: `id`, `file`, `start_line`, and
    /// optionally `end_line`, `label`, `kind`, `symbol`, `tags`, `zone`.
    #[arg(long, alias = "from", value_name = "FILE", add = completion::files())]
    pub(crate) import: Option<String>,
    /// Title, for people.
    #[arg(long, alias = "label", short_alias = 'l', value_name = "TEXT")]
    #[arg(conflicts_with = "import")]
    pub(crate) title: Option<String>,
    /// Kind of anchor; `other` by default for a new one.
    ///
    /// `canon` is a procedure (set up, build, run, test), `ci` a gate in continuous integration, `contract` behaviour
    /// that others may rely on, `entrypoint` a start of execution or of reading, `zone` a part of the repository, `work`
    /// work in progress.
    #[arg(short, long, value_name = "KIND", conflicts_with = "import", value_parser = anchor_kind())]
    pub(crate) kind: Option<AnchorKind>,
    /// Tag to find it by; repeatable.
    #[arg(
        long = "tag",
        short_alias = 't',
        value_name = "TAG",
        conflicts_with = "import"
    )]
    pub(crate) tags: Vec<String>,
    /// Glob of files to search for it later; repeatable.
    #[arg(short, long, value_name = "GLOB", conflicts_with = "import")]
    pub(crate) zone: Vec<String>,
    /// Replace anchors of the same name. Fields not given keep their value; the symbol or pattern only if it still
    /// matches at the new location.
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorListArgs {
    /// Only anchors of this kind; repeatable.
    #[arg(short, long = "kind", value_name = "KIND", value_parser = anchor_kind())]
    pub(crate) kinds: Vec<AnchorKind>,
    /// Only anchors with this tag; repeatable.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorShowArgs {
    /// Anchor ids.
    #[arg(required = true, value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Format and budget of a list of anchors.
#[derive(Debug, ClapArgs)]
pub(crate) struct ListPageArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Continue output that was cut; the other arguments stay the same.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: AnchorFormat,
}

/// Output format of a list of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnchorFormat {
    /// For people: a count, then anchors with the worst first.
    Text,
    /// One JSON object.
    Json,
    /// For agents: JSON in which similar objects share a class, where that is shorter; alias `auto`.
    #[value(alias = "auto")]
    Tron,
    /// One JSON object per line and anchor; always complete, whatever the budget.
    Jsonl,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorCheckArgs {
    /// Anchor ids; all by default.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Explain step by step how each anchor was located.
    #[arg(long, conflicts_with_all = ["format", "cursor", "max_chars", "max_tokens"])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorRepairArgs {
    /// Anchor ids; all by default.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Also adopt edited text whose location is proven; review it first.
    #[arg(long)]
    pub(crate) edited: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorScanArgs {
    /// Documents to scan, or folders of them; all Markdown files of the repository by default.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) documents: Vec<String>,
    /// Save an anchor for every valid citation.
    #[arg(long)]
    pub(crate) save: bool,
    /// Repair what is safe to repair: write the new locations of moved text into the documents.
    #[arg(long, alias = "repair")]
    pub(crate) fix: bool,
    /// Also adopt edited text whose location is proven; review it first.
    #[arg(long, requires = "fix")]
    pub(crate) edited: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}
