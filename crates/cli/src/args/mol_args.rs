//! Arguments of `windlass mol`.

use std::num::NonZeroUsize;

use clap::{Args as ClapArgs, Subcommand};
use windlass::ledger::Stamp;
use windlass::ledger::event::BondKind;
use windlass::packs::context::Profile;

use super::formula_args::{FormulaValues, GraphFormat};
use super::pack_args::profile;
use super::{BudgetArgs, FormatArgs, OutputFormat, words};

#[derive(Debug, Subcommand)]
pub(crate) enum MolCommand {
    /// Pour a formula into a molecule, whose steps can be claimed until it is squashed or burned.
    #[command(visible_aliases = ["start", "add"])]
    Pour(MolPourArgs),
    /// Pour a formula into a wisp: a molecule that expires some time after it was last worked on.
    Wisp(MolWispArgs),
    /// List molecules.
    List {
        /// Include squashed molecules.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show a molecule with the status of its steps, or one step in full.
    Show(MolShowArgs),
    /// Show your claimed steps, with their tokens.
    Current {
        /// Actor whose list to show; yourself by default.
        #[arg(long = "for", value_name = "ACTOR")]
        who: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show the progress of a molecule.
    Progress(MolArgs),
    /// Draw the steps of a molecule, with the live state of each: done, claimed by an actor, ready, blocked, failed.
    Graph {
        /// Molecule id; the only open one by default.
        mol: Option<String>,
        /// Output format.
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: GraphFormat,
    },
    /// List the steps that can be claimed.
    Ready(MolReadyArgs),
    /// Claim a step; of concurrent claims one wins. Exit code 5 for the others, 3 if no step is ready.
    Claim(MolClaimArgs),
    /// Extend the lease of a claimed step.
    Heartbeat(MolHeartbeatArgs),
    /// Complete a step, with its output.
    #[command(visible_alias = "done")]
    Complete(MolCompleteArgs),
    /// Report a failed attempt; it is retried by the policy of the step.
    Fail(MolFailArgs),
    /// Skip a step: its dependents inherit its needs.
    Skip(MolReasonArgs),
    /// Return a step for others to claim; the attempt does not count. With `--reason`, also a step that another actor
    /// holds.
    Release(MolReleaseArgs),
    /// Hand a step to your own next session: a message to yourself, the molecule on your hook, and an extended lease.
    Handoff(MolHandoffArgs),
    /// Open a gate that waits for a person.
    Approve(MolApproveArgs),
    /// Reject at a gate that waits for a person: the step fails.
    Reject(MolRejectArgs),
    /// Send the work back to a finished step: it and everything that follows from it is done again.
    PushBack(MolPushBackArgs),
    /// Do all work that needs no person, across retries and timers, and list what is left to wait for.
    ///
    /// Runs steps with `uses`, checks gates that are programs, and applies timers. Programs are started only if the
    /// molecule is trusted: `windlass trust mol:ID`. They get WINDLASS_MOLECULE, WINDLASS_STEP, WINDLASS_ATTEMPT and
    /// WINDLASS_TOKEN, which proves the claim; WINDLASS_FENCE, which grows with every claim; and
    /// WINDLASS_IDEMPOTENCY_KEY, which is the same for every attempt at the same work.
    ///
    /// With `--watch`, this is a worker: it takes steps of all open molecules, on any machine that shares the ledger. The
    /// first interrupt or SIGTERM lets running steps end, the second stops and releases them.
    Drive(MolDriveArgs),
    /// Change the settings of a molecule.
    Set(MolSetArgs),
    /// List molecules without recent activity.
    Stale {
        /// Minimum time without activity.
        #[arg(long, alias = "after", value_name = "DURATION", default_value = "1h")]
        idle: String,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List stalled work and how to move it; exit code 1 if there is any.
    Doctor {
        /// Molecule; all by default.
        mol: Option<String>,
        /// Minimum time without activity; none by default.
        #[arg(long, alias = "after", value_name = "DURATION", default_value = "1ms")]
        #[arg(hide_default_value = true)]
        idle: String,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Make a molecule follow another.
    Bond {
        /// Molecule that comes first.
        first: String,
        /// Molecule that follows it.
        second: String,
        /// Type: `sequential` begins when the first is done. `conditional` begins if the first fails; `parallel` belongs
        /// to the first, and waits for nothing.
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        #[arg(default_value = "sequential")]
        #[arg(value_parser = words::<BondKind>(["sequential", "parallel", "conditional"]))]
        kind: BondKind,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Print a finished epic as a formula: its children become steps with the same dependencies.
    Distill {
        /// Epic whose children become steps.
        bead: String,
        /// Name of the formula; derived from the title of the bead by default.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Value of a variable: this text becomes the variable; repeatable.
        #[arg(long = "var", value_name = "NAME=VALUE")]
        vars: Vec<String>,
        /// Include open children.
        #[arg(long, alias = "open")]
        all: bool,
    },
    /// Archive a molecule: its result stays in `mols/ID.archive.json`.
    Squash {
        /// Molecule id.
        mol: String,
        /// Summary of the result; counts by default.
        #[arg(long, value_name = "TEXT")]
        summary: Option<String>,
        /// Proceed even if steps are unfinished or claimed.
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Delete molecules, all or none; only their events remain.
    #[command(visible_alias = "remove")]
    Burn {
        /// Molecule ids.
        #[arg(value_name = "MOL", required = true)]
        mols: Vec<String>,
        /// Reason.
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        #[arg(hide_default_value = true)]
        reason: String,
        /// Proceed even if steps are claimed.
        #[arg(long)]
        force: bool,
    },
}

/// Arguments to pour a formula.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolPourArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// Related bead: the molecule works on it. Its texts may use `{{convoy_id}}`, `{{bead_id}}` and `{{issue}}`. The bead decides which hooks
    /// attach steps, and its children are drained.
    #[arg(long, value_name = "BEAD")]
    pub(crate) bead: Option<String>,
    /// Title; from the formula by default.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Maximum number of steps in progress at once; unlimited by default.
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,
    /// Lease of a claim without a heartbeat; 15m by default.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolWispArgs {
    #[command(flatten)]
    pub(crate) pour: MolPourArgs,
    /// Lifetime after the last activity; 24h by default.
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
}

/// Molecule and output format.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolArgs {
    /// Molecule id; the only open one by default.
    pub(crate) mol: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolReadyArgs {
    /// Molecule id; all open ones by default.
    pub(crate) mol: Option<String>,
    /// Include steps meant for other actors.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolShowArgs {
    /// Molecule id; the only open one by default.
    pub(crate) mol: Option<String>,
    /// Step of the molecule.
    pub(crate) step: Option<String>,
    /// State at this time: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME", requires = "mol", conflicts_with = "step")]
    pub(crate) at: Option<Stamp>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolClaimArgs {
    /// Molecule id; by default any open one, the oldest first.
    pub(crate) mol: Option<String>,
    /// Step id; by default the most important ready step that is not meant for others by name, group or role. A step with
    /// another target is refused.
    pub(crate) step: Option<String>,
    /// Lease of a claim without a heartbeat; set by the molecule by default.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Also print the context pack: that of the step, or one made from its title, description and acceptance criteria.
    #[arg(long)]
    pub(crate) pack: bool,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Purpose, which sets the size of the pack; `routine` by default.
    #[arg(long, value_name = "PROFILE", requires = "pack", value_parser = profile())]
    pub(crate) profile: Option<Profile>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Proof of a claim. What is omitted is taken from the claimed step of the actor, if there is just one that fits.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolProofArgs {
    /// Molecule id; by default that of your claimed step.
    pub(crate) mol: Option<String>,
    /// Step id; by default your claimed step.
    pub(crate) step: Option<String>,
    /// Token from `mol claim`; it proves that the claim is still yours. By default the token of your claim.
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolHeartbeatArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Lease of a claim without a heartbeat; set by the molecule by default.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolCompleteArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Output: JSON or text; `-` reads standard input.
    #[arg(long, short_alias = 'o', value_name = "VALUE")]
    pub(crate) output: Option<String>,
    /// Claim the next step of the molecule in the same call.
    #[arg(long)]
    pub(crate) claim_next: bool,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolFailArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Give up: no further attempt is made, regardless of the policy.
    #[arg(long)]
    pub(crate) for_good: bool,
    /// Output: what there is of it, JSON or text; `-` reads standard input.
    #[arg(long, short_alias = 'o', value_name = "VALUE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// A step, and the reason to act on it.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolReasonArgs {
    /// Molecule id.
    pub(crate) mol: String,
    /// Step id.
    pub(crate) step: String,
    /// Reason.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolReleaseArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Release all your claimed steps, in all molecules, at the end of a session.
    #[arg(long, conflicts_with_all = ["mol", "step", "token"])]
    pub(crate) all: bool,
    /// Reason. With MOL and STEP but no token, it takes the step from its holder, who gets a message.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolHandoffArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Message; `-` reads standard input.
    #[arg(short = 'm', long, value_name = "TEXT")]
    pub(crate) body: String,
    /// Lease of a claim without a heartbeat; set by the molecule by default.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Replace the current assignment of your hook.
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolApproveArgs {
    /// Molecule id.
    pub(crate) mol: String,
    /// Step id.
    pub(crate) step: String,
    /// Number of the gate, from 0; by default the first that waits for a person.
    #[arg(long, value_name = "N")]
    pub(crate) gate: Option<u32>,
    /// Value of an input: JSON or text, for the actor of the step; repeatable.
    #[arg(short, long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolRejectArgs {
    /// Molecule id.
    pub(crate) mol: String,
    /// Step id.
    pub(crate) step: String,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Number of the gate, from 0; by default the first that waits for a person.
    #[arg(long, value_name = "N")]
    pub(crate) gate: Option<u32>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolPushBackArgs {
    /// Molecule id.
    pub(crate) mol: String,
    /// Step to do again.
    pub(crate) step: String,
    /// Reason.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Step with the gate where this was decided.
    #[arg(long, alias = "from", value_name = "STEP")]
    pub(crate) gate_step: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolSetArgs {
    /// Molecule id.
    pub(crate) mol: String,
    /// Maximum number of steps in progress at once; 0 for unlimited.
    #[arg(long, value_name = "N", required_unless_present = "lease")]
    pub(crate) concurrency: Option<u32>,
    /// Lease of a claim without a heartbeat.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolDriveArgs {
    /// Molecule id; the only open one by default.
    pub(crate) mol: Option<String>,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Return when no more work can be done now, instead of waiting for retries and timers.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) no_wait: bool,
    /// Continue until interrupted; without MOL, drive every open molecule.
    #[arg(long)]
    pub(crate) watch: bool,
    /// Only take steps whose `runs_on` is among these labels; repeatable, or separated by commas.
    #[arg(
        short = 'l',
        long = "label",
        value_name = "LABEL",
        value_delimiter = ','
    )]
    pub(crate) labels: Vec<String>,
    /// Number of parallel jobs; 1 step at a time by default.
    #[arg(
        short,
        long,
        value_name = "N",
        default_value = "1",
        hide_default_value = true
    )]
    pub(crate) jobs: NonZeroUsize,
    /// Lease of a claim without a heartbeat, after which another machine may take the step; set by the molecule by
    /// default, and 2m at most with `--watch`.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Time that running steps have to end after the first interrupt.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "10m",
        requires = "watch"
    )]
    pub(crate) drain: String,
    /// Serve metrics for Prometheus at `http://ADDR:PORT/metrics`; port 0 takes a free one.
    #[cfg(feature = "web")]
    #[arg(long, value_name = "ADDR:PORT", requires = "watch")]
    pub(crate) metrics: Option<std::net::SocketAddr>,
    /// Name by which other machines ask for the metrics; repeatable.
    #[cfg(feature = "web")]
    #[arg(long, value_name = "HOST", requires = "metrics")]
    pub(crate) metrics_host: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    /// Molecule or bead to verify.
    #[arg(value_name = "MOL|BEAD")]
    pub(crate) target: String,
    /// Step of the molecule: the acceptance criteria of its formula are checked.
    pub(crate) step: Option<String>,
    /// Acceptance criterion, for a bead, instead of `acceptance` in its metadata: a text for a person or agent to judge, or JSON
    /// such as `{\"file\": \"LICENSE\"}`, `{\"command\": [\"make\", \"test\"]}`, `{\"grep\": {\"pattern\": \"…\"}}`, or
    /// a list of them; `-` reads standard input.
    #[arg(
        long = "criterion",
        alias = "criteria",
        value_name = "TEXT",
        conflicts_with = "step"
    )]
    pub(crate) criteria: Vec<String>,
    /// Allow programs to start in this call, without permanent trust.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
