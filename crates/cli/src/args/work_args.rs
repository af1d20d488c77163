//! Arguments of the commands for working together: `route`, `mail`, `hook`, `agent`, `events`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use windlass::ledger::{MailPriority, MessageType, Stamp};

use super::{FormatArgs, OutputFormat, max_results};
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum RouteCommand {
    /// Add or replace the route of a bead prefix to a ledger.
    Add {
        /// Prefix of bead ids, before a `-`.
        prefix: String,
        /// Repository, or its `.beads` folder.
        #[arg(value_name = "DIR", add = completion::folders())]
        folder: PathBuf,
        /// Name of the location.
        #[arg(long, value_name = "NAME")]
        rig: Option<String>,
    },
    /// List routes.
    List(FormatArgs),
    /// Remove the route of a bead prefix, and trust in it. Exit code 3 if there is none.
    Remove {
        /// Prefix of bead ids, before a `-`.
        prefix: String,
    },
    /// Resolve a bead id to a ledger: the longest prefix wins. Exit code 3 if no route matches.
    Resolve {
        /// Bead id.
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
    /// List your unread messages.
    #[command(visible_alias = "list")]
    Inbox(MailInboxArgs),
    /// Show a message, and mark it as read.
    #[command(visible_alias = "show")]
    Read(MailReadArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailSendArgs {
    /// Recipient.
    pub(crate) to: String,
    /// Subject; by default the message type, or the first line of the message.
    #[arg(long, short_alias = 's', value_name = "TEXT")]
    pub(crate) subject: Option<String>,
    /// Message; `-` reads standard input.
    #[arg(short = 'm', long, value_name = "TEXT", default_value = "")]
    #[arg(hide_default_value = true)]
    pub(crate) body: String,
    /// Type: `POLECAT_DONE`, `MERGE_READY`, `MERGED`, `REWORK_REQUEST`, `NUDGE`, `HELP`, `HANDOFF`,
    /// `ESCALATION`; each has its permitted senders and recipients.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) message_type: Option<MessageType>,
    /// Priority: `urgent`, `normal`, `low`.
    #[arg(short, long, value_name = "PRIORITY", default_value = "normal")]
    pub(crate) priority: MailPriority,
    /// Related bead.
    #[arg(long, value_name = "BEAD")]
    pub(crate) bead: Option<String>,
    /// Related molecule or step; opens a gate there that waits for any message.
    #[arg(long, value_name = "MOL[/STEP]")]
    pub(crate) mol: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailInboxArgs {
    /// Actor whose list to show; yourself by default.
    #[arg(long = "for", value_name = "ACTOR")]
    pub(crate) recipient: Option<String>,
    /// Include read messages.
    #[arg(long)]
    pub(crate) all: bool,
    /// Maximum number of results; 0 for no limit.
    #[arg(short = 'n', long, value_name = "N", default_value = "50", value_parser = max_results)]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MailReadArgs {
    /// Message id.
    #[arg(value_name = "MESSAGE")]
    pub(crate) id: String,
    /// Show the message without marking it as read; also a message to another recipient.
    #[arg(long)]
    pub(crate) peek: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Assign an agent its next piece of work.
    #[command(visible_alias = "add")]
    Set {
        /// Agent name.
        agent: String,
        /// Work to assign: `bead:ID`, `mail:ID` or `mol:ID`.
        #[arg(value_name = "WORK")]
        what: String,
        /// Replace the current assignment.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show the assignments of all agents, or of one.
    #[command(visible_alias = "list")]
    Show {
        /// Agent name.
        agent: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Check your own hook, which records the check. Exit code 3 if it is empty.
    Check(FormatArgs),
    /// Clear a hook; an unstarted bead on it is open again.
    #[command(visible_alias = "remove")]
    Clear {
        /// Agent name; yourself by default.
        agent: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Record the start of a session.
    Start {
        /// Session name.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        /// Working tree of the session.
        #[arg(long, value_name = "DIR")]
        worktree: Option<String>,
        /// Kind of agent.
        #[arg(short, long, alias = "profile", value_name = "KIND")]
        kind: Option<String>,
    },
    /// Record that the agent is working.
    Work {
        /// Bead being worked on.
        bead: Option<String>,
    },
    /// Record that the agent is idle.
    Idle {
        /// Last activity.
        #[arg(long, value_name = "TEXT")]
        last_activity: Option<String>,
    },
    /// Record the end of a session.
    Stop {
        /// Reason.
        #[arg(short, long, value_name = "TEXT")]
        reason: Option<String>,
        /// Exit code of the session.
        #[arg(long, value_name = "N")]
        exit_code: Option<i32>,
    },
    /// List agents and their activity.
    List(FormatArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// List events, the newest last.
    List(EventsListArgs),
    /// Show the newest events; with `--follow` also new ones.
    Tail {
        /// Maximum number of results; 0 for no limit.
        #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = max_results)]
        limit: usize,
        /// Wait for more events, until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
    },
    /// Count events and the records folded from them.
    Stats {
        /// State at this time: `2026-01-31T12:00:00Z`.
        #[arg(long, value_name = "TIME")]
        at: Option<Stamp>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Print events as JSON Lines, as stored in the log.
    Export(EventFilterArgs),
    /// Fold the whole log again and compare the result with everything derived from it; exit code 1 on differences.
    Verify(FormatArgs),
    /// Rebuild everything derived from the log.
    Rebuild,
    /// Write the files that git carries: the copy of the log in this working tree, `issues.jsonl` and `messages.jsonl`.
    ///
    /// No other command writes files that git tracks, so that branches can be switched while work goes on: the log
    /// itself is stored next to git's own files. The git hook of `windlass init --hook` runs this before each commit.
    /// Agent hooks and `mols/` are written again as well.
    Sync {
        /// Remove merge conflict markers from `.beads/events.jsonl`; both sides are kept.
        #[arg(long)]
        clean: bool,
    },
}

/// Filter of events.
#[derive(Debug, ClapArgs)]
pub(crate) struct EventFilterArgs {
    /// Only the event with this id.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Only events of this type; `bead.*` for a prefix.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) event_type: Option<String>,
    /// Only events of this actor; `gastown/*` for a prefix.
    #[arg(long = "by", value_name = "ACTOR")]
    pub(crate) by: Option<String>,
    /// Only events about this bead, message, agent or molecule.
    #[arg(long, value_name = "ID")]
    pub(crate) about: Option<String>,
    /// Only events with this correlation id.
    #[arg(long, value_name = "ID")]
    pub(crate) correlation: Option<String>,
    /// Only events since this time, or this long ago: `2026-01-31T12:00:00Z`, `2h`.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only events until this time, or this long ago.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only rejected events: not allowed at their position in the log, after two clones were merged.
    #[arg(long)]
    pub(crate) rejected: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct EventsListArgs {
    #[command(flatten)]
    pub(crate) filter: EventFilterArgs,
    /// Maximum number of results; 0 for no limit. The newest are shown.
    #[arg(short = 'n', long, value_name = "N", default_value = "50", value_parser = max_results)]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}
