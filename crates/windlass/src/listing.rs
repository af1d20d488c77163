//! Anchors as a list: one line each, within a budget, page by page.
//!
//! A page is worked out anew each time: its cursor holds the digest of the whole list, so that going on in a
//! list that is no longer the same is refused instead of showing some anchors twice and others never.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use windlass_base::{
    Digest, Entry, Freshness, Ident, Judgement, Limit, NextAction, RepairOutcome, ResponseMode,
    in_parallel,
};
use windlass_notebook::AnchorKind;
use windlass_pack::{
    Cursor, Measure, Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Style, Styled,
    ViewError, fit_columns, harmless, recaptures, redact_value, view,
};
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::redact_text;

use crate::anchors::as_item;
use crate::rank::Rank;
use crate::refresh::{DEFAULT_LIMIT, view_options};
use crate::{AnchorReport, Error, ViewRequest, Workspace};

/// How much `anchor show` prints when the caller does not say.
const SHOW_LIMIT: Limit = Limit::Chars(200_000);
/// Anchors that a thread prints as JSON Lines at a time.
const PIECE: usize = 200;
/// The most ids one call names.
const MAX_IDS: usize = 8;
/// Which part of the room, one in so many, next actions may take at most where the list is cut.
const MAX_ACTIONS: usize = 4;
/// Width of the state column: the longest word is `unknown`.
const STATE: usize = 7;
/// Names longer than this many characters do not push the columns of the others aside.
const MAX_COLUMN: usize = 24;

/// Which anchors are listed, and how.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// What the list is for.
    pub purpose: ListPurpose,
    /// The anchors with these names, in this order; all if none is given.
    pub ids: Vec<String>,
    /// Only anchors of these kinds; of all if none is given.
    pub kinds: Vec<AnchorKind>,
    /// Only anchors that have all of these tags.
    pub tags: Vec<String>,
    /// How much is printed; 8000 characters if not said. Nothing limits JSON Lines.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: ListFormat,
    /// Where to go on, as it was printed.
    pub cursor: Option<String>,
}

/// What a list of anchors is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPurpose {
    /// To see what there is.
    List,
    /// To see what no longer stands: text leaves out what is fresh.
    Check,
}

/// How a list of anchors is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// For people, the worst first.
    Text {
        /// Lines are cut at this many columns, and names stand in columns; neither if there is none.
        width: Option<usize>,
    },
    /// One object; anchors in the order of the request, or in which they were saved.
    Json,
    /// One object a line, in the same order; always complete.
    JsonLines,
}

/// A list of anchors as it is printed, and what it says.
#[derive(Debug)]
pub struct AnchorList {
    /// What is printed.
    pub printed: Styled,
    /// How many anchors there are, those that are not shown included.
    pub total: usize,
    /// How many of them stand where they were captured.
    pub fresh: usize,
}

impl Workspace {
    /// Lists anchors with what became of each, within a budget.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, the budget is too small, or the cursor does
    /// not belong to this list as it is now.
    pub fn list_anchors(&self, request: &ListRequest) -> Result<AnchorList, Error> {
        let mut reports = self.check_anchors(&request.ids, &self.snapshot())?;
        reports.retain(|report| request.kinds.is_empty() || request.kinds.contains(&report.kind));
        reports.retain(|report| request.tags.iter().all(|tag| report.tags.contains(tag)));
        let fresh = reports.iter().filter(|report| report.is_fresh()).count();
        let total = reports.len();
        let printed = match request.format {
            ListFormat::JsonLines => {
                // Most of the time is taken by the look for secrets.
                let texts = in_parallel(&reports, self.repo().threads(), PIECE, json_lines);
                Styled::from(texts.into_iter().collect::<Result<String, Error>>()?)
            }
            ListFormat::Json | ListFormat::Text { .. } => {
                Listing::new(request, reports)?.print_page()?
            }
        };
        Ok(AnchorList {
            printed,
            total,
            fresh,
        })
    }

    /// Shows anchors with their text, as a run would; `view` names no mode that matters here.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, or the budget is too small.
    pub fn show_anchors(&self, ids: &[String], request: &ViewRequest) -> Result<Styled, Error> {
        let snapshot = self.snapshot();
        let pack = as_pack(&self.check_anchors(ids, &snapshot)?)?;
        let policy = Policy {
            freshness: FreshnessMode::Repair,
            limit: Some(SHOW_LIMIT),
            response_mode: Some(ResponseMode::Full),
            ..Policy::default()
        };
        let (shown, printed) = view(&pack, &snapshot, &view_options(request, &policy))?;
        if shown.is_truncated() {
            // Where it cannot be kept, the cursor says so when it is used.
            self.keep_result(&pack, &policy);
        }
        Ok(printed)
    }
}

