//! List of suggestions, and saving them.

mod apply_suggestions;
mod suggestion_list;
mod suggestion_standing;
mod transcript_places;

use windlass_base::{Digest, Limit};
use windlass_packs::Styled;
use windlass_site::Error;

use self::suggestion_list::Listing;
use self::suggestion_standing::Standing;
use crate::listing::ListFormat;
use crate::suggestion_finders::{Suggestions, suggest};
use crate::transact::Transactor;
use crate::{AnchorKind, NotebookDesk};

pub use self::apply_suggestions::{Applied, ApplyRequest};
pub use self::suggestion_list::SuggestionPage;
pub use self::suggestion_standing::{has_unsaved_suggestions, unsaved_suggestions};
pub use self::transcript_places::ReadPlace;

/// Selection and output options of the suggestions.
#[derive(Debug, Clone)]
pub struct SuggestRequest {
    /// Anchor kinds; empty means all.
    pub kinds: Vec<AnchorKind>,
    /// Output budget, 8000 characters by default.
    pub limit: Option<Limit>,
    /// Output format; JSON Lines hold one suggestion each.
    pub format: ListFormat,
    /// Second format for the same page.
    pub also: Option<ListFormat>,
    /// Cursor of the page to print.
    pub cursor: Option<String>,
}

/// Printed suggestions and their total.
#[derive(Debug)]
pub struct SuggestionList {
    /// The page in the requested format.
    pub printed: Styled,
    /// Output in the second format.
    pub also: Option<Styled>,
    /// Number of suggestions that are not saved yet, including those that are not shown.
    pub total: usize,
}

/// Suggestions for a repository.
#[derive(Clone)]
pub struct SuggestionService {
    transactor: Transactor,
}

impl SuggestionService {
    pub(crate) fn new(transactor: Transactor) -> Self {
        Self { transactor }
    }

    fn desk(&self) -> &NotebookDesk {
        &self.transactor.desk
    }

    /// Lists suggested anchors within a budget.
    ///
    /// # Errors
    /// If the budget is too small, or the cursor does not belong to the current suggestions.
    pub fn list(&self, request: &SuggestRequest) -> Result<SuggestionList, Error> {
        let Suggestions {
            mut suggestions,
            digest,
        } = self.suggestions()?;
        if !request.kinds.is_empty() {
            suggestions.retain(|suggestion| request.kinds.contains(&suggestion.anchor().kind));
        }
        let notebook = self.desk().file().read()?;
        let (mut saved, mut declined) = (0, Vec::new());
        suggestions.retain(|suggestion| match Standing::of(suggestion, &notebook) {
            Standing::New | Standing::Elsewhere => true,
            Standing::There => {
                saved += 1;
                false
            }
            Standing::Declined => {
                declined.push(suggestion.id.to_string());
                false
            }
        });
        let mut listing = Listing {
            caller: self.desk().site().caller(),
            request,
            format: request.format,
            key: Digest::of_json(&suggestions).map_err(Error::internal)?,
            suggestions: &suggestions,
            saved,
            declined,
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
        let found = suggest(&self.transactor.snapshot(), self.desk().site().cancel());
        // The result of a cancelled search would be taken for the complete one.
        self.desk().site().go_on()?;
        found.map_err(Error::internal)
    }
}
