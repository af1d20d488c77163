//! What may be worth keeping of a repository, as a list, and saving it.

mod apply;
mod listing;
mod reads;
mod standing;

use windlass_base::{Digest, Limit};
use windlass_notebook::AnchorKind;
use windlass_notebook::suggest::{Suggestions, suggest};
use windlass_pack::Styled;

use crate::{Error, ListFormat, Workspace};
pub use apply::{Applied, ApplyRequest};
use listing::Listing;
pub(crate) use listing::SuggestionPage;
pub use reads::ReadPlace;
use standing::{Standing, Standings};

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
        let notebook = self.notebook().read()?;
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
            workspace: self,
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
        let found = suggest(&self.snapshot(), self.cancel());
        // What was found of half the files would be taken for all there is.
        self.go_on()?;
        found.map_err(Error::internal)
    }
}
