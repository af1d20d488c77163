//! What may be worth keeping of a repository, as a list, and saving it.

mod apply_suggestions;
mod suggestion_list;
mod suggestion_standing;
mod transcript_places;

use std::collections::BTreeSet;

use windlass_base::{Digest, Limit};
use windlass_packs::Styled;
use windlass_site::Error;

use self::suggestion_list::Listing;
use self::suggestion_standing::{Standing, Standings};
use crate::listing::ListFormat;
use crate::suggestion_finders::{Suggestions, suggest};
use crate::transact::Transactor;
use crate::{AnchorKind, NotebookDesk};

pub use self::apply_suggestions::{Applied, ApplyRequest};
pub use self::suggestion_list::SuggestionPage;
pub use self::transcript_places::ReadPlace;

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
    /// How many there are that are not saved yet, those that are not shown included.
    pub total: usize,
}

/// What may be worth keeping of a repository.
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

    /// Suggests anchors and runbooks, and lists them within a budget.
    ///
    /// # Errors
    /// When the budget is too small, or the cursor does not belong to the suggestions as they are now.
    pub fn list(&self, request: &SuggestRequest) -> Result<SuggestionList, Error> {
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
        let notebook = self.desk().file().read()?;
        let standings = Standings::new(&notebook, self.runbook_names());
        let (mut saved, mut declined) = (0, Vec::new());
        suggestions.retain(|suggestion| match standings.of(suggestion) {
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
        // What was found of half the files would be taken for all there is.
        self.desk().site().go_on()?;
        found.map_err(Error::internal)
    }

    /// Names of runbooks, in the notebook and in the repository.
    fn runbook_names(&self) -> BTreeSet<String> {
        let shelf = self.transactor.shelf();
        let all = shelf.all(&self.transactor.snapshot()).into_iter();
        all.map(|entry| entry.name).collect()
    }
}
