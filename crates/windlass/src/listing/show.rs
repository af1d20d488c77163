//! Anchors with their text, as a run shows them.

use serde_json::json;
use windlass_base::{
    Cancel, Entry, Ident, Limit, NextAction, Observation, Pointer, Provenance, RepairOutcome,
    ResponseMode,
};
use windlass_notebook::LocatorKind;
use windlass_pack::{
    Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Styled, harmless_line, recaptures,
};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Snapshot;
use windlass_steps::symbol_named;

use crate::anchors::{Checked, as_item};
use crate::refresh::view_options;
use crate::{AnchorReport, Error, NotKept, ViewRequest, Workspace};

/// How much `anchor show` prints when the caller does not say.
const SHOW_LIMIT: Limit = Limit::Chars(200_000);

/// Anchors with their text.
#[derive(Debug)]
pub struct ShownAnchors {
    /// What is printed.
    pub printed: Styled,
    /// Why what was cut is not kept, so that there are no cursors.
    pub cursors_lost: Option<NotKept>,
}

impl Workspace {
    /// Shows anchors with their text, as a run would; `view` names no mode that matters here.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, or the budget is too small.
    pub fn show_anchors(
        &self,
        ids: &[String],
        request: &ViewRequest,
    ) -> Result<ShownAnchors, Error> {
        let snapshot = self.snapshot();
        let reports = self.check_anchors(ids, &snapshot)?;
        let symbols = self.still_defined(&reports, &snapshot)?;
        let mut pack = as_pack(&reports, now_there(&reports, &snapshot), symbols)?;
        let policy = Policy {
            freshness: FreshnessMode::Repair,
            limit: Some(SHOW_LIMIT),
            response_mode: Some(ResponseMode::Full),
            ..Policy::default()
        };
        let options = view_options(request, &policy);
        let (printed, cursors_lost) = self.print(&mut pack, &snapshot, &options, &policy)?;
        Ok(ShownAnchors {
            printed,
            cursors_lost,
        })
    }
}

/// How many of the lines that stand where an anchor was captured are shown.
const NOW_LINES: u32 = 20;

/// What stands now where evidence no longer does: observed, so that nobody takes it for the anchor.
fn now_there(reports: &[AnchorReport], snapshot: &Snapshot) -> Vec<Entry> {
    let stale = |report: &AnchorReport| {
        report
            .evidence
            .iter()
            .filter(|seen| is_lost(seen))
            .cloned()
            .collect::<Vec<_>>()
    };
    let observed = |(id, seen): (&Ident, Checked)| {
        let Pointer { file, span, .. } = &seen.pointer;
        let source = snapshot
            .read(file)
            .ok()
            .filter(|source| !source.is_binary())?;
        let last = span.end().min(span.start().saturating_add(NOW_LINES - 1));
        let lines = (span.start()..=last).map_while(|number| source.redacted_line(number));
        let lines: Vec<String> = lines.map(|line| line.as_str().to_owned()).collect();
        if lines.is_empty() {
            return None;
        }
        let place = harmless_line(&seen.pointer.to_string());
        Some(Entry::Observation(Observation {
            provenance: Provenance {
                step: "now".to_owned(),
                uses: "read".to_owned(),
                reproducible: true,
            },
            value: json!({ "anchor": id.as_str(), "place": place, "text": lines.join("\n") + "\n" }),
            parts_before: 0,
            parts_cut: 0,
            parts_after: 0,
        }))
    };
    let all = reports
        .iter()
        .flat_map(|report| stale(report).into_iter().map(|seen| (&report.id, seen)));
    all.filter_map(observed).collect()
}

/// Whether it is not known where the lines are.
fn is_lost(checked: &Checked) -> bool {
    let found = checked.judgement.outcome() == Some(RepairOutcome::Moved);
    !checked.judgement.is_fresh() && !found
}

impl Workspace {
    /// For anchors of one place that is lost and whose symbol is still defined in that file: the calls that capture
    /// it there.
    fn still_defined(
        &self,
        reports: &[AnchorReport],
        snapshot: &Snapshot,
    ) -> Result<Vec<NextAction>, Error> {
        let mut calls = Vec::new();
        for report in reports {
            let [checked] = &report.evidence[..] else {
                continue;
            };
            let anchor = self.anchor(report.id.as_str())?;
            let symbol = anchor
                .locator
                .filter(|locator| locator.kind == LocatorKind::Symbol);
            let (Some(symbol), true) = (symbol, is_lost(checked)) else {
                continue;
            };
            let file = &checked.pointer.file;
            let place = format!("{file}#{}", symbol.value);
            if harmless_line(&place) != place {
                continue;
            }
            let Ok(source) = snapshot.read(file) else {
                continue;
            };
            if let Ok(found) = symbol_named(&source, file, &symbol.value, &Cancel::default()) {
                let reason = format!(
                    "`{}` is now defined in lines {}: capture it there",
                    symbol.value, found.span
                );
                let call = NextAction::new("anchor add", reason)
                    .positional(report.id.as_str())
                    .positional(place);
                calls.push(call.option("replace", true));
            }
        }
        Ok(calls)
    }
}

/// Anchors as a pack, so that they look as they do in a run, with what stands `now` where they did, and the calls that
/// capture those whose `symbols` are still there.
fn as_pack(
    reports: &[AnchorReport],
    now: Vec<Entry>,
    symbols: Vec<NextAction>,
) -> Result<Pack, Error> {
    let section = as_section(reports)?;
    let status = match section.status {
        SectionStatus::Fresh => PackStatus::Ok,
        _ => PackStatus::Stale,
    };
    let runbook = RunbookRef {
        id: section.id.clone(),
        title: "Anchors".to_owned(),
        purpose: String::new(),
    };
    let now = (!now.is_empty()).then(|| section_of("now", "What stands there now", now));
    let sections = std::iter::once(section).chain(now.transpose()?).collect();
    let mut pack = Pack::new(runbook, status, sections, Vec::new())
        .map_err(|error| Error::Internal(error.to_string()))?;
    pack.next_actions = recaptures(&pack.sections);
    pack.next_actions.extend(symbols);
    Ok(pack)
}

pub(super) fn as_section<'a>(
    reports: impl IntoIterator<Item = &'a AnchorReport>,
) -> Result<PackSection, Error> {
    let entries: Vec<Entry> = reports
        .into_iter()
        .map(|report| Entry::Item(as_item(report)))
        .collect();
    section_of("anchors", "Anchors", entries)
}

fn section_of(id: &str, title: &str, entries: Vec<Entry>) -> Result<PackSection, Error> {
    Ok(PackSection {
        id: Ident::parse(id).map_err(|error| Error::Internal(error.to_string()))?,
        title: title.to_owned(),
        step: id.to_owned(),
        status: SectionStatus::of(&entries),
        reason: None,
        help: None,
        refused: false,
        next_action: None,
        limit: usize::MAX,
        entries,
        notes: Vec::new(),
    })
}
