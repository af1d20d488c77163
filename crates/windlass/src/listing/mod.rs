//! Anchors as a list: one line each, within a budget, page by page.
//!
//! A page is worked out anew each time: its cursor holds the digest of the whole list, so that going on in a
//! list that is no longer the same is refused instead of showing some anchors twice and others never.

mod actions;
mod json;
mod pages;
mod show;
mod text;

use windlass_base::{Limit, in_parallel};
use windlass_notebook::AnchorKind;
use windlass_pack::Styled;

use self::pages::Listing;
pub use self::show::ShownAnchors;
use crate::{Error, Workspace};

/// Anchors that a thread prints as JSON Lines at a time.
const PIECE: usize = 200;

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
                let texts = in_parallel(&reports, self.repo().threads(), PIECE, json::lines);
                Styled::from(texts.into_iter().collect::<Result<String, Error>>()?)
            }
            ListFormat::Json | ListFormat::Text { .. } => {
                Listing::new(request, reports, self.named_root())?.print_page()?
            }
        };
        Ok(AnchorList {
            printed,
            total,
            fresh,
        })
    }
}
