//! What is shared by those who work together: `route`, `mail`, `hook`, `agent`, `events`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::ledger::{MailPriority, MessageType, Stamp};

use super::{FormatArgs, OutputFormat};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum RouteCommand {
    /// Say in which ledger the beads of a prefix lie; a route of the same prefix is replaced.
    Add {
        /// What their ids begin with, before a `-`.
        prefix: String,
        /// The repository, or its `.beads` folder.
        #[arg(value_name = "DIR", add = completion::folders())]
        folder: PathBuf,
        /// What the place is called.
        #[arg(long, value_name = "NAME")]
        rig: Option<String>,
    },
    /// Name the routes there are.
    List(FormatArgs),
    /// Say where a bead lies by its id: the longest prefix wins. Exit code 3 if no route fits.
    Resolve {
        /// Its id.
        #[arg(value_name = "BEAD")]
        id: String,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Send a message.
    Send(MailSendArgs),
    /// Name the messages to oneself that were not read.
    Inbox(MailInboxArgs),
    /// Show a message, which is read then.
    Read(MailReadArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailSendArgs {
    /// Who is to get it.
    pub(crate) to: String,
    /// What it is about; its type if not given.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) subject: Option<String>,
    /// What it says; `-` reads it from standard input.
    #[arg(short = 'm', long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) body: String,
    /// What it is for: `POLECAT_DONE`, `MERGE_READY`, `MERGED`, `REWORK_REQUEST`, `NUDGE`, `HELP`, `HANDOFF`,
    /// `ESCALATION`; each goes from some to some.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) message_type: Option<MessageType>,
    /// How much it matters: `urgent`, `normal`, `low`.
    #[arg(short, long, value_name = "PRIORITY", default_value = "normal")]
    pub(crate) priority: MailPriority,
    /// The bead that it is about.
    #[arg(long, value_name = "BEAD")]
    pub(crate) bead: Option<String>,
    /// The molecule that it is about, or a step of it: opens a gate there that waits for any message.
    #[arg(long, value_name = "MOL[/STEP]")]
    pub(crate) mol: Option<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailInboxArgs {
    /// Whose messages; one's own if not given.
    #[arg(long = "for", value_name = "ACTOR")]
    pub(crate) recipient: Option<String>,
    /// Those that were read as well.
    #[arg(long)]
    pub(crate) all: bool,
    /// How many to name at most; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value = "50")]
    pub(crate) limit: usize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailReadArgs {
    /// Its id.
    #[arg(value_name = "MESSAGE")]
    pub(crate) id: String,
    /// Look at it without having read it; also one to somebody else.
    #[arg(long)]
    pub(crate) peek: bool,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Put something on an agent's hook: what it is to do next.
    Set {
        /// Whose hook.
        agent: String,
        /// `bead:ID`, `mail:ID` or `mol:ID`.
        what: String,
        /// Take off what is on it.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show what is on the hooks there are, or on that of an agent.
    Show {
        /// Whose hook.
        agent: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Look at one's own hook, which is noted. Exit code 3 if nothing is on it.
    Check(FormatArgs),
    /// Take what is on a hook off; a bead that was not begun is open again.
    Clear {
        /// Whose hook; one's own if not given.
        agent: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Note that one begins a session.
    Start {
        /// What the session is called.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        /// Where it works.
        #[arg(long, value_name = "DIR")]
        worktree: Option<String>,
        /// Which sort of agent it is.
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
    },
    /// Note that one is at work.
    Work {
        /// On which bead.
        bead: Option<String>,
    },
    /// Note that one waits.
    Idle {
        /// What one did last.
        #[arg(long, value_name = "TEXT")]
        last_activity: Option<String>,
    },
    /// Note that one's session ends.
    Stop {
        /// Why.
        #[arg(short, long, value_name = "TEXT")]
        reason: Option<String>,
        /// Its exit code.
        #[arg(long, value_name = "N")]
        exit_code: Option<i32>,
    },
    /// Name the agents there are, and what they do.
    List(FormatArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Name events, the newest last.
    List(EventsListArgs),
    /// Show the newest events; with `--follow` also those to come.
    Tail {
        /// How many.
        #[arg(short = 'n', long, value_name = "N", default_value = "10")]
        limit: usize,
        /// Wait for more, until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
    },
    /// Count events and what follows from them.
    Stats {
        /// As it was at this moment: `2026-01-31T12:00:00Z`.
        #[arg(long, value_name = "TIME")]
        at: Option<Stamp>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Print events as lines of JSON, as they stand in the log.
    Export(EventFilterArgs),
    /// Apply the whole log anew, and compare everything that follows from it. Exit code 1 if something is amiss.
    Verify(FormatArgs),
    /// Throw away everything that follows from the log, and make it again.
    Rebuild,
    /// Write what git carries: the copy of the log in this working tree, `issues.jsonl` and `messages.jsonl`.
    ///
    /// Nothing else writes files that git tracks, so that branches can be switched while work goes on: the log itself is
    /// beside git's own files. The hook of `windlass init --hook` does this before each commit. Agent hooks and `mols/` are
    /// written again as well.
    Sync {
        /// Take the conflict markers of a merge out of `.beads/events.jsonl`; both sides stay.
        #[arg(long)]
        clean: bool,
    },
}

/// Which events.
#[derive(Debug, ClapArgs)]
pub(crate) struct EventFilterArgs {
    /// The event of this id.
    #[arg(long, value_name = "EVENT")]
    pub(crate) id: Option<String>,
    /// Of this type; `bead.*` for all that begin so.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) event_type: Option<String>,
    /// Of this actor; `gastown/*` for all that begin so.
    #[arg(long = "by", value_name = "ACTOR")]
    pub(crate) by: Option<String>,
    /// About this bead, message, agent or molecule.
    #[arg(long, value_name = "ID")]
    pub(crate) about: Option<String>,
    /// Related by this correlation id.
    #[arg(long, value_name = "ID")]
    pub(crate) correlation: Option<String>,
    /// Not before this moment, or this long ago: `2026-01-31T12:00:00Z`, `2h`.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Not after this moment, or before this long ago.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only those that do not count: they were not allowed where they stand, after two clones were merged.
    #[arg(long)]
    pub(crate) rejected: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct EventsListArgs {
    #[command(flatten)]
    pub(crate) filter: EventFilterArgs,
    /// How many to name at most, the newest; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value = "50")]
    pub(crate) limit: usize,
    /// How to print them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
