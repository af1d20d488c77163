//! Shows anchors with their text, in the same form as a run's pack.
//!
//! This module also has [`PlaceNow`], which other callers use to show the current text at an
//! anchor's location.

use serde::Serialize;
use serde_json::json;
use windlass_base::{
    Cancel, Entry, Ident, Limit, LineSpan, NextAction, Observation, Pointer, Provenance, Redacted,
    RepairOutcome, RepoPath, ResponseMode,
};
use windlass_evidence::symbol_named;
use windlass_packs::{
    KeptPacks, NotKept, Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Styled,
    ViewRequest, anchor_actions, harmless_line, oddities, oddities_of, view_options,
};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::{ExcerptLimits, Snapshot};
use windlass_site::Error;

use crate::anchor_reports::{AnchorReport, Checked, as_item, check_anchors};
use crate::{LocatorKind, Notebook, NotebookDesk};

/// Default budget of `anchor show`. The user has asked for the full text of certain anchors, so
/// it is much larger than that of a list.
const SHOW_LIMIT: Limit = Limit::Chars(200_000);

/// Anchors rendered with their text.
#[derive(Debug)]
pub struct ShownAnchors {
    /// The anchors in the requested format.
    pub printed: Styled,
    /// The anchors in the second format.
    pub also: Option<Styled>,
    /// The reason why the parts that were cut could not be stored. The output has no cursors in
    /// this case, since they would lead nowhere.
    pub cursors_lost: Option<NotKept>,
}

/// Renders anchors with their text, in the same form as a run's pack. `request` may have a mode,
/// but we always show everything that fits.
///
/// # Errors
/// Returns an error if a name is unknown, if the notebook cannot be read, or if the budget is too
/// small.
pub(crate) fn show_anchors(
    desk: &NotebookDesk,
    ids: &[String],
    request: &ViewRequest,
) -> Result<ShownAnchors, Error> {
    let site = desk.site();
    let snapshot = site.snapshot();
    let reports = check_anchors(&desk.read()?, ids, &snapshot, site.cancel())?;
    let symbols = still_defined(&desk.read()?, &reports, &snapshot)?;
    let mut pack = as_pack(&reports, &snapshot, symbols)?;
    let policy = Policy {
        freshness: FreshnessMode::Repair,
        limit: Some(SHOW_LIMIT),
        response_mode: Some(ResponseMode::Full),
        ..Policy::default()
    };
    let options = view_options(request, &policy);
    let packs = KeptPacks::new(site);
    let printed = packs.print(&mut pack, &snapshot, &options, &policy, request.also)?;
    Ok(ShownAnchors {
        printed: printed.main,
        also: printed.also,
        cursors_lost: printed.cursors_lost,
    })
}

/// Current text at the location of a piece of evidence.
#[derive(Debug, Clone, Serialize)]
pub struct PlaceNow {
    /// The file with the text, relative to the root.
    pub file: RepoPath,
    /// The lines of the text. If the text was moved, these are the lines at the new location.
    #[serde(flatten)]
    pub span: LineSpan,
    /// Relation of this text to the captured one.
    pub is: TextNow,
    /// The current text, with secret values replaced.
    pub text: Redacted,
    /// Number of lines cut from the end.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    pub lines_cut: u32,
    /// Number of long lines cut short. Each of them ends with `…`.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    pub long_lines_cut: u32,
    /// Other differences between the text and the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'static str>,
}

/// Possible relations of the text at a location to the captured lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextNow {
    /// The captured text at its captured location.
    Captured,
    /// The captured text at a new location.
    Moved,
    /// An edited version of the captured text, at its current location.
    Edited,
    /// A possible location that we could not prove, e.g. one of several similar ones.
    Candidate,
    /// The captured location, with some other text in it. Do not mistake it for the anchor's text.
    Other,
}

const CAPTURED_LINES: ExcerptLimits = ExcerptLimits {
    max_lines: 400,
    max_chars: 40_000,
    max_line_chars: 400,
};

impl PlaceNow {
    /// The current text at the locations of `report`. Locations that cannot be read are skipped.
    #[must_use]
    pub fn of(report: &AnchorReport, snapshot: &Snapshot) -> Vec<Self> {
        let standing = |(is, place): (TextNow, &Pointer)| {
            let limits = ExcerptLimits {
                max_lines: match is {
                    TextNow::Other | TextNow::Candidate => NOW_LINES,
                    _ => CAPTURED_LINES.max_lines,
                },
                ..CAPTURED_LINES
            };
            let source = snapshot.read(&place.file).ok()?;
            let excerpt = source.shown().excerpt(place.span, limits);
            let is_there = !source.is_binary() && place.span.start() <= source.line_count();
            is_there.then(|| Self {
                file: place.file.clone(),
                span: place.span,
                is,
                text: excerpt.text,
                lines_cut: excerpt.lines_cut,
                long_lines_cut: excerpt.long_lines_cut,
                notes: oddities_of(&source, place.span),
            })
        };
        let places = report.evidence.iter().flat_map(places_now);
        places.filter_map(standing).collect()
    }
}

