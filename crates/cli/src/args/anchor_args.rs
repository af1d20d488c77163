//! `anchor …`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{BudgetArgs, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum AnchorCommand {
    /// Capture lines of files under a name, or many from JSON Lines.
    Add(AnchorAddArgs),
    /// Name the saved anchors, with what became of each, the worst first.
    List(AnchorListArgs),
    /// Show anchors with their text, and what became of them.
    Show(AnchorShowArgs),
    /// Say which anchors no longer stand; exit code 1 if there is one.
    Check(AnchorCheckArgs),
    /// Point anchors to where their text is proven to stand now; exit code 1 if one is left that does not stand.
    ///
    /// What moved unchanged is taken over; with `--edited` also what was edited, as it is now. All in one transaction,
    /// which `windlass notebook rollback` takes back; each anchor keeps where it was, and what proved the new place.
    Repair(AnchorRepairArgs),
    /// Say what Markdown documents cite that no longer stands; exit code 1 if there is something.
    ///
    /// Finds `src/a.rs#L10-L20` in links, `src/a.rs:10-20` and `src/a.rs:3,10-20` in text and code, and blocks of code that name a
    /// file in their first line or in a comment right after it (`// src/a.rs:10-20`); not what is struck out.
    ///
    /// What a block of code shows says by itself which text is meant. Else it is what stood there in the commit that wrote the
    /// citation. What is in no commit yet is known where it was written in place of another one, or where an anchor was
    /// saved for it (`--save`); no other anchor says what a citation means. Where history is cut off before that commit, as in a shallow
    /// clone, it is unknown, and the exit code is 1 as well. `--repair` writes the new place into the documents, in which nothing else changes.
    Scan(AnchorScanArgs),
    /// Take anchors out of the notebook.
    Remove {
        /// Their names.
        #[arg(required = true, value_name = "ID", add = completion::anchors())]
        ids: Vec<String>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorAddArgs {
    /// Its name.
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Where it is grounded: `src/main.rs:10-24`, or `src/main.rs#Type::method` for what defines a symbol;
    /// several for one anchor. Files are meant from here, with `--root` from there. Their names may hold `:` and `#`: lines come after the last `:`, a symbol after
    /// the last `#` that follows the name of a file.
    #[arg(required_unless_present = "from")]
    #[arg(value_name = "FILE:LINES|FILE#SYMBOL", add = completion::files())]
    pub(crate) places: Vec<String>,
    /// Read anchors from a file or pipe of JSON Lines, `-` for standard input: `id`, `file`, `start_line`, and
    /// perhaps `end_line`, `label`, `kind`, `symbol`, `tags`, `zone`.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) from: Option<String>,
    /// What a person calls it.
    #[arg(short, long, value_name = "TEXT", conflicts_with = "from")]
    pub(crate) label: Option<String>,
    /// What sort of thing it is; `other` if not given for a new one.
    #[arg(short, long, value_name = "KIND", conflicts_with = "from")]
    pub(crate) kind: Option<Kind>,
    /// A word to find it by; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG", conflicts_with = "from")]
    pub(crate) tags: Vec<String>,
    /// Where to look for it later: a glob; may be repeated.
    #[arg(long, value_name = "GLOB", conflicts_with = "from")]
    pub(crate) zone: Vec<String>,
    /// Replace anchors of the same name. What is not given stays as it was; the symbol or pattern to look for
    /// it by only where it is still true of the new place.
    #[arg(long)]
    pub(crate) replace: bool,
}

/// Sorts of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// How things are done: set up, build, run, test.
    Canon,
    /// A gate in continuous integration.
    Ci,
    /// What others may rely on.
    Contract,
    /// Where execution or reading begins.
    Entrypoint,
    /// A part of the repository.
    Zone,
    /// Something in progress.
    Work,
    /// Anything else.
    Other,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorListArgs {
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only anchors with this tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorShowArgs {
    /// Their names.
    #[arg(required = true, value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How a list of anchors is printed, and how much of it.
#[derive(Debug, ClapArgs)]
pub(crate) struct ListPageArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Go on where the list was cut, with the same other arguments.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: AnchorFormat,
}

/// How a list of anchors is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnchorFormat {
    /// For people: a count, then the worst first.
    Text,
    /// One object.
    Json,
    /// For agents: JSON in which objects that are alike share a class, where that is shorter; `auto` says the same.
    #[value(alias = "auto")]
    Tron,
    /// One object a line for each anchor; always complete, whatever the budget.
    Jsonl,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorCheckArgs {
    /// Their names; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Say step by step how each was looked for.
    #[arg(long, conflicts_with_all = ["format", "cursor", "max_chars", "max_tokens"])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorRepairArgs {
    /// Their names; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Also take over text that was edited where its place is proven, as it is now: look at it first.
    #[arg(long)]
    pub(crate) edited: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnchorScanArgs {
    /// The documents; all Markdown files of the repository if none is given.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) documents: Vec<String>,
    /// Save an anchor for everything that is cited and stands.
    #[arg(long)]
    pub(crate) save: bool,
    /// Write the new places of what moved into the documents.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Also write the places of text that was edited, where that is proven, as it is now: look at it first.
    #[arg(long, requires = "repair")]
    pub(crate) edited: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
