//! `mol`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use windlass::ledger::Stamp;

use super::formula_args::FormulaValues;
use super::pack_args::PackProfile;
use super::{BudgetArgs, FormatArgs, OutputFormat};

#[derive(Debug, Subcommand)]
pub(crate) enum MolCommand {
    /// Pour a formula: its steps can be claimed from now on, and stay until somebody puts them away.
    Pour(MolPourArgs),
    /// Pour a formula in passing: it is gone some time after it was last worked on.
    Wisp(MolWispArgs),
    /// Name the molecules there are.
    List {
        /// Those that were put away as well.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show a molecule and where its steps stand, or one step with all it asks for.
    Show(MolShowArgs),
    /// Show the steps that one has in hand, with their tokens.
    Current {
        /// Whose; one's own if not given.
        #[arg(long = "for", value_name = "ACTOR")]
        who: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Say how far a molecule is.
    Progress(MolArgs),
    /// Name the steps that can be claimed.
    Ready(MolReadyArgs),
    /// Take a step for oneself; of all who ask at once, one gets it. Exit code 5 for the others, 3 if none is ready.
    Claim(MolClaimArgs),
    /// Say that one is still at work on a step, so that its lease goes on.
    Heartbeat(MolHeartbeatArgs),
    /// Say that a step is done, and what it gave.
    Complete(MolCompleteArgs),
    /// Say that an attempt failed; it is tried again as the step's policy says.
    Fail(MolFailArgs),
    /// Leave a step out: what needs it inherits what it needs.
    Skip(MolReasonArgs),
    /// Give a step back for others; the attempt does not count. One that another holds is released with `--reason`.
    Release(MolReleaseArgs),
    /// Leave a step to one's own next session: a message to oneself, the molecule on one's hook, and the lease prolonged.
    Handoff(MolHandoffArgs),
    /// Open a gate that waits for a person.
    Approve(MolApproveArgs),
    /// Refuse at a gate that waits for a person: the step has failed.
    Reject(MolRejectArgs),
    /// Send the work back to a step that ended: it, and all that follows from it, is done anew.
    PushBack(MolPushBackArgs),
    /// Do what the machine can do, over retries and timers, until only people's work is left, and say what is waited for.
    ///
    /// Steps with `uses` are done, gates that are programs are asked, what time brings about happens. Programs are started
    /// only if the molecule is trusted: `windlass trust mol:ID`. They get WINDLASS_MOLECULE, WINDLASS_STEP, WINDLASS_ATTEMPT
    /// and WINDLASS_TOKEN, by which they can show the claim to others.
    Drive(MolDriveArgs),
    /// Change how a molecule is worked through.
    Set(MolSetArgs),
    /// Name molecules that nothing happened to for long.
    Stale {
        /// For how long.
        #[arg(long, value_name = "DURATION", default_value = "1h")]
        after: String,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Name what does not go on, and what would move it. Exit code 1 if there is any.
    Doctor {
        /// Of this molecule; of all if not given.
        mol: Option<String>,
        /// Leave out what has waited for less than this.
        #[arg(long, value_name = "DURATION", default_value = "1ms")]
        #[arg(hide_default_value = true)]
        after: String,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Let a molecule come after another.
    Bond {
        /// The one that comes first.
        first: String,
        /// The one that comes after it.
        second: String,
        /// `sequential`: it begins when the first is done. `conditional`: it begins if the first fails. `parallel`: it
        /// belongs to the first, and waits for nothing.
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        #[arg(default_value = "sequential")]
        kind: MolBondKind,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Print a finished epic as a formula: its parts become steps, each of which needs what it waited for.
    Distill {
        /// The bead whose parts are meant.
        bead: String,
        /// What the formula is called; after the title of the bead if not given.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// A text that another time will be another, and the variable that stands for it; may be repeated.
        #[arg(long = "var", value_name = "NAME=TEXT")]
        vars: Vec<String>,
        /// Take parts that are open as well.
        #[arg(long)]
        open: bool,
    },
    /// Put a molecule away: what came of it stays in `mols/ID.archive.json`.
    Squash {
        /// Its id.
        mol: String,
        /// What came of it; counted if not given.
        #[arg(long, value_name = "TEXT")]
        summary: Option<String>,
        /// Also if something is left to be done, or somebody works on it.
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Throw molecules away, all or none: nothing of them stays but their events.
    Burn {
        /// Their ids.
        #[arg(value_name = "MOL", required = true)]
        mols: Vec<String>,
        /// Why.
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        #[arg(hide_default_value = true)]
        reason: String,
        /// Also if somebody works on it.
        #[arg(long)]
        force: bool,
    },
}

/// How a molecule comes after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MolBondKind {
    /// When it is done.
    Sequential,
    /// Beside it.
    Parallel,
    /// If it fails.
    Conditional,
}

/// How a formula is poured.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolPourArgs {
    #[command(flatten)]
    pub(crate) values: FormulaValues,
    /// The bead it is worked through for: decides which hooks attach something, and is shown.
    #[arg(long, value_name = "BEAD")]
    pub(crate) bead: Option<String>,
    /// What it is called; as the formula says if not given.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// How many steps may be in progress at once; as many as are ready if not given.
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,
    /// How long a claim holds without a heartbeat; 15m if not given.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolWispArgs {
    #[command(flatten)]
    pub(crate) pour: MolPourArgs,
    /// How long it stays after it was last worked on; 24h if not given.
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
}

/// A molecule.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolArgs {
    /// Its id; the only one that is open if not given.
    pub(crate) mol: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolReadyArgs {
    /// Of this molecule; of all that are open if not given.
    pub(crate) mol: Option<String>,
    /// Also those that are meant for others than who asks.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolShowArgs {
    /// Its id; the only one that is open if not given.
    pub(crate) mol: Option<String>,
    /// One of its steps.
    pub(crate) step: Option<String>,
    /// As it was at this moment: `2026-01-31T12:00:00Z`.
    #[arg(long, value_name = "TIME", requires = "mol", conflicts_with = "step")]
    pub(crate) at: Option<Stamp>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolClaimArgs {
    /// Of this molecule; of any that is open if not given, the oldest first.
    pub(crate) mol: Option<String>,
    /// This step; if not given the most important that is ready, and not meant for others: by name, group or role.
    pub(crate) step: Option<String>,
    /// How long it holds without a heartbeat; as the molecule says if not given.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Also print the context pack: that of the step, or one that is made of its title, description and acceptance.
    #[arg(long)]
    pub(crate) pack: bool,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// What the pack is for, which says how large it may be; `routine` if not given.
    #[arg(long, value_name = "PROFILE", requires = "pack")]
    pub(crate) profile: Option<PackProfile>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// A claim that is shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolProofArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// The step.
    pub(crate) step: String,
    /// What `mol claim` gave: it proves that the step is still one's own.
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolHeartbeatArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// How long it holds from now on; as the molecule says if not given.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolCompleteArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// What it gave: JSON, or a text; `-` reads it from standard input.
    #[arg(short, long, value_name = "VALUE")]
    pub(crate) output: Option<String>,
    /// Claim the next step of the molecule in the same call.
    #[arg(long)]
    pub(crate) claim_next: bool,
    /// Let what the step asks for start programs in this call, without trusting the molecule for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolFailArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Another attempt could not do better: it is not tried again, whatever the policy says.
    #[arg(long)]
    pub(crate) for_good: bool,
    /// What it gave all the same: JSON, or a text; `-` reads it from standard input.
    #[arg(short, long, value_name = "VALUE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// A step, and why something is done with it.
#[derive(Debug, ClapArgs)]
pub(crate) struct MolReasonArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// The step.
    pub(crate) step: String,
    /// Why.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolReleaseArgs {
    /// The molecule.
    #[arg(value_name = "MOL", required_unless_present = "all")]
    pub(crate) mol: Option<String>,
    /// The step.
    #[arg(value_name = "STEP", required_unless_present = "all")]
    pub(crate) step: Option<String>,
    /// What `mol claim` gave: it proves that the step is still one's own. Without it, `--reason` says why the step is taken
    /// from its holder, who gets a message.
    #[arg(long, value_name = "TOKEN", required_unless_present_any = ["all", "reason"])]
    pub(crate) token: Option<String>,
    /// Every step that one has in hand, of all molecules: the session ends.
    #[arg(long, conflicts_with_all = ["mol", "step", "token"])]
    pub(crate) all: bool,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolHandoffArgs {
    #[command(flatten)]
    pub(crate) proof: MolProofArgs,
    /// What the next session has to know; `-` reads it from standard input.
    #[arg(short = 'm', long, value_name = "TEXT")]
    pub(crate) body: String,
    /// How long the claim holds from now on; as the molecule says if not given.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    /// Take off what is on one's hook.
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolApproveArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// The step.
    pub(crate) step: String,
    /// Which of its gates, from 0; the first that waits for a person if not given.
    #[arg(long, value_name = "N")]
    pub(crate) gate: Option<u32>,
    /// Something to say to who does the step: VALUE is JSON, or a text; may be repeated.
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolRejectArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// The step.
    pub(crate) step: String,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Which of its gates, from 0; the first that waits for a person if not given.
    #[arg(long, value_name = "N")]
    pub(crate) gate: Option<u32>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolPushBackArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// The step that is to be done anew.
    pub(crate) step: String,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The step at whose gate that was decided.
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolSetArgs {
    /// The molecule.
    pub(crate) mol: String,
    /// How many steps may be in progress at once; 0 for as many as are ready.
    #[arg(long, value_name = "N", required_unless_present = "lease")]
    pub(crate) concurrency: Option<u32>,
    /// How long a claim holds without a heartbeat.
    #[arg(long, value_name = "DURATION")]
    pub(crate) lease: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MolDriveArgs {
    /// The molecule; the only one that is open if not given.
    pub(crate) mol: Option<String>,
    /// Let it start programs in this call, without trusting it for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Return as soon as nothing can be done at once, instead of waiting for retries and timers.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) no_wait: bool,
    /// Go on until interrupted, whatever is waited for; without MOL, drive every open molecule.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    /// A molecule, or a bead.
    #[arg(value_name = "MOL|BEAD")]
    pub(crate) target: String,
    /// The step of the molecule: what its formula asks for is looked at.
    pub(crate) step: Option<String>,
    /// What must be so, of a bead, instead of what its metadata says under `acceptance`: a text that somebody judges, or JSON such as `{\"file\": \"LICENSE\"}`,
    /// `{\"command\": [\"make\", \"test\"]}`, `{\"grep\": {\"pattern\": \"…\"}}`, or a list of them; `-` reads it from standard
    /// input.
    #[arg(long, value_name = "JSON", conflicts_with = "step")]
    pub(crate) criteria: Vec<String>,
    /// Let it start programs in this call, without trusting the molecule for good.
    #[arg(long)]
    pub(crate) allow_commands: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
