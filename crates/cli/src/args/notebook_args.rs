//! Arguments of `windlass notebook`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::base::Digest;
use windlass::notebook::AnchorKind;

use super::{ListPageArgs, OutputFormat, anchor_kind, max_results};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum NotebookCommand {
    /// List saved runbooks and anchors with the state of each.
    #[command(visible_alias = "list")]
    Show(NotebookShowArgs),
    /// Apply a transaction: save and delete anchors and runbooks, all or nothing.
    ///
    /// A transaction is JSON or YAML: `{"operations": [...]}`, each of them one of `{"op": "upsert_anchor", "anchor":
    /// {"id": "errors", "at": ["src/error.rs:12-31"]}}`, `{"op": "delete_anchor", "id": "errors"}`, `{"op":
    /// "upsert_runbook", "runbook": "schema_version: 1\nid: api\n..."}` (or `"file": "api.yaml"`), `{"op":
    /// "delete_runbook", "id": "api"}`. An anchor may have `id`, `at` (locations as in `anchor add`, relative to the
    /// root), `kind`, `label`, `tags`, `zone`, `locator`; omitted fields keep their value, `locator` only if it still
    /// matches at the new location.
    Edit(NotebookEditArgs),
    /// Suggest anchors and runbooks for this repository, each with its evidence and reason; saves nothing.
    Suggest(NotebookSuggestArgs),
    /// Save suggestions; `notebook rollback` reverts all of them. An existing entry of the same name is kept, unless it
    /// was saved by this command, is unchanged since, and its location has moved.
    Apply(NotebookApplyArgs),
    /// List revisions with the changes of each, the newest first.
    History(NotebookHistoryArgs),
    /// Restore the notebook of an earlier revision, as a new revision.
    Rollback(NotebookRollbackArgs),
    /// Delete superseded revisions. Every change does the same beyond 100 revisions, 90 days or 64 MiB.
    Gc(NotebookGcArgs),
    /// Share anchors and runbooks with others who work on this repository: anchors in `.windlass/anchors.json`,
    /// runbooks in `runbooks/`, to be committed.
    ///
    /// Entries that others changed since then are kept, and listed. Shared entries contain no times and no absolute
    /// paths; entries with a secret value or with evidence in a secret file are skipped. An anchor that was removed
    /// from the notebook is also removed from the file, unless the file has a different version of it.
    Export(NotebookExportArgs),
    /// Import the anchors that others shared in `.windlass/anchors.json`, and report their state here.
    ///
    /// Entries of your own are kept, and listed, if they differ from the versions exported or imported before. Runbooks
    /// are run from `runbooks/`; one of the same name in the notebook is removed under the same conditions. Importing
    /// trusts nothing. `notebook rollback` reverts the import.
    Import(NotebookImportArgs),
    /// Adopt the notebook of the repository that this one was cloned from.
    ///
    /// Not needed after a move: if the old location no longer exists, the first command that needs the notebook adopts
    /// it. The other notebook is left unchanged. Trust is not adopted.
    Adopt(NotebookAdoptArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookShowArgs {
    /// Only anchors of this kind; repeatable.
    #[arg(short, long = "kind", value_name = "KIND", value_parser = anchor_kind())]
    pub(crate) kinds: Vec<AnchorKind>,
    /// Only anchors with this tag; repeatable.
    #[arg(long = "tag", short_alias = 't', value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only entries in this state, as listed: `fresh`, `moved`, `edited`, `stale`, `missing`, `gone`, `secret`,
    /// `unknown`, `invalid`, and of runbooks `valid`, `untrusted`; repeatable.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) states: Vec<String>,
    /// Only anchors with evidence in this folder, or in files that match this glob; repeatable.
    #[arg(short, long = "zone", value_name = "GLOB", add = completion::folders())]
    pub(crate) zones: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookEditArgs {
    /// Transaction file, `-` for standard input.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Require the notebook to be at this revision; exit code 5 if it is not.
    #[arg(long, value_name = "REVISION")]
    pub(crate) if_revision: Option<u64>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookSuggestArgs {
    /// Suggest the places that an agent's session read and no anchor covers, from its transcript (JSON Lines), instead
    /// of suggestions from the files; `-` reads the input of a client hook from standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kinds", "format", "cursor"], add = completion::files())]
    pub(crate) read: Option<PathBuf>,
    /// Only anchors of this kind; repeatable.
    #[arg(short, long = "kind", value_name = "KIND", value_parser = anchor_kind())]
    pub(crate) kinds: Vec<AnchorKind>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

/// Arguments of `suggest`.
#[derive(Debug, ClapArgs)]
pub(crate) struct SuggestArgs {
    /// Save the suggestions: all, or those named.
    #[arg(long, value_name = "ID", num_args = 0.., conflicts_with_all = ["read", "kinds", "cursor"])]
    pub(crate) apply: Option<Vec<String>>,
    /// Require this digest: that of the suggestions, which is printed with them.
    #[arg(long, value_name = "DIGEST", requires = "apply")]
    pub(crate) digest: Option<Digest>,
    #[command(flatten)]
    pub(crate) suggest: NotebookSuggestArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookApplyArgs {
    /// Suggestions by name; all by default.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Require this digest: that of the suggestions, which is printed with them.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<Digest>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookHistoryArgs {
    /// Maximum number of results; 0 for no limit.
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_results)]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookRollbackArgs {
    /// Revision, from `notebook history`.
    pub(crate) revision: u64,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookAdoptArgs {
    /// Repository to adopt from, by its current or former path; needed only if there are several.
    #[arg(long, alias = "from", value_name = "DIR", add = completion::folders())]
    pub(crate) repo: Option<PathBuf>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookExportArgs {
    /// Anchors and runbooks by name, with the anchors that those runbooks use; all by default.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Replace entries that others changed as well.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookImportArgs {
    /// Anchors and runbooks by name; all by default.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Replace entries that you changed as well.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookGcArgs {
    /// Maximum number of superseded revisions; the newest is always kept.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Maximum age of revisions in days; the newest ten are exempt.
    #[arg(long, value_name = "DAYS")]
    pub(crate) max_age: Option<u32>,
    /// Maximum size of all revisions in MiB.
    #[arg(long, value_name = "MIB")]
    pub(crate) max_size: Option<u32>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
