//! What may be worth keeping of a repository, as a list, and saving it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{Cancel, Digest, Limit, NextAction};
use windlass_notebook::suggest::{Proposed, ProposedAnchor, Suggestion, Suggestions, suggest};
use windlass_notebook::{
    Anchor, AnchorDraft, AnchorEvidence, AnchorKind, EditMode, Operation, SavedRunbook,
};
use windlass_pack::{Cursor, Measure, Style, Styled, ViewError, harmless_line, tron};

use crate::anchors::capture_place;
use crate::listing::{json_of, push_next};
use crate::refresh::DEFAULT_LIMIT;
use crate::transact::{Work, anchors_named_by};
use crate::{AnchorPlace, Error, ListFormat, NotebookChange, Workspace};

/// What is suggested, and how it is listed.
#[derive(Debug, Clone)]
pub struct SuggestRequest {
    /// Only anchors of these kinds; everything if none is given.
    pub kinds: Vec<AnchorKind>,
    /// How much is printed; 8000 characters if not said.
    pub limit: Option<Limit>,
    /// How it is printed; JSON Lines hold one suggestion each.
    pub format: ListFormat,
    /// Another format in which the page is printed as well.
    pub also: Option<ListFormat>,
    /// Where to go on, as it was printed.
    pub cursor: Option<String>,
}

/// Suggestions as they are printed, and how many there are.
#[derive(Debug)]
pub struct SuggestionList {
    /// What is printed.
    pub printed: Styled,
    /// The same in the other format that was asked for.
    pub also: Option<Styled>,
    /// How many there are, those that are not shown included.
    pub total: usize,
}

/// A page of suggestions, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SuggestionPage {
    /// How many there are in all.
    total: usize,
    /// Of all of them, the same as long as the files say the same: `notebook apply --digest` takes it.
    #[schemars(with = "String")]
    digest: Digest,
    /// The most telling first. Each `operation` is one of a transaction for `notebook edit`.
    suggestions: Vec<Suggestion>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// What to do next.
    next_actions: Vec<NextAction>,
}

/// What is saved of the suggestions.
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    /// Those with these names; all if none is given.
    pub ids: Vec<String>,
    /// What the suggestions as a whole must be.
    pub digest: Option<Digest>,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What was saved of the suggestions.
#[derive(Debug, Serialize)]
pub struct Applied {
    /// What became of the notebook.
    #[serde(flatten)]
    pub change: NotebookChange,
    /// Names that the notebook has already, and that were left as they are.
    pub kept: Vec<String>,
    /// The digest of what was suggested.
    pub digest: Digest,
}

impl Workspace {
    /// Suggests anchors and runbooks, and lists them within a budget.
    ///
    /// # Errors
    /// When the budget is too small, or the cursor does not belong to the suggestions as they are now.
    pub fn suggest(&self, request: &SuggestRequest) -> Result<SuggestionList, Error> {
        let Suggestions {
            mut suggestions,
            digest,
        } = self.suggestions()?;
        if !request.kinds.is_empty() {
            suggestions.retain(|suggestion| {
                let anchor = suggestion.anchor();
                anchor.is_some_and(|anchor| request.kinds.contains(&anchor.kind))
            });
        }
        let mut listing = Listing {
            workspace: self,
            request,
            format: request.format,
            key: Digest::of_json(&suggestions)
                .map_err(|error| Error::Internal(error.to_string()))?,
            suggestions: &suggestions,
            digest,
        };
        let printed = listing.page()?;
        let also = request.also.map(|format| {
            listing.format = format;
            listing.page()
        });
        Ok(SuggestionList {
            printed,
            also: also.transpose()?,
            total: suggestions.len(),
        })
    }

    fn suggestions(&self) -> Result<Suggestions, Error> {
        suggest(&self.snapshot(), &Cancel::default())
            .map_err(|error| Error::Internal(error.to_string()))
    }