/// The locations to show for a piece of evidence: its current location if we know it, or else the
/// candidates, or else the captured location.
fn places_now(checked: &Checked) -> Vec<(TextNow, &Pointer)> {
    let own = &checked.pointer;
    if checked.judgement.is_fresh() {
        return vec![(TextNow::Captured, own)];
    }
    let repair = checked.judgement.repair.as_ref();
    let found = repair.and_then(|repair| Some((repair.outcome, repair.evidence.as_ref()?)));
    match found {
        Some((RepairOutcome::Moved, place)) => vec![(TextNow::Moved, place)],
        Some((RepairOutcome::Edited, place)) => vec![(TextNow::Edited, place)],
        _ => {
            let candidates = repair.iter().flat_map(|repair| &repair.candidates);
            let mut places: Vec<_> = candidates.map(|one| (TextNow::Candidate, one)).collect();
            if places.is_empty() {
                places.push((TextNow::Other, own));
            }
            places
        }
    }
}

/// Maximum number of lines shown of a text that may have nothing to do with the anchor.
const NOW_LINES: u32 = 20;

/// The current text at the locations of stale evidence. We add it in the form of observations,
/// since a reader would take an item's text for the anchor's own.
fn now_there(reports: &[AnchorReport], snapshot: &Snapshot) -> Vec<Entry> {
    let observed = |(id, (is, place)): (&Ident, (TextNow, &Pointer))| {
        let Pointer { file, span, .. } = place;
        let source = snapshot
            .read(file)
            .ok()
            .filter(|source| !source.is_binary())?;
        let last = span.end().min(span.start().saturating_add(NOW_LINES - 1));
        let lines = (span.start()..=last).map_while(|number| source.shown().line(number));
        let lines: Vec<String> = lines.map(|line| line.as_str().to_owned()).collect();
        if lines.is_empty() {
            return None;
        }
        // The name of a file may contain control characters.
        let place = harmless_line(&place.to_string());
        let mut value = json!({ "anchor": id.as_str(), "place": place });
        if is == TextNow::Candidate {
            value["candidate"] = json!(true);
        }
        value["text"] = json!(lines.join("\n") + "\n");
        Some(Entry::Observation(Observation {
            provenance: Provenance {
                step: "now".to_owned(),
                uses: "read".to_owned(),
                reproducible: true,
            },
            value,
            parts_before: 0,
            parts_cut: 0,
            parts_after: 0,
        }))
    };
    let all = reports.iter().flat_map(|report| {
        // A diff contains the current text already.
        let is_shown = |seen: &&Checked| is_lost(seen) && seen.compare(snapshot).is_none();
        let lost = report.evidence.iter().filter(is_shown);
        lost.flat_map(places_now)
            .map(move |place| (&report.id, place))
    });
    all.filter_map(observed).collect()
}

fn is_lost(checked: &Checked) -> bool {
    let found = checked.judgement.outcome() == Some(RepairOutcome::Moved);
    !checked.judgement.is_fresh() && !found
}

/// Suggests capturing anchors again where their symbols are defined now.
///
/// We only suggest this for an anchor whose sole location is lost, because a call replaces all of
/// the anchor's locations. The symbol must still be defined in the same file.
fn still_defined(
    notebook: &Notebook,
    reports: &[AnchorReport],
    snapshot: &Snapshot,
) -> Result<Vec<NextAction>, Error> {
    let mut calls = Vec::new();
    for report in reports {
        let [checked] = &report.evidence[..] else {
            continue;
        };
        let anchor = notebook.anchor(report.id.as_str())?;
        let symbol = anchor
            .locator
            .as_ref()
            .filter(|locator| locator.kind == LocatorKind::Symbol);
        let (Some(symbol), true) = (symbol, is_lost(checked)) else {
            continue;
        };
        let file = &checked.pointer.file;
        let place = format!("{file}#{}", symbol.value);
        // The user couldn't paste a command with such a name.
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

/// Creates a pack for showing anchors, with the current text at stale locations in a section of its
/// own. `symbols` are further actions for the user.
fn as_pack(
    reports: &[AnchorReport],
    snapshot: &Snapshot,
    symbols: Vec<NextAction>,
) -> Result<Pack, Error> {
    let section = as_section(reports)?;
    let notes = oddities(snapshot, std::slice::from_ref(&section));
    let now = now_there(reports, snapshot);
    let status = match section.status {
        SectionStatus::Fresh => PackStatus::Ok,
        _ => PackStatus::Stale,
    };
    let runbook = RunbookRef {
        id: section.id.clone(),
        title: "Anchors".to_owned(),
        purpose: String::new(),
    };
    let now = (!now.is_empty()).then(|| section_of("now", "Current text", now));
    let sections = std::iter::once(section).chain(now.transpose()?).collect();
    let mut pack = Pack::new(runbook, status, sections, notes).map_err(Error::internal)?;
    // The pack has the current text already, so don't suggest `anchor show`.
    let states = reports
        .iter()
        .map(|report| (report.id.as_str(), report.ranks()));
    let actions = anchor_actions(states).into_iter();
    pack.next_actions = actions
        .filter(|action| action.tool != "anchor show")
        .chain(symbols)
        .collect();
    Ok(pack)
}

fn as_section<'a>(
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
        id: Ident::parse(id).map_err(Error::internal)?,
        title: title.to_owned(),
        step: id.to_owned(),
        status: SectionStatus::of(&entries),
        reason: None,
        help: None,
        refused: false,
        in_doubt: false,
        next_action: None,
        limit: usize::MAX,
        entries,
        notes: Vec::new(),
    })
}
