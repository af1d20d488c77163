//! Renders suggestions in pages that fit a budget.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use windlass_base::{Caller, Digest, NextAction};
use windlass_packs::{
    DEFAULT_LIMIT, ListCursors, Measure, Style, Styled, harmless_line, most_that_fit, tron,
};
use windlass_site::Error;

use super::SuggestRequest;
use crate::listing::{ListFormat, json_of, push_next};
use crate::suggestion_finders::Suggestion;

/// A page of suggestions, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuggestionPage {
    /// Number of suggestions that aren't saved yet.
    total: usize,
    /// Number of suggestions already in the notebook, which are not listed.
    saved: usize,
    /// First ten names of declined suggestions, which are not listed. `suggest --apply ID` restores
    /// one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declined: Vec<String>,
    /// Digest of all suggestions, for `suggest --apply --digest`. It stays the same as long as the
    /// files yield the same suggestions.
    #[schemars(with = "String")]
    digest: Digest,
    /// Suggestions, best first. Each `operation` fits into a transaction for `notebook edit`.
    suggestions: Vec<Suggestion>,
    /// Cursor of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Suggested calls.
    next_actions: Vec<NextAction>,
}

const DECLINED_SHOWN: usize = 10;

pub(super) struct Listing<'a> {
    pub(super) caller: Option<&'a Caller>,
    pub(super) request: &'a SuggestRequest,
    pub(super) format: ListFormat,
    pub(super) suggestions: &'a [Suggestion],
    pub(super) saved: usize,
    pub(super) declined: Vec<String>,
    pub(super) digest: Digest,
    /// Digest of the listed suggestions, which cursors contain. Unlike `digest`, it depends on the
    /// filters of the request.
    pub(super) key: Digest,
}

impl Listing<'_> {
    pub(super) fn page(&self) -> Result<Styled, Error> {
        let from = self.cursors().first_row(self.request.cursor.as_deref())?;
        if self.format == ListFormat::JsonLines {
            let lines = self.suggestions.iter().map(|one| Ok(json_of(one)? + "\n"));
            let text: Result<Vec<String>, Error> = lines.collect();
            return Ok(Styled::from(text?.concat()));
        }
        let limit = self.request.limit.unwrap_or(DEFAULT_LIMIT);
        let (measure, max) = (Measure::of(limit), limit.max());
        let left = self.suggestions.len() - from;
        // A page must have at least one suggestion if there are any left. The next action of an
        // empty page would lead to the same page again, and the caller would loop forever.
        most_that_fit(left.min(1)..=left, max, |count| {
            let printed = self.print(from, count)?;
            let taken = measure.weigh(&printed.plain());
            Ok((printed, taken))
        })
    }

    fn cursors(&self) -> ListCursors {
        ListCursors::of(self.key, self.suggestions.len())
    }

    fn print(&self, from: usize, count: usize) -> Result<Styled, Error> {
        let shown = &self.suggestions[from..from + count];
        let next = from + count;
        let cursor = (next < self.suggestions.len()).then(|| self.cursors().at(next));
        let mut actions = Vec::new();
        if let Some(cursor) = &cursor {
            actions.push(self.more(cursor));
        }
        if from == 0 && !self.suggestions.is_empty() {
            // Without names, the command would save all suggestions, and not just those of the
            // requested kinds. So pass the names if the list is filtered.
            let which = match self.request.kinds.is_empty() {
                true => Value::from(true),
                false => self.suggestions.iter().map(|one| one.id.as_str()).collect(),
            };
            let apply = NextAction::new("suggest", "save the suggested anchors")
                .option("apply", which)
                .option("digest", self.digest.to_string());
            actions.push(apply);
        }
        let caller = self.caller;
        let actions = actions
            .into_iter()
            .filter_map(|action| action.for_caller(caller));
        let actions: Vec<NextAction> = actions.collect();
        if matches!(self.format, ListFormat::Text { .. }) {
            return Ok(self.text(shown, &actions));
        }
        let page = json_of(&SuggestionPage {
            total: self.suggestions.len(),
            saved: self.saved,
            declined: self.first_declined().to_vec(),
            digest: self.digest,
            suggestions: shown.to_vec(),
            next_cursor: cursor,
            next_actions: actions,
        })? + "\n";
        Ok(Styled::from(match self.format {
            ListFormat::Tron => tron(
                &page,
                Measure::of(self.request.limit.unwrap_or(DEFAULT_LIMIT)),
            ),
            _ => page,
        }))
    }

    fn more(&self, cursor: &str) -> NextAction {
        let mut action = NextAction::new("suggest", "see more of the suggestions");
        let kinds = self.request.kinds.iter().map(|kind| kind.as_str());
        let kinds: Vec<&str> = kinds.collect();
        if !kinds.is_empty() {
            action = action.option("kind", kinds);
        }
        match self.format {
            ListFormat::Json => action = action.option("format", "json"),
            ListFormat::Tron => action = action.option("format", "tron"),
            ListFormat::Text { .. } | ListFormat::JsonLines => {}
        }
        if let Some(limit) = self.request.limit {
            action = action.limited(limit);
        }
        action.option("cursor", cursor)
    }

    fn first_declined(&self) -> &[String] {
        let shown = self.declined.len().min(DECLINED_SHOWN);
        &self.declined[..shown]
    }

    fn push_others(&self, out: &mut Styled) {
        if self.saved > 0 {
            let saved = format!("{} in the notebook already", self.saved);
            out.push(Style::Dim, saved).end_line();
        }
        if !self.declined.is_empty() {
            let declined = format!(
                "removed from the notebook earlier: {} (`windlass suggest --apply ID` restores one)",
                windlass_base::first_names(&self.declined, DECLINED_SHOWN, " and ")
            );
            out.push(Style::Dim, harmless_line(&declined)).end_line();
        }
    }

    fn text(&self, shown: &[Suggestion], actions: &[NextAction]) -> Styled {
        let mut out = Styled::default();
        let total = self.suggestions.len();
        if total == 0 {
            let nothing = match self.saved {
                0 => "nothing to suggest",
                _ => "nothing new to suggest",
            };
            out.push(Style::Dim, nothing).end_line();
            self.push_others(&mut out);
            return out;
        }
        let heading = if shown.len() == total {
            format!("{total} suggested")
        } else {
            format!("{} of {total} suggested", shown.len())
        };
        out.push(Style::Heading, heading).end_line();
        self.push_others(&mut out);
        for suggestion in shown {
            let anchor = suggestion.anchor();
            let mut line = format!("{}  {}", anchor.kind.as_str(), suggestion.id);
            for place in &anchor.evidence {
                // Writing to a `String` can't fail.
                let _ = write!(line, "  {place}");
            }
            out.plain_text(harmless_line(&line)).end_line();
            let why = format!("    {}: {}", anchor.label, suggestion.reason);
            out.push(Style::Dim, harmless_line(&why)).end_line();
        }
        push_next(&mut out, actions);
        out
    }
}