    /// Saves suggestions. What the notebook has under the same name stays as it is, unless it was saved like this and
    /// nobody has changed it since: then it goes to the place that is suggested now.
    ///
    /// # Errors
    /// When one of the names is not suggested, the suggestions are others than those of the digest, or the notebook
    /// cannot be read or written. Nothing is saved then.
    pub fn apply_suggestions(&self, request: &ApplyRequest) -> Result<Applied, Error> {
        let Suggestions {
            mut suggestions,
            digest,
        } = self.suggestions()?;
        if request.digest.is_some_and(|expected| expected != digest) {
            return Err(Error::SuggestionsChanged);
        }
        let known: BTreeSet<&str> = suggestions.iter().map(|one| one.id.as_str()).collect();
        if let Some(unknown) = request.ids.iter().find(|id| !known.contains(id.as_str())) {
            return Err(Error::NotSuggested(unknown.clone()));
        }
        // A runbook is of no use without the anchors that it shows.
        let mut wanted: BTreeSet<String> = request.ids.iter().cloned().collect();
        for suggestion in &suggestions {
            if let Proposed::UpsertRunbook { runbook } = &suggestion.operation
                && wanted.contains(suggestion.id.as_str())
            {
                wanted.extend(anchors_named_by(runbook));
            }
        }
        suggestions.retain(|one| wanted.is_empty() || wanted.contains(one.id.as_str()));
        let there = self.notebook().read()?;
        let mut work = Work::new(Vec::new());
        let mut kept = Vec::new();
        for suggestion in suggestions {
            let there = match &suggestion.operation {
                Proposed::UpsertAnchor { anchor } => {
                    standing(anchor, there.anchor(suggestion.id.as_str()).ok())
                }
                Proposed::UpsertRunbook { .. } if self.has_runbook(suggestion.id.as_str()) => {
                    There::Somebodys
                }
                Proposed::UpsertRunbook { .. } => There::Nothing,
            };
            if there == There::Somebodys {
                kept.push(suggestion.id.to_string());
            } else {
                let operation = self.operation(suggestion, there == There::Nothing)?;
                work.operations.push((operation, None));
            }
        }
        work.mode = request.mode;
        // What somebody saves meanwhile must not be replaced.
        work.if_revision = Some(there.revision());
        let edited = self.transact(work, |_| ())?;
        let change = NotebookChange {
            before: edited.before,
            revision: edited.revision,
            dry_run: request.mode == EditMode::DryRun,
            changes: edited.changes,
        };
        Ok(Applied {
            change,
            kept,
            digest,
        })
    }

    /// Whether a runbook goes by this name, in the notebook or in the repository.
    fn has_runbook(&self, id: &str) -> bool {
        let all = self.runbooks(&self.snapshot());
        all.iter().any(|entry| entry.name == id)
    }

    fn operation(&self, suggestion: Suggestion, is_new: bool) -> Result<Operation, Error> {
        let anchor = match suggestion.operation {
            Proposed::UpsertAnchor { anchor } => anchor,
            Proposed::UpsertRunbook { runbook } => {
                return Ok(Operation::UpsertRunbook(SavedRunbook {
                    id: suggestion.id,
                    text: runbook,
                }));
            }
        };
        let snapshot = self.snapshot();
        let mut evidence = Vec::new();
        for pointer in &anchor.evidence {
            let place = AnchorPlace::Lines(pointer.file.clone(), pointer.span);
            let (captured, _) = capture_place(&snapshot, &place)?;
            if captured.pointer != *pointer {
                return Err(Error::OtherLines(pointer.to_string()));
            }
            evidence.push(captured.into());
        }
        Ok(Operation::UpsertAnchor(Box::new(AnchorDraft {
            id: anchor.id,
            kind: Some(anchor.kind),
            label: Some(anchor.label),
            evidence,
            locator: Some(anchor.locator),
            zone: Some(anchor.zone),
            tags: Some(anchor.tags),
            freshness: self.freshness(),
            must_be_new: is_new,
            is_suggestion: true,
        })))
    }
}

/// What the notebook has under the name of a suggestion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    Nothing,
    /// What was suggested earlier, of another place, and nobody has changed since.
    Suggested,
    /// What somebody made or changed, or is the same.
    Somebodys,
}

fn standing(proposed: &ProposedAnchor, there: Option<&Anchor>) -> There {
    let Some(there) = there else {
        return There::Nothing;
    };
    let places = there.evidence.iter().map(AnchorEvidence::pointer);
    let is_same = places.eq(proposed.evidence.iter().cloned().map(Some));
    if there.is_as_suggested() && !is_same {
        There::Suggested
    } else {
        There::Somebodys
    }
}

