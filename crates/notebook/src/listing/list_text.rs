//! Renders a list as text for people. Anything from a file or the notebook goes through
//! `harmless_line`, because it may contain control characters.

use windlass_base::{Freshness, Judgement, NextAction, RepairOutcome, counted};
use windlass_packs::{Rank, Style, Styled, fit_columns, harmless_line};

use super::ListFormat;
use super::list_facts::ListFacts;
use super::list_row::{Row, RunbookReport, RunbookState};
use crate::AnchorReport;

/// Width of the state column. The longest states of anchors, such as `unknown`, just fit.
const STATE: usize = 7;
/// Maximum width of the columns for names and kinds, in characters. Longer names stick out, so that
/// a single one doesn't push everything else to the right.
const MAX_COLUMN: usize = 24;

/// Appends the next actions as commands, one per line, with their reasons as shell comments.
pub fn push_next(out: &mut Styled, actions: &[NextAction]) {
    if !actions.is_empty() {
        out.end_line().push(Style::Heading, "Next").end_line();
    }
    for action in actions {
        out.plain_text("  ")
            .push(Style::Command, harmless_line(&action.written_out()))
            .push(Style::Dim, format!("  # {}", harmless_line(&action.reason)))
            .end_line();
    }
}

impl ListFacts {
    /// Renders the page with `entries`. `left` is the number of entries on later pages.
    pub(super) fn text(
        &self,
        entries: &[Styled],
        left: usize,
        more: Option<&NextAction>,
        actions: &[NextAction],
    ) -> Styled {
        let mut out = Styled::default();
        out.append(self.summary());
        for entry in entries {
            out.append(entry.clone());
        }
        if let Some(more) = more {
            out.push(Style::Dim, format!("  … {left} more  "))
                .push(Style::Command, harmless_line(&more.written_out()))
                .end_line();
        }
        push_next(&mut out, actions);
        out
    }

    /// Renders the number of entries in each state. Every page begins with this summary of the
    /// whole list.
    fn summary(&self) -> Styled {
        let total: usize = self.counts.values().sum();
        let mut out = Styled::default();
        if self.lost > 0 {
            let parts = counted(self.lost, "part");
            out.push(
                Style::Bad,
                format!("{parts} of the notebook cannot be used"),
            )
            .end_line();
        }
        if !self.runbooks.is_empty() {
            let count: usize = self.runbooks.iter().map(|(_, count)| count).sum();
            out.plain_text(counted(count, "runbook"));
            let others = self.runbooks.iter();
            let others: Vec<String> = others
                .filter(|(state, _)| *state != RunbookState::Valid)
                .map(|(state, count)| format!("{count} {}", state.as_str()))
                .collect();
            if !others.is_empty() {
                out.plain_text(format!(": {}", others.join(", ")));
            }
            out.end_line();
        }
        if total == 0 {
            out.push(Style::Dim, "no anchors").end_line();
            return out;
        }
        let fresh = self.counts.get(&Rank::Fresh).copied().unwrap_or(0);
        let style = if fresh == total {
            Style::Good
        } else {
            Style::Warn
        };
        out.push(style, format!("{fresh} of {total} fresh"));
        let others = self.counts.iter().filter(|(rank, _)| **rank != Rank::Fresh);
        let others: Vec<String> = others
            .map(|(rank, count)| format!("{count} {}", rank.as_str()))
            .collect();
        if !others.is_empty() {
            out.plain_text(format!(": {}", others.join(", ")));
        }
        out.end_line();
        out
    }

    /// Renders a runbook on a single line: state, name, title and reason.
    pub(super) fn runbook_line(&self, report: &RunbookReport, width: Option<usize>) -> Styled {
        let (ids, kinds) = self.columns;
        let mut text = format!("{:ids$}  {:kinds$}  ", report.id.as_str(), report.kind);
        if report.label != report.id.as_str() {
            text.push_str(&report.label);
        }
        if let Some(reason) = &report.reason {
            text.push_str(&format!("; {reason}"));
        }
        let state = report.status.as_str();
        let room = width.map(|width| width.saturating_sub(state.len().max(STATE) + 2));
        let mut out = Styled::default();
        out.push(report.status.style(), format!("{state:STATE$}"));
        out.plain_text(format!("  {}", fit_columns(&harmless_line(&text), room)))
            .end_line();
        out
    }

