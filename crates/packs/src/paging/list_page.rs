//! Lists, page by page: as much of a list as fits a budget, and how to go on.

use std::ops::{Range, RangeInclusive};

use serde::Serialize;
use windlass_base::{Caller, Digest, Limit, NextAction};
use windlass_site::Error;

use super::list_cursors::ListCursors;
use crate::{Measure, ViewError};

/// Requested page of a list.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// Call that prints the list, without budget and cursor.
    pub call: NextAction,
    /// Output limit; none by default.
    pub limit: Option<Limit>,
    /// Cursor of the page.
    pub cursor: Option<String>,
}

/// Page that fits the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittingPage {
    /// The page as printed.
    pub text: String,
    /// Range of the rows on the page.
    pub rows: Range<usize>,
}

impl ListPage {
    /// Returns the requested page of `rows`, with calls for `caller`. `print` formats a page with a range of rows and
    /// the call for the next page. A cursor is valid only for the same list.
    ///
    /// # Errors
    /// If the budget is too small for one row, the cursor belongs to another list, or `print` fails.
    pub fn fit<Row: Serialize>(
        &self,
        caller: Option<&Caller>,
        rows: &[Row],
        print: impl Fn(Range<usize>, Option<&NextAction>) -> Result<String, Error>,
    ) -> Result<FittingPage, Error> {
        // Rows of documents contain numbers that no double represents exactly.
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
        // An empty page would not advance.
        let fewest = left.min(1);
        let (mut enough, mut too_many) = (fewest, left);
        while too_many - enough > 1 {
            let middle = enough + (too_many - enough) / 2;
            match measure.weigh(&print(middle)?) <= max {
                true => enough = middle,
                false => too_many = middle,
            }
        }
        // In TRON a row more may take less.
        most_that_fit(fewest..=enough, max, |count| {
            let text = print(count)?;
            let taken = measure.weigh(&text);
            Ok((fits(text, count), taken))
        })
    }

    /// Returns the call that continues at row `at`.
    fn onward(&self, caller: Option<&Caller>, cursors: ListCursors, at: usize) -> NextAction {
        let mut call = self.call.clone();
        if let Some(limit) = self.limit {
            call = call.limited(limit);
        }
        let call = call.option("cursor", cursors.at(at));
        call.clone().for_caller(caller).unwrap_or(call)
    }
}

/// Returns the page with the most rows that has at most the size `max`: `print` formats a page of so many rows and
/// returns its size.
///
/// # Errors
/// If none of the `counts` fits, or `print` fails.
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
