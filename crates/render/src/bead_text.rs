//! Text output for beads, i.e. the ledger's units of work.

use std::fmt::Write as _;

use windlass::base::counted;
use windlass::ledger::Reason;
use windlass::ledger::bead::{Bead, IMPORTED};
use windlass::ledger::event::Outcome;
use windlass::packs::harmless_line;
use windlass::{BeadReport, ExportReport, ImportReport, WorkList};

/// Formats a bead on one line. The title may still contain control characters, unlike in
/// [`bead_list`].
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

/// Explains why a bead can't be started, and adds the command if the bead has to be changed first.
#[must_use]
pub fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::WaitsFor { id, status } => format!("waits for {id}, which is {status}"),
        Reason::Missing { id } => {
            format!(
                "waits for {id}, which is not in this ledger; `windlass bead dep remove BEAD {id}` if it never will be"
            )
        }
        Reason::WaitsForFailure { id } => format!("begins only if {id} fails; it is open"),
        Reason::DidNotFail { id } => {
            format!("never begins: {id} did not fail")
        }
        Reason::WaitsForChildren {
            id,
            open,
            children,
            closed,
        } => match (open, closed) {
            (0, false) => format!(
                "waits for the children of {id}: {children} are closed, but more may be added until {id} is closed"
            ),
            _ => format!("waits for the children of {id}: {open} of {children} are open"),
        },
        Reason::PartOfBlocked { id } => format!("part of {id}, which is blocked"),
        Reason::Deferred { until: Some(until) } => format!("deferred until {until}"),
        Reason::Deferred { until: None } => "deferred".to_owned(),
        Reason::SaidToBe => "marked as blocked, without a reason".to_owned(),
        Reason::Pinned => "pinned: for reference only".to_owned(),
    }
}

/// Formats a bead with all of its fields and dependencies.
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
        let how = bead.ending().filter(|ending| *ending == Outcome::Failed);
        let how = how.map_or("closed ", |_| "failed ");
        let reason = bead.close_reason.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  {how}  {closed}  {reason}");
    }
    for dependency in &bead.dependencies {
        let _ = writeln!(
            text,
            "  {:<8} {}",
            dependency.kind.in_words(),
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
    let rest = bead.metadata.iter().filter(|(name, _)| *name != IMPORTED);
    for (name, value) in rest.chain(&bead.rest) {
        let _ = writeln!(text, "  {name} = {value}");
    }
    if !bead.description.is_empty() {
        let _ = write!(text, "\n{}\n", bead.description.trim_end());
    }
    text
}

/// Reports a change to a bead, e.g. `closed wl-7: Fix the parser`.
#[must_use]
pub fn bead_done(what: &str, bead: &Bead) -> String {
    harmless_line(&format!("{what} {}: {}", bead.id, bead.full_title()))
}

/// Lists beads on one line each, followed by their blocking reasons.
#[must_use]
pub fn bead_list(list: &WorkList) -> String {
    let mut text = String::new();
    for report in &list.beads {
        text.push_str(&harmless_line(&bead_line(&report.bead)));
        text.push('\n');
        for reason in &report.blocked_by {
            text.push_str(&format!("    {}\n", harmless_line(&reason_text(reason))));
        }
    }
    text
}

/// Summarizes an import, with the names of the beads that we've skipped because they were changed
/// here since the last import.
#[must_use]
pub fn import_text(report: &ImportReport, is_dry: bool) -> String {
    let would = if is_dry { "would be " } else { "" };
    let mut text = format!(
        "{would}added {}, {would}changed {}, {} unchanged, {} changed here since\n",
        report.added.len(),
        report.changed.len(),
        report.same,
        report.newer_here.len()
    );
    for id in &report.newer_here {
        text.push_str(&format!("  kept {id}, which was changed here since\n"));
    }
    if !report.redacted.is_empty() {
        text.push_str(&format!(
            "{would}replaced the secret values of {} with a mark, because the log is permanent; revoke what is still valid\n",
            counted(report.redacted.len(), "field")
        ));
    }
    for field in &report.redacted {
        text.push_str(&format!("  {}\n", harmless_line(field)));
    }
    if let Some(prefix) = &report.prefix {
        text.push_str(&format!(
            "new beads are named `{prefix}-…` from now on; `bead create --prefix` overrides that\n"
        ));
    }
    text
}

/// Summarizes an export to `out` on one line.
#[must_use]
pub fn export_line(report: &ExportReport, out: &str) -> String {
    format!(
        "`{}`: {}, changed {}; {} unchanged",
        harmless_line(out),
        counted(report.added.len(), "new bead"),
        report.changed.len(),
        report.same
    )
}