    /// Renders an anchor on a single line: state, name, kind, location, verdict and title. If
    /// several locations are stale, each of them gets a line of its own below.
    pub(super) fn line(&self, report: &AnchorReport, width: Option<usize>) -> Styled {
        let (ids, kinds) = self.columns;
        let stale: Vec<_> = report
            .evidence
            .iter()
            .filter(|checked| !checked.judgement.is_fresh())
            .collect();
        let mut text = format!(
            "{:ids$}  {:kinds$}  ",
            report.id.as_str(),
            report.kind.as_str()
        );
        if let Some(first) = stale.first().copied().or(report.evidence.first()) {
            text.push_str(&first.pointer.to_string());
        }
        match report.evidence.len() {
            0 | 1 => {}
            count => text.push_str(&format!(" (+{})", count - 1)),
        }
        if stale.len() <= 1
            && let Some(remark) = remark(&report.judgement)
        {
            text.push_str(&format!("; {remark}"));
        }
        if report.label != report.id.as_str() {
            text.push_str(&format!("  {}", report.label));
        }
        let rank = Rank::of(&report.judgement);
        let mut out = Styled::default();
        out.push(rank.style(), format!("{:STATE$}", rank.as_str()));
        let room = width.map(|width| width.saturating_sub(STATE + 2));
        out.plain_text(format!("  {}", fit_columns(&harmless_line(&text), room)))
            .end_line();
        for checked in stale.iter().filter(|_| stale.len() > 1) {
            let remark = remark(&checked.judgement).unwrap_or_default();
            let text = harmless_line(&format!("{}; {remark}", checked.pointer));
            out.plain_text(format!(
                "           {}",
                fit_columns(&text, room.map(|room| room.saturating_sub(2)))
            ))
            .end_line();
        }
        out
    }
}

/// Widths of the columns for names and kinds. They are 0 if the output isn't aligned, e.g. in a
/// pipe.
pub(super) fn columns(rows: &[Row], format: ListFormat) -> (usize, usize) {
    if !matches!(format, ListFormat::Text { width: Some(_) }) {
        return (0, 0);
    }
    let column = |text: fn(&Row) -> &str| {
        let lengths = rows.iter().map(|row| text(row).chars().count());
        lengths
            .filter(|length| *length <= MAX_COLUMN)
            .max()
            .unwrap_or(0)
    };
    (column(Row::id), column(Row::kind))
}

/// Sums up the verdict on evidence in a few words. Fresh evidence has no remark, unless a part of
/// it couldn't be compared.
#[must_use]
pub fn remark(judgement: &Judgement) -> Option<String> {
    if judgement.is_fresh() {
        return judgement.reason.clone();
    }
    let mut parts = Vec::new();
    if let Some(repair) = &judgement.repair {
        // Twelve characters are enough to be unique, even in large repositories.
        let since = repair.commit.as_ref().and_then(|commit| commit.get(..12));
        let since = since.map_or_else(String::new, |commit| format!(" since {commit}"));
        match (&repair.evidence, repair.outcome) {
            (Some(new), RepairOutcome::Moved) => return Some(format!("now at {new}{since}")),
            (Some(new), RepairOutcome::Edited) => {
                let kept = repair.confidence;
                return Some(format!("now at {new}, {kept} % kept{since}"));
            }
            (_, RepairOutcome::Gone) if !since.is_empty() => parts.push(format!("gone{since}")),
            (Some(new), _) => parts.push(format!("perhaps at {new}")),
            (None, _) if !repair.candidates.is_empty() => {
                let candidates: Vec<String> =
                    repair.candidates.iter().map(ToString::to_string).collect();
                parts.push(format!("perhaps at {}", candidates.join(" or ")));
            }
            _ => {}
        }
    }
    match (&judgement.reason, judgement.status) {
        (Some(reason), _) => parts.insert(0, reason.clone()),
        (None, Freshness::StaleHashMismatch) => parts.insert(0, "the lines changed".to_owned()),
        _ => {}
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
