//! Divides a list into pages that fit a budget.
//!
//! A page has to fit as a whole, including the next actions and the command for the next page. The
//! length of that command depends on the budget it asks for, so we cannot just add up sizes: we
//! render a page, measure it, and drop entries until it fits.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use windlass_base::{Caller, Digest, Limit, NextAction, in_parallel};
use windlass_packs::{
    DEFAULT_LIMIT, EditDiff, ListCursors, Measure, Rank, Styled, ViewError, least_budget, tron,
};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use super::list_facts::ListFacts;
use super::list_json;
use super::list_row::{Row, RunbookState};
use super::list_text::columns;
use super::what_to_do::actions;
use super::{ListFormat, ListPurpose, ListRequest, PIECE};
use crate::{AnchorReport, Notebook};

/// Maximum share of the budget for next actions, as a divisor. This keeps them from taking the room
/// of the entries. If the whole list fits along with all actions, we do not care about their share.
const MAX_ACTIONS: usize = 4;

/// Assumed maximum ratio of the budget in the next action to the given one. It is only used for
/// estimating a page's size, where three more digits are plenty.
const LARGER: usize = 1_000;

/// Maximum number of lines of a diff in a list. Users can see the whole diff with `anchor show`.
const MAX_DIFF_LINES: usize = 12;

/// Approximate ratio of the size of JSON to that of TRON. If it is too small, a page has fewer
/// entries than would fit; if it is too large, we render some entries in vain.
const LIGHTER: usize = 3;

pub(super) struct Listing<'a> {
    request: &'a ListRequest,
    format: ListFormat,
    /// State of the files, needed for the diffs of edited anchors.
    snapshot: &'a Snapshot,
    /// The caller decides about the form of next actions, e.g. commands or tool calls.
    caller: Option<&'a Caller>,
    rows: Vec<Row>,
    facts: ListFacts,
    from: usize,
    /// Next actions for the states of all entries, not just those on the page. They are only on the
    /// first page.
    actions: Vec<NextAction>,
    threads: usize,
    /// Digest of the whole list, which cursors contain. A list on a single page never needs it.
    digest: OnceCell<Digest>,
}

impl<'a> Listing<'a> {
    /// Suggests importing the shared anchors, since the list leaves them out.
    pub(super) fn suggest_import(&mut self) {
        let import = "import the anchors of the repository, which are not checked here";
        let import = NextAction::new("notebook import", import).for_caller(self.caller);
        self.actions.extend(import);
    }

    pub(super) fn new(
        request: &'a ListRequest,
        mut rows: Vec<Row>,
        notebook: &Notebook,
        (site, snapshot): (&'a Site, &'a Snapshot),
    ) -> Result<Self, Error> {
        let caller = site.caller();
        let mut counts = BTreeMap::new();
        // The totals include the entries that we drop below.
        for report in rows.iter().filter_map(Row::anchor) {
            *counts.entry(Rank::of(&report.judgement)).or_insert(0) += 1;
        }
        let in_state = |state: RunbookState| {
            let runbooks = rows.iter().filter_map(Row::runbook);
            runbooks.filter(|report| report.status == state).count()
        };
        let runbooks = RunbookState::ALL.map(|state| (state, in_state(state)));
        let actions = actions(&rows, caller);
        if matches!(request.format, ListFormat::Text { .. }) || request.worst_first {
            // The sort is stable, so runbooks stay before the anchors.
            rows.sort_by_key(|row| row.anchor().map(|report| Rank::of(&report.judgement)));
            let is_shown = |row: &Row| !row.anchor().is_some_and(AnchorReport::is_fresh);
            rows.retain(|row| request.purpose != ListPurpose::Check || is_shown(row));
        }
        let mut listing = Self {
            request,
            format: request.format,
            snapshot,
            caller,
            facts: ListFacts {
                is_of_notebook: request.purpose == ListPurpose::Notebook,
                revision: notebook.revision(),
                lost: notebook.lost().count(),
                runbooks: runbooks
                    .into_iter()
                    .filter(|(_, count)| *count > 0)
                    .collect(),
                counts,
                runbooks_from_here: 0,
                columns: columns(&rows, request.format),
            },
            rows,
            from: 0,
            actions,
            threads: site.repo().threads(),
            digest: OnceCell::new(),
        };
        if let Some(cursor) = &request.cursor {
            listing.from = listing.cursors()?.first_row(Some(cursor))?;
            // The first page has shown these already.
            listing.actions.clear();
        }
        let here = listing.rows[listing.from..].iter();
        listing.facts.runbooks_from_here = here.take_while(|row| row.runbook().is_some()).count();
        Ok(listing)
    }

