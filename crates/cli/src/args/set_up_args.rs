//! Arguments of the commands for set-up: `redact`, `init`, `trust`, `schema`, `completions`, `man`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, ValueEnum};
use windlass::base::Digest;
use windlass::base::PluginDigest;
use windlass_mcp::AgentClient;

use super::OutputFormat;
use crate::completion;

#[derive(Debug, ClapArgs)]
pub(crate) struct RedactArgs {
    /// Print only the findings; exit code 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,
    /// Output format, of the findings.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Write a git hook that runs `windlass impact` before each commit, instead of a runbook. It checks the files in
    /// the working tree, and warns if they differ from the staged ones.
    #[arg(long)]
    pub(crate) hook: bool,
    /// Write a workflow of GitHub Actions that reports evidence made stale by a proposed change, instead of a runbook:
    /// as a comment, a summary and SARIF, by the Windlass action of this version.
    #[arg(long)]
    pub(crate) ci: bool,
    /// Set up this MCP client, instead of writing a runbook: its configuration, hooks, a skill, and a paragraph in
    /// `AGENTS.md`. Existing content is kept; changes are printed first.
    #[arg(long, value_name = "CLIENT", value_parser = client_parser())]
    pub(crate) mcp: Option<&'static AgentClient>,
    /// Write a plugin for the client into this folder of the repository, instead of setting up the repository.
    #[arg(long, value_name = "DIR", requires = "mcp")]
    pub(crate) plugin: Option<PathBuf>,
    /// Also save the suggested anchors (as `windlass suggest --apply`); without it they are only counted.
    #[arg(long, conflicts_with_all = ["hook", "ci", "mcp", "dry_run"])]
    pub(crate) yes: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Proceed even if the file exists: replace it. A git hook is kept as `pre-commit.before-windlass`.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Parses the name of a client that [`AgentClient::all`] has.
fn client_parser() -> impl TypedValueParser<Value = &'static AgentClient> {
    let named =
        |client: &'static AgentClient| PossibleValue::new(client.name()).help(client.title());
    PossibleValuesParser::new(AgentClient::all().iter().map(named))
        .try_map(|name| AgentClient::named(&name).ok_or_else(|| format!("unknown client `{name}`")))
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrustArgs {
    /// Name or file of the runbook; `mol:ID` for the programs of a molecule, `bead:ID` for those that verify a bead;
    /// `plugin:NAME` or the file of a plugin that requests something; `route:PREFIX` for a route to another ledger;
    /// `.windlass/secrets` for the repository's own list of secret paths, whose `!` lines apply only when it is
    /// trusted; `.gitleaks.toml` for its
    /// allowlists.
    #[arg(value_name = "NAME|FILE", required_unless_present = "list", add = completion::trustable())]
    pub(crate) runbook: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Require this digest: that of the document, printed by `--dry-run`.
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["dry_run", "revoke", "list"])]
    pub(crate) digest: Option<TrustDigest>,
    /// Revoke trust in every version of the runbook or plugin. A plugin is identified by its name, a current or former
    /// file or reference, or the digest from `--list`.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) revoke: bool,
    /// List what is trusted, with changes since then.
    #[arg(long, conflicts_with_all = ["runbook", "dry_run", "revoke"])]
    pub(crate) list: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Digest of a reviewed document or plugin.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TrustDigest {
    /// Digest of a runbook with everything it runs, or of the list of secret paths.
    Document(Digest),
    /// Digest of a plugin's file.
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
    /// `runbook`, `formula`, `pack`, `anchor`, `transaction`, or a kind of step; lists all names by default.
    #[arg(value_name = "NAME", add = completion::schema_names())]
    pub(crate) name: Option<String>,
    /// Write all schemas to this folder, one file each.
    #[arg(long, alias = "out", value_name = "DIR", conflicts_with = "name", add = completion::folders())]
    pub(crate) out_dir: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReferenceArgs {
    /// Write all pages to this folder.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) out_dir: PathBuf,
}

/// Supported shells.
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
    /// Shell, and the line that loads the script.
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// Command of the page: `run`, `anchor add`; `windlass` itself by default.
    pub(crate) command: Vec<String>,
    /// Write all pages to this folder, one file each.
    #[arg(long, alias = "out", value_name = "DIR", conflicts_with = "command", add = completion::folders())]
    pub(crate) out_dir: Option<PathBuf>,
}
