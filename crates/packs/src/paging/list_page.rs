//! Prints the part of a list that fits a budget, with a call that continues it.

use std::ops::{Range, RangeInclusive};

use serde::Serialize;
use windlass_base::{Caller, Digest, Limit, NextAction};
use windlass_site::Error;

use super::list_cursors::ListCursors;
use crate::{Measure, ViewError};

/// The page of a list that a caller wants.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The call that prints the list, without budget and cursor.
    pub call: NextAction,
    /// Maximum size of the page, or `None` for no limit.
    pub limit: Option<Limit>,
    /// The page's cursor, or `None` for the first page.
    pub cursor: Option<String>,
}

/// A page that fits the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittingPage {
    /// The page as printed.
    pub text: String,
    /// Indexes of the rows on the page.
    pub rows: Range<usize>,
}

impl ListPage {
    /// Returns the requested page of `rows`. `print` prints a range of rows along with the call for
    /// the next page, which is adapted to `caller`. A cursor is only valid while the list is
    /// unchanged.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for one row, if the cursor belongs to another
    /// list, or if `print` fails.
    pub fn fit<Row: Serialize>(
        &self,
        caller: Option<&Caller>,
        rows: &[Row],
        print: impl Fn(Range<usize>, Option<&NextAction>) -> Result<String, Error>,
    ) -> Result<FittingPage, Error> {
        // Rows can contain numbers that no double represents exactly. The digest has to tell them
        // apart.
        let exact = windlass_tron::exact(&(&self.call, rows));
        let exact = exact.map_err(Error::internal)?;
        let key = Digest::of_bytes(exact.to_string().as_bytes());
        let cursors = ListCursors::of(key, rows.len());
        let from = cursors.first_row(self.cursor.as_deref())?;
        let print = |count: usize| {
            let to = from + count;
            let more = (to < rows.len()).then(|| self.onward(caller, cursors, to));
            print(from..to, more.as_ref())
        };
        let left = rows.len() - from;
        let fits = |text: String, count: usize| FittingPage {
            text,
            rows: from..from + count,
        };
        let whole = print(left)?;
        let Some(limit) = self.limit else {
            return Ok(fits(whole, left));
        };
        let (measure, max) = (Measure::of(limit), limit.max());
        if measure.weigh(&whole) <= max {
            return Ok(fits(whole, left));
        }
        // Always show at least one row. An empty page would continue at itself.
        let fewest = left.min(1);
        let (mut enough, mut too_many) = (fewest, left);
        while too_many - enough > 1 {
            let middle = enough + (too_many - enough) / 2;
            match measure.weigh(&print(middle)?) <= max {
                true => enough = middle,
                false => too_many = middle,
            }
        }
        // In TRON, adding a row can make a page smaller, so bisecting may miss the largest page.
        // The one it finds fits, unless not even a single row does. That's an error.
        most_that_fit(fewest..=enough, max, |count| {
            let text = print(count)?;
            let taken = measure.weigh(&text);
            Ok((fits(text, count), taken))
        })
    }

    /// Returns the call that continues the list at row `at`.
    fn onward(&self, caller: Option<&Caller>, cursors: ListCursors, at: usize) -> NextAction {
        let mut call = self.call.clone();
        if let Some(limit) = self.limit {
            call = call.limited(limit);
        }
        let call = call.option("cursor", cursors.at(at));
        call.clone().for_caller(caller).unwrap_or(call)
    }
}

/// Returns the page with the most rows that is no larger than `max`. `print` takes a number of rows
/// and returns the page with its size.
///
/// # Errors
/// Returns an error if none of the `counts` fits, or if `print` fails.
pub fn most_that_fit<Page>(
    counts: RangeInclusive<usize>,
    max: usize,
    print: impl Fn(usize) -> Result<(Page, usize), Error>,
) -> Result<Page, Error> {
    let mut least = max;
    for count in counts.rev() {
        let (page, taken) = print(count)?;
        if taken <= max {
            return Ok(page);
        }
        least = taken;
    }
    Err(ViewError::TooSmall { given: max, least }.into())
}
