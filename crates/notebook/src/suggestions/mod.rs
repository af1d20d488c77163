//! Lists suggestions and saves them.
//!
//! Suggestions aren't stored. We compute them from the files each time, and compare them with the
//! notebook to leave out those that were saved or declined.

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
pub use self::suggestion_standing::unsaved_suggestions;
pub use self::transcript_places::ReadPlace;

/// Request to list suggestions.
#[derive(Debug, Clone)]
pub struct SuggestRequest {
    /// Kinds of anchors. An empty list stands for all kinds.
    pub kinds: Vec<AnchorKind>,
    /// Budget for the output, 8000 characters unless given.
    pub limit: Option<Limit>,
    /// Format of the page. With JSON Lines, there's one suggestion per line, and all are on a
    /// single page.
    pub format: ListFormat,
    /// A second format for the same page.
    pub also: Option<ListFormat>,
    /// Cursor of the page, or `None` for the first page.
    pub cursor: Option<String>,
}

/// A rendered page of suggestions.
#[derive(Debug)]
pub struct SuggestionList {
    /// The page in the requested format.
    pub printed: Styled,
    /// The same page in the second format, if requested.
    pub also: Option<Styled>,
    /// Number of suggestions that aren't saved yet, on all pages.
    pub total: usize,
}

/// Suggests anchors for a repository, and saves the ones selected by the user.
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

    /// Lists suggested anchors, within the budget of `request`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, or if the cursor belongs to other suggestions.
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
        // If the search was cancelled, we only have a part of the suggestions. Fail rather than
        // pretending that these are all.
        self.desk().site().go_on()?;
        found.map_err(Error::internal)
    }
}
