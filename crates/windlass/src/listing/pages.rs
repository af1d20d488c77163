//! A list as pages: where one begins, what fits on it, and how to go on.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use windlass_base::{Digest, Limit, NextAction};
use windlass_pack::{Cursor, Measure, Styled, ViewError};

use super::actions::actions;
use super::text::columns;
use super::{ListFormat, ListPurpose, ListRequest, json};
use crate::rank::Rank;
use crate::refresh::DEFAULT_LIMIT;
use crate::{AnchorReport, Error};

/// Which part of the room, one in so many, next actions may take at most where the list is cut.
const MAX_ACTIONS: usize = 4;

/// A list, whole, and how it is to be printed.
pub(super) struct Listing<'a> {
    request: &'a ListRequest,
    /// The root of the repository, as the caller named it.
    root: Option<&'a str>,
    /// In the order in which they are printed; only those that are.
    reports: Vec<AnchorReport>,
    /// How many anchors have each state, those that are not printed included.
    pub(super) counts: BTreeMap<Rank, usize>,
    /// Where this page begins.
    from: usize,
    /// What the state of the anchors calls for.
    actions: Vec<NextAction>,
    /// How wide the columns of names and kinds are.
    pub(super) columns: (usize, usize),
    /// What a cursor belongs to, once it was asked for.
    digest: OnceCell<Digest>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(
        request: &'a ListRequest,
        mut reports: Vec<AnchorReport>,
        root: Option<&'a str>,
    ) -> Result<Self, Error> {
        let mut counts = BTreeMap::new();
        for report in &reports {
            *counts.entry(Rank::of(&report.judgement)).or_insert(0) += 1;
        }
        let actions = actions(&reports)?.into_iter();
        let actions = actions.map(|action| action.in_repository(root)).collect();
        if matches!(request.format, ListFormat::Text { .. }) {
            reports.sort_by_key(|report| Rank::of(&report.judgement));
            reports.retain(|report| request.purpose == ListPurpose::List || !report.is_fresh());
        }
        let mut listing = Self {
            request,
            root,
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
        let reports = serde_json::json!({ "list": self.tool(), "anchors": self.reports });
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

    /// The call that goes on at anchor `at` as this one began, within `limit` if there is one.
    fn more(&self, at: usize, limit: Option<Limit>) -> Result<NextAction, Error> {
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
        if let Some(limit) = limit {
            action = action.limited(limit);
        }
        let action = action.option("cursor", cursor);
        Ok(action.in_repository(self.root))
    }

    /// As many anchors as fit.
    pub(super) fn print_page(&self) -> Result<Styled, Error> {
        let asked = self.request.limit;
        let limit = asked.unwrap_or(DEFAULT_LIMIT);
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
            let whole = self.print(&entries, &self.actions, asked)?;
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
                let printed = self.print(&entries[..count], actions, asked)?;
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
        // What a page takes depends a little on the limit, since the call that goes on names it.
        let mut least = max;
        loop {
            let limit = Some(limit.with_max(least));
            let taken = weigh(&self.print(&entries[..fewest], &[], limit)?);
            if taken <= least {
                return Err(ViewError::TooSmall { given: max, least }.into());
            }
            least = taken;
        }
    }

    fn entry(&self, report: &AnchorReport) -> Result<Styled, Error> {
        match self.request.format {
            ListFormat::Text { width } => Ok(self.line(report, width)),
            ListFormat::Json | ListFormat::JsonLines => json::element(report),
        }
    }

    /// The page with `entries`, asked for with `limit`.
    fn print(
        &self,
        entries: &[Styled],
        actions: &[NextAction],
        limit: Option<Limit>,
    ) -> Result<Styled, Error> {
        let next = self.from + entries.len();
        let left = self.reports.len() - next;
        let more = (left > 0).then(|| self.more(next, limit)).transpose()?;
        match self.request.format {
            ListFormat::Text { .. } => Ok(self.text(entries, left, more.as_ref(), actions)),
            ListFormat::Json | ListFormat::JsonLines => self.json(entries, more.as_ref(), actions),
        }
    }
}
