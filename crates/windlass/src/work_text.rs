//! Beads, messages and events as text for people.

use std::fmt::Write as _;

use crate::BeadReport;
use windlass_ledger::bead::{Bead, DependencyKind};
use windlass_ledger::{Message, Reason};

/// A bead on one line.
#[must_use]
pub fn bead_line(bead: &Bead) -> String {
    let status = bead.foreign_status().unwrap_or(bead.status.as_str());
    let kind = bead.foreign_type().unwrap_or(bead.issue_type.as_str());
    let mut line = format!(
        "{}  P{}  {status}  {kind}  {}",
        bead.id,
        bead.priority,
        bead.full_title()
    );
    if let Some(assignee) = &bead.assignee {
        let _ = write!(line, "  ({assignee})");
    }
    if !bead.labels.is_empty() {
        let _ = write!(line, "  [{}]", bead.labels.join(", "));
    }
    line
}

/// Why a bead cannot be begun.
#[must_use]
pub fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::WaitsFor { id, status } => format!("waits for {id}, which is {status}"),
        Reason::Missing { id } => {
            format!(
                "waits for {id}, which is not in this ledger; `windlass bead dep remove BEAD {id}` if it never will be"
            )
        }
        Reason::WaitsForFailure { id } => format!("begins only if {id} fails, which is open"),
        Reason::DidNotFail { id } => {
            format!("never begins: it was to if {id} had failed, which is done")
        }
        Reason::WaitsForChildren {
            id,
            open,
            children,
            closed,
        } => match (open, closed) {
            (0, false) => format!(
                "waits for the children of {id}: {children} are closed, but more may come until {id} is"
            ),
            _ => format!("waits for the children of {id}: {open} of {children} are open"),
        },
        Reason::PartOfBlocked { id } => format!("is a part of {id}, which cannot be begun"),
        Reason::Deferred { until: Some(until) } => format!("was put off until {until}"),
        Reason::Deferred { until: None } => "was put off".to_owned(),
        Reason::SaidToBe => "was said to be blocked, without saying by what".to_owned(),
        Reason::Pinned => "is pinned, to be seen and not to be worked on".to_owned(),
    }
}

/// A kind of dependency as it reads between a bead and the one it depends on.
#[must_use]
pub(crate) fn words(kind: &DependencyKind) -> &str {
    match kind {
        DependencyKind::Blocks => "needs",
        DependencyKind::ParentChild => "part of",
        DependencyKind::ConditionalBlocks => "needs the failure of",
        DependencyKind::WaitsFor => "needs the children of",
        DependencyKind::Other(word) => word,
    }
}

/// A bead in full.
#[must_use]
pub fn bead_text(report: &BeadReport) -> String {
    let bead = &report.bead;
    let mut text = format!("{}\n", bead_line(bead));
    let _ = writeln!(
        text,
        "  made     {} by {}",
        bead.created_at, bead.created_by
    );
    let _ = writeln!(text, "  changed  {}", bead.updated_at);
    if let Some(closed) = bead.closed_at {
        let how = bead
            .ending()
            .filter(|ending| *ending == windlass_ledger::event::Outcome::Failed);
        let how = how.map_or("closed ", |_| "failed ");
        let reason = bead.close_reason.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  {how}  {closed}  {reason}");
    }
    for dependency in &bead.dependencies {
        let _ = writeln!(
            text,
            "  {:<8} {}",
            words(&dependency.kind),
            dependency.depends_on_id
        );
    }
    for reason in &report.blocked_by {
        let _ = writeln!(text, "  blocked  {}", reason_text(reason));
    }
    for (what, ids) in [("parts", &report.children), ("needed", &report.dependents)] {
        if !ids.is_empty() {
            let by = if what == "needed" { "by " } else { "" };
            let _ = writeln!(text, "  {what:<8} {by}{}", ids.join(", "));
        }
    }
    let rest = bead
        .metadata
        .iter()
        .filter(|(name, _)| *name != windlass_ledger::bead::IMPORTED);
    for (name, value) in rest.chain(&bead.rest) {
        let _ = writeln!(text, "  {name} = {value}");
    }
    if !bead.description.is_empty() {
        let _ = write!(text, "\n{}\n", bead.description.trim_end());
    }
    text
}

/// A message on one line.
#[must_use]
pub fn mail_line(message: &Message) -> String {
    let mark = if message.read_at.is_some() { ' ' } else { '*' };
    format!(
        "{mark} {}  {}  {}  {}",
        message.id, message.timestamp, message.from, message.subject
    )
}

/// A message in full.
#[must_use]
pub fn mail_text(message: &Message) -> String {
    let mut text = format!(
        "{}\n  from     {}\n  to       {}\n  sent     {}\n  subject  {}\n",
        message.id, message.from, message.to, message.timestamp, message.subject
    );
    if let Some(kind) = message.message_type {
        let _ = writeln!(text, "  type     {kind}");
    }
    for (name, value) in &message.metadata {
        let _ = writeln!(text, "  {name} = {value}");
    }
    if !message.body.is_empty() {
        let _ = write!(text, "\n{}\n", message.body.trim_end());
    }
    text
}
