//! Arguments of `windlass ledger`.

use clap::Subcommand;

use super::FormatArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Share the ledger, or join the one that is shared there. All events of both sides are kept.
    ///
    /// The location is `postgres://USER@HOST/DATABASE`, `git:REMOTE` for a ref of a git remote, or `file:FOLDER` for a
    /// folder that all machines mount. A password comes from `PGPASSWORD`, the password file of `PGPASSFILE` or
    /// `~/.pgpass`, or the program in `WINDLASS_LEDGER_PASSWORD_COMMAND`. It is never stored.
    Share {
        /// Location: `postgres://…`, `git:REMOTE` or `file:FOLDER`.
        location: String,
        /// Name of the ledger there; by default the same for all clones of this repository.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show where the ledger is shared, whether that is reachable, and how old this copy is. Exit code 1 if it is not
    /// reachable, 3 if the ledger is not shared.
    Status(FormatArgs),
    /// Stop sharing from this clone. It keeps all events.
    Detach {
        /// Proceed even if the shared ledger cannot be reached; unshared events stay on this machine.
        #[arg(long)]
        force: bool,
    },
    /// Work without the shared ledger until `ledger online`.
    Offline,
    /// Merge what happened offline, and use the shared ledger again.
    Online,
}
