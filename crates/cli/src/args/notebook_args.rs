//! `notebook …`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::base::Digest;

use super::{Kind, ListPageArgs, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum NotebookCommand {
    /// Name the saved runbooks and anchors, with what became of each.
    Show(NotebookShowArgs),
    /// Do what a transaction asks for: save and delete anchors and runbooks, all or nothing.
    ///
    /// A transaction is JSON or YAML: `{"operations": [...]}`, each of them one of
    /// `{"op": "upsert_anchor", "anchor": {"id": "errors", "at": ["src/error.rs:12-31"]}}`,
    /// `{"op": "delete_anchor", "id": "errors"}`,
    /// `{"op": "upsert_runbook", "runbook": "schema_version: 1\nid: api\n..."}` (or `"file": "api.yaml"`),
    /// `{"op": "delete_runbook", "id": "api"}`. An anchor may have `id`, `at` (places as `anchor add` takes them, from
    /// the root), `kind`, `label`, `tags`, `zone`, `locator`; what is not said stays as it was, `locator` only where it is still true
    /// of the new place.
    Edit(NotebookEditArgs),
    /// Suggest anchors and runbooks for this repository, each with its evidence and the reason; save nothing.
    Suggest(NotebookSuggestArgs),
    /// Save what is suggested. What the notebook has under the same name stays as it is, unless it was saved like this,
    /// nobody has changed it since, and its place is another now; `notebook rollback` takes the whole back.
    Apply(NotebookApplyArgs),
    /// Name the revisions that are kept, with what each changed, the newest first.
    History(NotebookHistoryArgs),
    /// Make the notebook what it was at a revision, as a new revision.
    Rollback(NotebookRollbackArgs),
    /// Let go of superseded revisions. This is also done after each change: beyond a hundred, 90 days, 64 MiB.
    Gc(NotebookGcArgs),
    /// Hand anchors and runbooks over to others who work on this repository: anchors in `.windlass/anchors.json`,
    /// runbooks in `runbooks/`, to be committed.
    ///
    /// What others changed there since stays, and is named. What is handed over has no times and no absolute paths;
    /// what holds a secret value, or is grounded in a secret file, is left out. An anchor that was taken out of the
    /// notebook is taken out of the file, if it is there as this notebook knows it.
    Export(NotebookExportArgs),
    /// Take over the anchors that others handed over in `.windlass/anchors.json`, and say what became of them here.
    ///
    /// What you saved yourself stays, and is named, if it is not what was handed over or taken over before. Runbooks
    /// are run where they are, in `runbooks/`; one of the same name in the notebook gives way in the same cases.
    /// Nothing is trusted by it. `notebook rollback` takes the whole back.
    Import(NotebookImportArgs),
    /// Take over the notebook of a repository that this one was cloned from.
    ///
    /// After a move nothing has to be done: where the old place is no longer there, its notebook is taken over by the
    /// first command that needs it. The other notebook is left as it is. What was trusted there is not trusted here.
    Adopt(NotebookAdoptArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookShowArgs {
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only anchors with this tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only what is in this state, as the list calls it: `fresh`, `moved`, `edited`, `stale`, `missing`, `gone`,
    /// `secret`, `unknown`, `invalid`, and of runbooks `valid`, `untrusted`; may be repeated.
    #[arg(short, long = "status", value_name = "STATUS")]
    pub(crate) states: Vec<String>,
    /// Only anchors with evidence in this folder, or in files that this glob matches; may be repeated.
    #[arg(short, long = "zone", value_name = "FOLDER|GLOB", add = completion::folders())]
    pub(crate) zones: Vec<String>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookEditArgs {
    /// The transaction, `-` for standard input.
    #[arg(value_name = "FILE", add = completion::files())]
    pub(crate) file: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Change it only if it is still at this revision; exit code 5 if it is not.
    #[arg(long, value_name = "REVISION")]
    pub(crate) if_revision: Option<u64>,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookSuggestArgs {
    /// Instead of what the files of the repository suggest, places that an agent's session read and no anchor covers, by its
    /// transcript (JSON Lines); `-` reads from standard input what a client tells its hooks.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kinds", "format", "cursor"], add = completion::files())]
    pub(crate) read: Option<PathBuf>,
    /// Only anchors of this kind; may be repeated.
    #[arg(short, long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    #[command(flatten)]
    pub(crate) page: ListPageArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookApplyArgs {
    /// The suggestions, by name; all if none is given.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Save them only if the suggestions still have this digest: the one that was printed with them.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<Digest>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookHistoryArgs {
    /// How many to name.
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookRollbackArgs {
    /// The revision, as `notebook history` names it.
    pub(crate) revision: u64,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookAdoptArgs {
    /// Where that repository is, or was; needed only if there are several.
    #[arg(long, value_name = "FOLDER", add = completion::folders())]
    pub(crate) from: Option<PathBuf>,
    /// Show what would be taken over, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what changed.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookExportArgs {
    /// The anchors and runbooks, by name, and the anchors that such runbooks name; all if none is given.
    #[arg(value_name = "ID", add = completion::anchors())]
    pub(crate) ids: Vec<String>,
    /// Let what the notebook has count where others changed it too.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what was done.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookImportArgs {
    /// The anchors and runbooks, by name; all if none is given.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Let what the repository has count where you changed it too.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print what was done.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotebookGcArgs {
    /// Keep at most so many superseded revisions; the newest is always kept.
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Keep none that is older than so many days, but for the newest ten.
    #[arg(long, value_name = "DAYS")]
    pub(crate) max_age: Option<u32>,
    /// Keep at most so many MiB of them.
    #[arg(long, value_name = "MIB")]
    pub(crate) max_size: Option<u32>,
    /// Show what would be let go of.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
