//! What is used once: `init`, `trust`, `schema`, `completions`, `man`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, ValueEnum};
use windlass::base::Digest;
use windlass::base::PluginDigest;

use super::OutputFormat;
use crate::completion;

#[derive(Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// Print no text, only what was found; exit code 1 if something was.
    #[arg(long)]
    pub(crate) check: bool,
    /// How to print what was found.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Instead of a runbook, write git's hook that says before each commit what it makes stale (`windlass impact`). It looks
    /// at the files as they lie in the working tree, and says so where that is not what is staged.
    #[arg(long)]
    pub(crate) hook: bool,
    /// Instead of a runbook, write a workflow of GitHub Actions that says of each proposed change what it makes stale.
    #[arg(long)]
    pub(crate) ci: bool,
    /// Instead of a runbook, set agents up that work with this client: its configuration, a skill, and a paragraph in
    /// `AGENTS.md`. What is there stays; what changes is printed first.
    #[arg(long, value_name = "CLIENT")]
    pub(crate) mcp: Option<McpClient>,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub(crate) force: bool,
}

/// A client that calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrustArgs {
    /// The runbook's name, or its file; `mol:ID` for what a molecule starts, `bead:ID` for what verifying a bead does; `plugin:NAME` or the file of a plugin that
    /// asks for something; `route:PREFIX` for a route to another ledger; `.windlass/secrets` for the repository's own list of secret paths, whose `!` lines count only when it is trusted; `.gitleaks.toml` for the allowlists of the repository's configuration of gitleaks.
    #[arg(value_name = "NAME|FILE", required_unless_present = "list", add = completion::trustable())]
    pub(crate) runbook: Option<String>,
    /// Show what would be allowed, and allow nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Trust it only if it still has this digest: the one that `--dry-run` printed when you looked at it.
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["dry_run", "revoke", "list"])]
    pub(crate) digest: Option<TrustDigest>,
    /// Take trust back from every version of the runbook or plugin. A plugin may be meant by its name, a file or reference it is
    /// or was at, or the digest that `--list` shows.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) revoke: bool,
    /// Name what is trusted, and say what changed since.
    #[arg(long, conflicts_with_all = ["runbook", "dry_run", "revoke"])]
    pub(crate) list: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// What was looked at before it is trusted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TrustDigest {
    /// A runbook with all it runs, or the list of secret paths.
    Document(Digest),
    /// The file of a plugin.
    Plugin(PluginDigest),
}

impl FromStr for TrustDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("sha256:") {
            return text.parse().map(Self::Plugin);
        }
        text.parse().map(Self::Document)
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// `runbook`, `formula`, `pack`, `anchor`, `transaction`, or a kind of step; all names are printed if none is given.
    #[arg(value_name = "NAME", add = completion::schema_names())]
    pub(crate) name: Option<String>,
    /// Write all schemas into this folder, one file each.
    #[arg(long, value_name = "DIR", conflicts_with = "name", add = completion::folders())]
    pub(crate) out: Option<PathBuf>,
}

/// Shells that can ask for completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// `source <(windlass completions bash)` in `~/.bashrc`.
    Bash,
    /// `eval (windlass completions elvish | slurp)` in `rc.elv`.
    Elvish,
    /// `windlass completions fish | source` in `config.fish`.
    Fish,
    /// `windlass completions powershell | Out-String | Invoke-Expression` in `$PROFILE`.
    Powershell,
    /// `source <(windlass completions zsh)` in `~/.zshrc`, after `compinit`.
    Zsh,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell, and how it takes the script.
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// The command the page is about: `run`, `anchor add`; `windlass` itself if none is given.
    pub(crate) command: Vec<String>,
    /// Write all pages into this folder, one file each.
    #[arg(long, value_name = "DIR", conflicts_with = "command", add = completion::folders())]
    pub(crate) out: Option<PathBuf>,
}