/// Anchors as a pack of one section, so that they look as they do in a run.
fn as_pack(reports: &[AnchorReport]) -> Result<Pack, Error> {
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
    let mut pack = Pack::new(runbook, status, vec![section], Vec::new())
        .map_err(|error| Error::Internal(error.to_string()))?;
    pack.next_actions = recaptures(&pack.sections);
    Ok(pack)
}

fn as_section<'a>(
    reports: impl IntoIterator<Item = &'a AnchorReport>,
) -> Result<PackSection, Error> {
    let entries: Vec<Entry> = reports
        .into_iter()
        .map(|report| Entry::Item(as_item(report)))
        .collect();
    Ok(PackSection {
        id: Ident::parse("anchors").map_err(|error| Error::Internal(error.to_string()))?,
        title: "Anchors".to_owned(),
        step: "anchors".to_owned(),
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

fn json_of(report: &AnchorReport) -> Result<Value, Error> {
    let value = serde_json::to_value(report).map_err(|error| Error::Internal(error.to_string()))?;
    // To look for secret values in the text as a whole is much faster than in each part.
    if redact_text(&value.to_string()).1.is_empty() {
        return Ok(value);
    }
    Ok(redact_value(value))
}

fn json_line(report: &AnchorReport) -> Result<String, Error> {
    let failed = |error: serde_json::Error| Error::Internal(error.to_string());
    let text = serde_json::to_string(report).map_err(failed)?;
    if redact_text(&text).1.is_empty() {
        return Ok(text);
    }
    Ok(json_of(report)?.to_string())
}

fn json_lines(reports: &[AnchorReport]) -> Result<String, Error> {
    let mut text = String::new();
    for report in reports {
        text.push_str(&json_line(report)?);
        text.push('\n');
    }
    Ok(text)
}

/// A list, whole, and how it is to be printed.
struct Listing<'a> {
    request: &'a ListRequest,
    /// In the order in which they are printed; only those that are.
    reports: Vec<AnchorReport>,
    /// How many anchors have each state, those that are not printed included.
    counts: BTreeMap<Rank, usize>,
    /// Where this page begins.
    from: usize,
    /// What the state of the anchors calls for.
    actions: Vec<NextAction>,
    /// How wide the columns of names and kinds are.
    columns: (usize, usize),
    /// What a cursor belongs to, once it was asked for.
    digest: OnceCell<Digest>,
}

impl<'a> Listing<'a> {
    fn new(request: &'a ListRequest, mut reports: Vec<AnchorReport>) -> Result<Self, Error> {
        let mut counts = BTreeMap::new();
        for report in &reports {
            *counts.entry(Rank::of(&report.judgement)).or_insert(0) += 1;
        }
        let actions = actions(&reports)?;
        if matches!(request.format, ListFormat::Text { .. }) {
            reports.sort_by_key(|report| Rank::of(&report.judgement));
            reports.retain(|report| request.purpose == ListPurpose::List || !report.is_fresh());
        }
        let mut listing = Self {
            request,
            columns: columns(&reports, request.format),
            reports,
            counts,
            from: 0,
            actions,
            digest: OnceCell::new(),
        };
        if let Some(cursor) = &request.cursor {
            let cursor: Cursor = cursor.parse()?;
            listing.from = cursor.offset as usize;
            if cursor.key() != Cursor::key_of(&listing.digest()?)
                || listing.from >= listing.reports.len()
            {
                return Err(Error::ListChanged);
            }
            // They stand on the first page.
            listing.actions.clear();
        }
        Ok(listing)
    }

    /// What a cursor belongs to: the anchors, what became of them, and their order.
    fn digest(&self) -> Result<Digest, Error> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let reports = json!({ "list": self.tool(), "anchors": self.reports });
        let digest =
            Digest::of_json(&reports).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(*self.digest.get_or_init(|| digest))
    }

    fn tool(&self) -> &'static str {
        match self.request.purpose {
            ListPurpose::List => "anchor list",
            ListPurpose::Check => "anchor check",
        }
    }

    /// The call that goes on at anchor `at`.
    fn more(&self, at: usize) -> Result<NextAction, Error> {
        let at = u32::try_from(at).map_err(|error| Error::Internal(error.to_string()))?;
        let cursor = Cursor::new(&self.digest()?, 0, at).to_string();
        let kinds: Vec<&str> = self
            .request
            .kinds
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        let mut action = NextAction::new(self.tool(), "see more of the list");
        for id in &self.request.ids {
            action = action.positional(id.as_str());
        }
        if !kinds.is_empty() {
            action = action.option("kind", kinds);
        }
        if !self.request.tags.is_empty() {
            action = action.option("tag", self.request.tags.clone());
        }
        if self.request.format == ListFormat::Json {
            action = action.option("format", "json");
        }
        Ok(action.option("cursor", cursor))
    }

    /// As many anchors as fit.
    fn print_page(&self) -> Result<Styled, Error> {
        let limit = self.request.limit.unwrap_or(DEFAULT_LIMIT);
        let (measure, max) = (Measure::of(limit), limit.max());
        let weigh = |printed: &Styled| measure.weigh(&printed.plain());
        let left = self.reports.len() - self.from;
        let mut entries: Vec<Styled> = Vec::new();
        let mut sum = 0;
        for report in &self.reports[self.from..] {
            let entry = self.entry(report)?;
            sum += weigh(&entry);
            entries.push(entry);
            if sum > max {
                break;
            }
        }
        if entries.len() == left {
            let whole = self.print(&entries, &self.actions)?;
            if weigh(&whole) <= max {
                return Ok(whole);
            }
        }
        let fits = |actions: &&[NextAction]| {
            let text: String = actions.iter().map(NextAction::command_line).collect();
            measure.weigh(&text) <= max / MAX_ACTIONS
        };
        let some = (0..=self.actions.len())
            .rev()
            .map(|count| &self.actions[..count]);
        let actions = some.clone().find(fits).unwrap_or_default();
        // A page that shows nothing leads nowhere.
        let fewest = usize::from(self.from > 0);
        for actions in [actions, &[]] {
            let mut count = entries.len();
            loop {
                let printed = self.print(&entries[..count], actions)?;
                let taken = weigh(&printed);
                if taken <= max {
                    return Ok(printed);
                }
                if count <= fewest {
                    break;
                }
                // Entries are weighed one by one: as many as are too many go at once.
                let (mut over, before) = (taken - max, count);
                while count > fewest && (over > 0 || count == before) {
                    count -= 1;
                    over = over.saturating_sub(weigh(&entries[count]));
                }
            }
        }
        let least = weigh(&self.print(&entries[..fewest], &[])?);
        Err(ViewError::TooSmall { given: max, least }.into())
    }

    fn entry(&self, report: &AnchorReport) -> Result<Styled, Error> {
        match self.request.format {
            ListFormat::Text { width } => Ok(self.line(report, width)),
            ListFormat::Json | ListFormat::JsonLines => {
                Ok(Styled::from(format!("{},", json_of(report)?)))
            }
        }
    }

    /// The page with `entries`.
    fn print(&self, entries: &[Styled], actions: &[NextAction]) -> Result<Styled, Error> {
        let next = self.from + entries.len();
        let left = self.reports.len() - next;
        let more = (left > 0).then(|| self.more(next)).transpose()?;
        match self.request.format {
            ListFormat::Text { .. } => Ok(self.text(entries, left, more.as_ref(), actions)),
            ListFormat::Json | ListFormat::JsonLines => {
                Ok(self.json(entries, more.as_ref(), actions))
            }
        }
    }

    fn text(
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
                .push(Style::Command, harmless(&more.command_line()))
                .end_line();
        }
        if !actions.is_empty() {
            out.end_line().push(Style::Heading, "Next").end_line();
        }
        for action in actions {
            out.plain_text("  ")
                .push(Style::Command, harmless(&action.command_line()))
                .push(Style::Dim, format!("  # {}", harmless(&action.reason)))
                .end_line();
        }
        out
    }

    /// How many anchors have which state: always there, whatever is cut.
    fn summary(&self) -> Styled {
        let total: usize = self.counts.values().sum();
        let mut out = Styled::default();
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
            .map(|(rank, count)| format!("{count} {}", rank.word()))
            .collect();
        if !others.is_empty() {
            out.plain_text(format!(": {}", others.join(", ")));
        }
        out.end_line();
        out
    }

    fn json(
        &self,
        entries: &[Styled],
        more: Option<&NextAction>,
        actions: &[NextAction],
    ) -> Styled {
        let counts: Map<String, Value> = self
            .counts
            .iter()
            .map(|(rank, count)| (rank.word().to_owned(), json!(count)))
            .collect();
        let total: usize = self.counts.values().sum();
        let fresh = self.counts.get(&Rank::Fresh).copied().unwrap_or(0);
        let list: String = entries.iter().map(Styled::plain).collect();
        let mut text = format!(
            r#"{{"total":{total},"fresh":{fresh},"counts":{},"anchors":[{}]"#,
            Value::from(counts),
            list.trim_end_matches(',')
        );
        if let Some(cursor) = more.and_then(|more| more.args.get("cursor")) {
            // Writing to a String does not fail.
            let _ = write!(text, r#","next_cursor":{cursor}"#);
        }
        let actions: Vec<&NextAction> = actions.iter().chain(more).collect();
        if !actions.is_empty() {
            let _ = write!(text, r#","next_actions":{}"#, redact_value(json!(actions)));
        }
        text.push_str("}\n");
        Styled::from(text)
    }

    /// One anchor on one line: state, name, kind, place, what became of it, label. Where several of its
    /// places do not stand, they follow on lines of their own.
    fn line(&self, report: &AnchorReport, width: Option<usize>) -> Styled {
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
        out.push(rank.style(), format!("{:STATE$}", rank.word()));
        let room = width.map(|width| width.saturating_sub(STATE + 2));
        out.plain_text(format!("  {}", fit_columns(&harmless(&text), room)))
            .end_line();
        for checked in stale.iter().filter(|_| stale.len() > 1) {
            let remark = remark(&checked.judgement).unwrap_or_default();
            let text = harmless(&format!("{}; {remark}", checked.pointer));
            out.plain_text(format!(
                "           {}",
                fit_columns(&text, room.map(|room| room.saturating_sub(2)))
            ))
            .end_line();
        }
        out
    }
}

/// How wide the columns of names and kinds are; 0 where nothing is lined up.
fn columns(reports: &[AnchorReport], format: ListFormat) -> (usize, usize) {
    if !matches!(format, ListFormat::Text { width: Some(_) }) {
        return (0, 0);
    }
    let column = |text: fn(&AnchorReport) -> &str| {
        let lengths = reports.iter().map(|report| text(report).chars().count());
        lengths
            .filter(|length| *length <= MAX_COLUMN)
            .max()
            .unwrap_or(0)
    };
    (
        column(|report| report.id.as_str()),
        column(|report| report.kind.as_str()),
    )
}

/// What became of evidence that does not stand, in a few words.
fn remark(judgement: &Judgement) -> Option<String> {
    if judgement.is_fresh() {
        return None;
    }
    let mut parts = Vec::new();
    if let Some(repair) = &judgement.repair {
        match (&repair.evidence, repair.outcome) {
            (Some(new), RepairOutcome::Moved) => return Some(format!("now at {new}")),
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

/// What the state of the anchors calls for: to capture again what moved, to look at what changed, to take
/// out what is no longer there.
fn actions(reports: &[AnchorReport]) -> Result<Vec<NextAction>, Error> {
    let with = |wanted: &dyn Fn(Rank) -> bool| -> Vec<&AnchorReport> {
        reports
            .iter()
            .filter(|report| wanted(Rank::of(&report.judgement)))
            .collect()
    };
    let call = |tool: &str, reason: &str, reports: &[&AnchorReport]| {
        let action = NextAction::new(tool, reason);
        let ids = reports
            .iter()
            .take(MAX_IDS)
            .map(|report| report.id.as_str());
        (!reports.is_empty()).then(|| ids.fold(action, NextAction::positional))
    };
    let moved = as_section(with(&|rank| rank == Rank::Moved))?;
    // Only what is proven to be gone is to be taken out: a file that is missing may have another name.
    let gone = with(&|rank| rank == Rank::Gone);
    let changed = with(&|rank| !matches!(rank, Rank::Gone | Rank::Moved | Rank::Fresh));
    let show = call("anchor show", "see what became of what changed", &changed);
    let remove = call(
        "anchor remove",
        "take out what is gone, if nobody needs it",
        &gone,
    );
    Ok(recaptures(&[moved])
        .into_iter()
        .chain(show)
        .chain(remove)
        .collect())
}
