//! Beads as text for people.

use std::fmt::Write as _;

use windlass::base::counted;
use windlass::ledger::Reason;
use windlass::ledger::bead::{Bead, IMPORTED};
use windlass::ledger::event::Outcome;
use windlass::packs::harmless_line;
use windlass::{BeadReport, ExportReport, ImportReport, WorkList};

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

/// What was done with a bead, on one line.
#[must_use]
pub fn bead_done(what: &str, bead: &Bead) -> String {
    harmless_line(&format!("{what} {}: {}", bead.id, bead.full_title()))
}

/// Beads, one a line, each with what it waits for.
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

/// What came of an import.
#[must_use]
pub fn import_text(report: &ImportReport, is_dry: bool) -> String {
    let would = if is_dry { "would be " } else { "" };
    let mut text = format!(
        "{would}added {}, {would}changed {}, {} the same, {} changed here since\n",
        report.added.len(),
        report.changed.len(),
        report.same,
        report.newer_here.len()
    );
    for id in &report.newer_here {
        text.push_str(&format!(
            "  {id} was changed here since: it stays as it is\n"
        ));
    }
    if let Some(prefix) = &report.prefix {
        text.push_str(&format!(
            "new beads are called `{prefix}-…` from now on; `bead create --prefix` calls one otherwise\n"
        ));
    }
    text
}

/// What came of an export into the file `out`, on one line.
#[must_use]
pub fn export_line(report: &ExportReport, out: &str) -> String {
    format!(
        "`{}` has {}, changed {}; {} the same",
        harmless_line(out),
        counted(report.added.len(), "new bead"),
        report.changed.len(),
        report.same
    )
}