    /// Digest of the entries, their verdicts and their order. If any of these changes, cursors
    /// become invalid.
    fn digest(&self) -> Result<Digest, Error> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let internal = |error: &dyn std::error::Error| Error::internal(error);
        // The digest covers all rows and not just those on this page. Serializing them is slow, so
        // do it in parallel.
        let digests = in_parallel(&self.rows, self.threads, PIECE, |rows| {
            serde_json::to_vec(rows).map(|text| Digest::of_bytes(&text).to_string())
        });
        let digests: Vec<String> = digests
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| internal(&error))?;
        let list = serde_json::json!({ "list": self.tool(), "entries": digests });
        let digest = Digest::of_json(&list).map_err(|error| internal(&error))?;
        Ok(*self.digest.get_or_init(|| digest))
    }

    fn cursors(&self) -> Result<ListCursors, Error> {
        Ok(ListCursors::of(self.digest()?, self.rows.len()))
    }

    fn tool(&self) -> &'static str {
        match self.request.purpose {
            ListPurpose::List => "anchor list",
            ListPurpose::Check => "anchor check",
            ListPurpose::Notebook => "notebook show",
        }
    }

    /// The next action, which repeats the request but continues the list at index `at`.
    fn more(&self, at: usize, limit: Option<Limit>) -> Result<NextAction, Error> {
        let cursor = self.cursors()?.at(at);
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
        if !self.request.states.is_empty() {
            action = action.option("status", self.request.states.clone());
        }
        if !self.request.zones.is_empty() {
            action = action.option("zone", self.request.zones.clone());
        }
        match self.format {
            ListFormat::Json => action = action.option("format", "json"),
            ListFormat::Tron => action = action.option("format", "tron"),
            ListFormat::Text { .. } | ListFormat::JsonLines => {}
        }
        if let Some(limit) = limit {
            action = action.limited(limit);
        }
        let action = action.option("cursor", cursor);
        Ok(action.clone().for_caller(self.caller).unwrap_or(action))
    }

    pub(super) fn printed_as(&mut self, format: ListFormat) -> Result<Styled, Error> {
        self.format = format;
        self.facts.columns = columns(&self.rows, format);
        self.print_page()
    }

    /// Renders as many entries as fit the budget. If not even one fits, the error says which budget
    /// would be enough.
    pub(super) fn print_page(&self) -> Result<Styled, Error> {
        let asked = self.request.limit;
        let limit = asked.unwrap_or(DEFAULT_LIMIT);
        let (measure, max) = (Measure::of(limit), limit.max());
        let weigh = |printed: &Styled| measure.weigh(&printed.plain());
        let left = self.rows.len() - self.from;
        // We measure entries as JSON, but TRON is smaller.
        let most = match self.format {
            ListFormat::Tron => max.saturating_mul(LIGHTER),
            _ => max,
        };
        let mut entries: Vec<Styled> = Vec::new();
        let mut sum = 0;
        for row in &self.rows[self.from..] {
            let entry = self.entry(row)?;
            sum += weigh(&entry);
            entries.push(entry);
            if sum > most {
                break;
            }
        }
        // Usually the list is short. Try it with all actions first.
        if entries.len() == left {
            let whole = self.print(&entries, &self.actions, asked)?;
            if weigh(&whole) <= max {
                return Ok(whole);
            }
        }
        let fits = |actions: &&[NextAction]| {
            let text: String = actions.iter().map(NextAction::written_out).collect();
            measure.weigh(&text) <= max / MAX_ACTIONS
        };
        // Show as many actions as fit their share, from the start of the list.
        let some = (0..=self.actions.len())
            .rev()
            .map(|count| &self.actions[..count]);
        let actions = some.clone().find(fits).unwrap_or_default();
        // A later page must have at least one entry. If it had none, its next action would lead to
        // the same page again, and the caller would loop forever.
        let fewest = usize::from(self.from > 0);
        for actions in [actions, &[]] {
            let mut count = entries.len();
            loop {
                let printed = self.print(&entries[..count], actions, asked)?;
                let taken = weigh(&printed);
                if taken <= max {
                    return Ok(printed);
                }
                if count <= fewest {
                    break;
                }
                // We know the size of each entry, so drop as many as necessary at once. The loop
                // then usually ends after two rounds.
                let (mut over, before) = (taken - max, count);
                while count > fewest && (over > 0 || count == before) {
                    count -= 1;
                    over = over.saturating_sub(weigh(&entries[count]));
                }
            }
        }
        // The budget is part of the next action, so a larger budget makes for a slightly larger
        // page.
        let least = least_budget(max, |least| {
            let limit = Some(limit.with_max(least));
            let page = self.print(&entries[..fewest], &[], limit);
            page.map(|page| weigh(&page))
        })?;
        Err(ViewError::TooSmall { given: max, least }.into())
    }

    fn diffs(&self, report: &AnchorReport) -> Vec<EditDiff> {
        let is_check = self.request.purpose == ListPurpose::Check;
        let evidence = report.evidence.iter().filter(|_| is_check);
        evidence
            .filter_map(|checked| checked.compare(self.snapshot))
            .collect()
    }

    fn entry(&self, row: &Row) -> Result<Styled, Error> {
        match self.format {
            ListFormat::Text { width } => Ok(match row {
                Row::Runbook(report) => self.facts.runbook_line(report, width),
                Row::Anchor(report) => {
                    let mut line = self.facts.line(report, width);
                    for diff in self.diffs(report) {
                        line.append(diff.text(MAX_DIFF_LINES, "         ", width));
                    }
                    line
                }
            }),
            ListFormat::Json | ListFormat::Tron | ListFormat::JsonLines => list_json::element(row),
        }
    }

    /// Renders the page with `entries`, for a request with `limit`.
    ///
    /// The next action asks for a larger budget if the next entry would not fit the given one,
    /// because the next page would fail then.
    fn print(
        &self,
        entries: &[Styled],
        actions: &[NextAction],
        limit: Option<Limit>,
    ) -> Result<Styled, Error> {
        let next = self.from + entries.len();
        let mut onward = limit;
        if next < self.rows.len() {
            let given = limit.unwrap_or(DEFAULT_LIMIT);
            let least = self.page_takes(next, given)?;
            if least > given.max() {
                onward = Some(given.with_max(least));
            }
        }
        self.page(self.from, entries, actions, onward)
    }

    /// Size of a page with just the entry at index `at`, which is the smallest page that gets the
    /// caller any further.
    fn page_takes(&self, at: usize, limit: Limit) -> Result<usize, Error> {
        let entry = self.entry(&self.rows[at])?;
        // The next action may ask for a larger budget, so allow for some more digits.
        let named = limit.with_max(limit.max().saturating_mul(LARGER));
        let page = self.page(at, &[entry], &[], Some(named))?;
        Ok(Measure::of(limit).weigh(&page.plain()))
    }

    /// Renders a page with `entries`, which start at index `from`. The next action asks for the
    /// budget `onward`.
    fn page(
        &self,
        from: usize,
        entries: &[Styled],
        actions: &[NextAction],
        onward: Option<Limit>,
    ) -> Result<Styled, Error> {
        let next = from + entries.len();
        let left = self.rows.len() - next;
        let more = (left > 0).then(|| self.more(next, onward)).transpose()?;
        match self.format {
            ListFormat::Text { .. } => Ok(self.facts.text(entries, left, more.as_ref(), actions)),
            ListFormat::Json | ListFormat::JsonLines => {
                self.facts.json(entries, more.as_ref(), actions)
            }
            ListFormat::Tron => {
                let json = self.facts.json(entries, more.as_ref(), actions)?;
                let measure = Measure::of(self.request.limit.unwrap_or(DEFAULT_LIMIT));
                Ok(Styled::from(tron(&json.plain(), measure)))
            }
        }
    }
}