/// Suggestions, whole, and how they are to be printed.
struct Listing<'a> {
    workspace: &'a Workspace,
    request: &'a SuggestRequest,
    /// How this page is printed.
    format: ListFormat,
    suggestions: &'a [Suggestion],
    /// Of all that is suggested.
    digest: Digest,
    /// Of what is listed: what a cursor belongs to.
    key: Digest,
}

impl Listing<'_> {
    /// As many suggestions as fit.
    fn page(&self) -> Result<Styled, Error> {
        let from = self.from()?;
        if self.format == ListFormat::JsonLines {
            let lines = self.suggestions.iter().map(|one| Ok(json_of(one)? + "\n"));
            let text: Result<Vec<String>, Error> = lines.collect();
            return Ok(Styled::from(text?.concat()));
        }
        let limit = self.request.limit.unwrap_or(DEFAULT_LIMIT);
        let (measure, max) = (Measure::of(limit), limit.max());
        let left = self.suggestions.len() - from;
        // A page that shows nothing leads nowhere.
        let fewest = left.min(1);
        let mut least = max;
        for count in (fewest..=left).rev() {
            let printed = self.print(from, count)?;
            let taken = measure.weigh(&printed.plain());
            if taken <= max {
                return Ok(printed);
            }
            least = taken;
        }
        Err(ViewError::TooSmall { given: max, least }.into())
    }

    fn from(&self) -> Result<usize, Error> {
        let Some(cursor) = &self.request.cursor else {
            return Ok(0);
        };
        let cursor: Cursor = cursor.parse()?;
        let from = cursor.offset as usize;
        if cursor.key() != Cursor::key_of(&self.key) || from >= self.suggestions.len() {
            return Err(Error::ListChanged);
        }
        Ok(from)
    }

    fn print(&self, from: usize, count: usize) -> Result<Styled, Error> {
        let shown = &self.suggestions[from..from + count];
        let next = from + count;
        let cursor = u32::try_from(next)
            .ok()
            .filter(|_| next < self.suggestions.len())
            .map(|next| Cursor::new(&self.key, 0, next).to_string());
        let mut actions = Vec::new();
        if let Some(cursor) = &cursor {
            actions.push(self.more(cursor));
        }
        if from == 0 && !self.suggestions.is_empty() {
            let apply = NextAction::new("notebook apply", "save what is suggested")
                .option("digest", self.digest.to_string());
            // Without names it saves all there is.
            let is_part = !self.request.kinds.is_empty();
            let named = self.suggestions.iter().filter(|_| is_part);
            actions.push(named.fold(apply, |action, one| action.positional(one.id.as_str())));
        }
        let caller = self.workspace.caller();
        let actions = actions
            .into_iter()
            .filter_map(|action| action.for_caller(caller));
        let actions: Vec<NextAction> = actions.collect();
        if matches!(self.format, ListFormat::Text { .. }) {
            return Ok(self.text(shown, &actions));
        }
        let page = json_of(&SuggestionPage {
            total: self.suggestions.len(),
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

    /// The call that goes on as this one began.
    fn more(&self, cursor: &str) -> NextAction {
        let mut action = NextAction::new("notebook suggest", "see more of the suggestions");
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

    fn text(&self, shown: &[Suggestion], actions: &[NextAction]) -> Styled {
        let mut out = Styled::default();
        let total = self.suggestions.len();
        if total == 0 {
            out.push(Style::Dim, "nothing to suggest").end_line();
            return out;
        }
        let heading = if shown.len() == total {
            format!("{total} suggested")
        } else {
            format!("{} of {total} suggested", shown.len())
        };
        out.push(Style::Heading, heading).end_line();
        for suggestion in shown {
            let mut line = match suggestion.anchor() {
                Some(anchor) => format!("{}  {}", anchor.kind.as_str(), suggestion.id),
                None => format!("runbook  {}", suggestion.id),
            };
            let anchor = suggestion.anchor();
            for place in anchor.iter().flat_map(|anchor| &anchor.evidence) {
                // Writing to a String does not fail.
                let _ = write!(line, "  {place}");
            }
            out.plain_text(harmless_line(&line)).end_line();
            let label = anchor.map_or(String::new(), |anchor| format!("{}: ", anchor.label));
            let why = format!("    {label}{}", suggestion.reason);
            out.push(Style::Dim, harmless_line(&why)).end_line();
        }
        push_next(&mut out, actions);
        out
    }
}
