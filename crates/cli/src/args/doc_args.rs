//! Arguments of `windlass doc`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::vcontext::ItemKind;

use super::doc_playbook::entry_kind;
use super::{DocItemCommand, DocPageArgs, DocPlaybookCommand, ItemState, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum DocCommand {
    /// Validate vContext and xBRIEF documents against the whole specification; exit code 2 if one is not valid.
    ///
    /// Checks fields, enumerated values, times, duplicate names, dangling and cyclic dependencies and edges, threads of
    /// playbooks, sequences, and linked files, by the version that the document declares.
    Check(DocCheckArgs),
    /// Create a TodoList, Plan or Playbook with the required fields; with `--spec 0.8` an xBRIEF plan. An existing file is left alone.
    New(DocNewArgs),
    /// Show the items of a TodoList or Plan, or the current entries of a Playbook, within a budget.
    Show(DocShowArgs),
    /// Convert a document to JSON or TRON without loss, or to Markdown for people.
    Convert(DocConvertArgs),
    /// Measure documents in each encoding, in characters and tokens.
    Stats(DocStatsArgs),
    /// Compare the content of two documents, regardless of encoding; exit code 1 if they differ.
    Diff(DocDiffArgs),
    /// Migrate a document to another version, and list the changes and all that has no counterpart there.
    ///
    /// An older vContext document becomes version 0.4, an xBRIEF document version 0.8. `--to` converts between both
    /// formats: values without a counterpart stay in the document, and the way back restores them.
    Migrate(DocMigrateArgs),
    /// Merge two versions of a document with their common base; exit code 1 on conflicts. An invalid result is
    /// reported, and not written.
    ///
    /// Items keep their order; an inserted item stays behind its predecessor. Percentages, sequences, change logs and
    /// authors are merged by rules, and never conflict. Events of playbooks and items locked by another actor stay
    /// unchanged; changes to them are reported. A fork merged into its parent leaves the parent its `uid`; with `--out`
    /// the fork records that it is merged.
    Merge(DocMergeArgs),
    /// Fork a TodoList or Plan: a copy with its own `uid` that names its parent and the parent's sequence.
    ///
    /// The parent gets a `uid` and a `sequence` if it has none. `windlass doc merge` merges the fork back and closes
    /// it.
    Fork(DocForkArgs),
    /// Add and change items of TodoLists and Plans, under a lock.
    #[command(subcommand)]
    Item(DocItemCommand),
    /// Show playbooks, and append events to them; events are never changed or removed.
    #[command(subcommand)]
    Playbook(DocPlaybookCommand),
}

/// Kinds of vContext documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocSort {
    /// Work to do now or soon.
    Todo,
    /// An approach to a larger piece of work.
    Plan,
    /// Lessons learned over time.
    Playbook,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocNewArgs {
    /// Kind of document.
    #[arg(value_name = "KIND")]
    pub(crate) sort: DocSort,
    /// Title; in a Plan also the first text of the proposal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: String,
    /// Version of the document: `0.4` is vContext, `0.8` is xBRIEF, which has plans only.
    #[arg(long, value_name = "VERSION", value_parser = ["0.4", "0.8"], default_value = "0.4")]
    pub(crate) spec: String,
    /// Write to this file, which must not exist, instead of standard output: TRON if it ends with `.tron`, else JSON.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocCheckArgs {
    /// Documents to check.
    #[arg(value_name = "FILE", required = true, add = completion::files())]
    pub(crate) files: Vec<String>,
    /// Previous version of the same document: append-only parts are compared with it.
    #[arg(long, alias = "before", value_name = "FILE", add = completion::files())]
    pub(crate) previous: Option<String>,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocShowArgs {
    /// Document to show.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Only the item with this `id`, or the entry with this name; repeatable.
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only items with this status; repeatable.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) statuses: Vec<ItemState>,
    /// Only items and entries with this tag; repeatable, all must match.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only entries with any of these tags; repeatable.
    #[arg(long = "any-tag", value_name = "TAG")]
    pub(crate) any_tags: Vec<String>,
    /// Only entries of this kind; repeatable.
    #[arg(short, long = "kind", value_name = "KIND", value_parser = entry_kind())]
    pub(crate) kinds: Vec<ItemKind>,
    /// Only items and entries with this text in title or narrative, ignoring case.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Include deprecated entries.
    #[arg(long, short_alias = 'a')]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) page: DocPageArgs,
}

/// Encoding of a converted document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocEncoding {
    /// For all tools.
    Json,
    /// For agents: JSON in which similar objects share a class.
    Tron,
    /// For people; cannot be converted back.
    Markdown,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocConvertArgs {
    /// Document to convert.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Output format.
    #[arg(long, alias = "to", value_name = "FORMAT")]
    pub(crate) format: DocEncoding,
    /// Write to this file instead of standard output. Secret values are replaced on standard output.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<String>,
    /// Omit optional whitespace; `--compact=tokens` searches for the TRON with the fewest tokens, never more than JSON; an
    /// absent field may be `null` in it.
    #[arg(long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "chars")]
    pub(crate) compact: Option<DocCompact>,
    /// Convert a file of up to this size, in bytes or like `1GiB`; default and limit for untrusted files: 16 MiB. A larger
    /// file is converted to compact JSON or TRON without its values in memory, and needs `--out`.
    #[arg(long, value_name = "SIZE", value_parser = byte_size)]
    pub(crate) max_bytes: Option<u64>,
    /// Keep `null` in fields of the specification, where it means the same as a missing field.
    #[arg(long)]
    pub(crate) keep_null: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocStatsArgs {
    /// Documents to measure.
    #[arg(value_name = "FILE", required = true, add = completion::files())]
    pub(crate) files: Vec<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocDiffArgs {
    /// First document.
    #[arg(value_name = "FIRST", add = completion::files())]
    pub(crate) first: String,
    /// Second document.
    #[arg(value_name = "SECOND", add = completion::files())]
    pub(crate) second: String,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocMigrateArgs {
    /// Document to migrate.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Version of the result: `0.4` is vContext, `0.8` is xBRIEF. Default: the newest version of the document's format.
    #[arg(long, value_name = "VERSION", value_parser = ["0.4", "0.8"])]
    pub(crate) to: Option<String>,
    /// Replace the file instead of printing the result.
    #[arg(long)]
    pub(crate) write: bool,
}

/// Unit that a compact text minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocCompact {
    /// Characters.
    Chars,
    /// Tokens.
    Tokens,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocForkArgs {
    /// Document to fork; it becomes the parent.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Write the fork to this file, which must not exist.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: String,
    /// Write a copy of the current parent to this file, which must not exist. It is the BASE of `windlass doc merge`.
    #[arg(long, alias = "base", value_name = "FILE", add = completion::files())]
    pub(crate) write_base: Option<String>,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DocMergeArgs {
    /// Common base of both versions.
    #[arg(value_name = "BASE", add = completion::files())]
    pub(crate) base: String,
    /// First version. Its values win on conflict; an item that it removed and the other changed stays as changed.
    #[arg(value_name = "OURS", add = completion::files())]
    pub(crate) ours: String,
    /// Second version.
    #[arg(value_name = "THEIRS", add = completion::files())]
    pub(crate) theirs: String,
    /// Write to this file instead of standard output; as a merge driver of git: `windlass doc merge %O %A %B --out %A`.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<PathBuf>,
    /// Output format: `text` prints the document, and the conflicts on standard error; other formats print one object
    /// with both.
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub(crate) format: OutputFormat,
}

/// Parses a size, e.g. `1000000`, `64MiB` or `1GiB`.
fn byte_size(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let unit = units.into_iter().find_map(|(unit, shift)| {
        let number = text.strip_suffix(unit)?;
        Some((number.trim_end(), shift))
    });
    let (number, shift) = unit.unwrap_or((text, 0));
    let number: u64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a size: write a number of bytes, or `64MiB`"))?;
    let size = number
        .checked_mul(1 << shift)
        .filter(|size| *size <= MAX_SIZE);
    size.ok_or_else(|| format!("`{text}` is more than 1 GiB"))
}

/// Maximum size that `--max-bytes` accepts, in bytes.
const MAX_SIZE: u64 = 1 << 30;
