//! Text output for the ledger's log, and for agents, agent hooks and routes.

use serde_json::Value;
use windlass::base::counted;
use windlass::ledger::event::EventLine;
use windlass::ledger::{Agent, AgentState, Finding, FoundEvent, Route};
use windlass::packs::harmless_line;
use windlass::{EventStats, HookReport};

/// Formats an event on one line, with all of its short fields. Lines that are not events stay as
/// they are.
#[must_use]
pub fn event_line(event: &FoundEvent) -> String {
    let Ok(read) = EventLine::parse(event.line.as_bytes()) else {
        return harmless_line(&event.line);
    };
    let data: Value = serde_json::from_str(read.data.get()).unwrap_or_default();
    let fields = data.as_object().into_iter().flatten();
    let told: Vec<String> = fields
        .filter_map(|(name, value)| match value {
            Value::String(text) if text.chars().count() <= 60 => Some(format!("{name}={text}")),
            Value::Number(_) | Value::Bool(_) => Some(format!("{name}={value}")),
            _ => None,
        })
        .collect();
    let rejected = event
        .rejected
        .as_ref()
        .map(|why| format!("  REJECTED: {why}"))
        .unwrap_or_default();
    harmless_line(&format!(
        "{}  {}  {:<20} {}  {}{rejected}",
        read.timestamp,
        read.event_id,
        read.event_type,
        read.actor,
        told.join(" ")
    ))
}

/// Counts events by type and by actor, and lists the rejected ones.
#[must_use]
pub fn event_stats_text(stats: &EventStats) -> String {
    let mut text = format!(
        "{}, {}, {}\n",
        counted(usize::try_from(stats.events).unwrap_or(usize::MAX), "event"),
        counted(stats.beads, "bead"),
        counted(stats.messages, "message")
    );
    if let (Some(first), Some(last)) = (stats.first, stats.last) {
        text.push_str(&format!("from {first} to {last}\n"));
    }
    for (title, counts) in [("types", &stats.by_type), ("actors", &stats.by_actor)] {
        text.push_str(&format!("{title}\n"));
        for (name, count) in counts {
            text.push_str(&format!("  {count:>7}  {}\n", harmless_line(name)));
        }
    }
    for rejected in &stats.rejected {
        let line = format!(
            "{} {} by {} rejected: {}",
            rejected.event_type, rejected.event_id, rejected.actor, rejected.reason
        );
        text.push_str(&format!("{}\n", harmless_line(&line)));
    }
    text
}

/// Formats a finding about the log, preceded by its line number if any.
#[must_use]
pub fn log_finding_line(finding: &Finding) -> String {
    let place = finding
        .line
        .map(|line| format!("line {line}: "))
        .unwrap_or_default();
    let sort = if finding.is_wrong { "wrong" } else { "note" };
    format!("{sort}: {place}{}\n", harmless_line(&finding.message))
}

/// Formats an agent's state on one line, including its current bead.
#[must_use]
pub fn agent_line(name: &str, agent: &Agent) -> String {
    let state = match agent.state {
        AgentState::Started => "started",
        AgentState::Working => "working",
        AgentState::Idle => "idle",
        AgentState::Stopped => "stopped",
    };
    let bead = agent
        .bead_id
        .as_ref()
        .map(|bead| format!("  {bead}"))
        .unwrap_or_default();
    let note = agent
        .note
        .as_ref()
        .map(|note| format!("  {note}"))
        .unwrap_or_default();
    let line = format!("{name}  {state} since {}{bead}{note}", agent.since);
    format!("{}\n", harmless_line(&line))
}

/// Formats a route on one line: prefix, path and rig.
#[must_use]
pub fn route_line(route: &Route) -> String {
    let rig = route
        .rig
        .as_ref()
        .map(|rig| format!("  ({rig})"))
        .unwrap_or_default();
    harmless_line(&format!("{}  {}{rig}", route.prefix, route.path))
}

/// Like [`route_line`], but marks untrusted routes.
#[must_use]
pub fn trusted_route_line(route: &Route, is_trusted: bool) -> String {
    match is_trusted {
        true => format!("{}\n", route_line(route)),
        false => format!("{}  not trusted\n", route_line(route)),
    }
}

/// Formats an agent hook on one line, including the assigned agent.
#[must_use]
pub fn hook_line(report: &HookReport) -> String {
    let hook = &report.hook;
    let line = format!(
        "{}:{}  {}  since {}  {}",
        hook.kind, hook.reference, report.agent, hook.since, hook.path
    );
    format!("{}\n", harmless_line(&line))
}
