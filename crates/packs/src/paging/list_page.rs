//! Prints as much of a list as fits a budget, with a call to continue.
//!
//! Unlike a pack, a list is not stored. Each page computes the whole list again, and its cursor
//! only works while the list stays the same.

use std::ops::{Range, RangeInclusive};

use serde::Serialize;
use windlass_base::{Caller, Digest, Limit, NextAction};
use windlass_site::Error;

use super::list_cursors::ListCursors;
use crate::{Measure, ViewError};

/// A request for one page of a list.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The call that prints the list, without its budget and cursor.
    pub call: NextAction,
    /// The limit on the page's size. Without one, all remaining rows are on one page.
    pub limit: Option<Limit>,
    /// The cursor of the page, or `None` for the first one.
    pub cursor: Option<String>,
}

/// A page within its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittingPage {
    /// The page. If more rows follow, it includes the call for the next page.
    pub text: String,
    /// Indices of the rows on the page.
    pub rows: Range<usize>,
}

impl ListPage {
    /// Prints the requested page.
    ///
    /// `print` gets a range of rows and, if more rows follow, the call for the next page, adapted
    /// to `caller`. If the list changes in any way, its cursors become invalid.
    ///
    /// # Errors
    /// Returns an error if not even one row fits, if the cursor is for another list, or if `print`
    /// fails.
    pub fn fit<Row: Serialize>(
        &self,
        caller: Option<&Caller>,
        rows: &[Row],
        print: impl Fn(Range<usize>, Option<&NextAction>) -> Result<String, Error>,
    ) -> Result<FittingPage, Error> {
        // A row may have numbers that a double can't represent. If these change, the digest must,
        // too.
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
        // There's always at least one row, since an empty page would continue at itself.
        let fewest = left.min(1);
        let (mut enough, mut too_many) = (fewest, left);
        while too_many - enough > 1 {
            let middle = enough + (too_many - enough) / 2;
            match measure.weigh(&print(middle)?) <= max {
                true => enough = middle,
                false => too_many = middle,
            }
        }
        // In TRON, another row can make a page smaller, so bisecting may miss the largest page. The
        // result still fits, unless not even one row does, and that's an error.
        most_that_fit(fewest..=enough, max, |count| {
            let text = print(count)?;
            let taken = measure.weigh(&text);
            Ok((fits(text, count), taken))
        })
    }

    fn onward(&self, caller: Option<&Caller>, cursors: ListCursors, at: usize) -> NextAction {
        let mut call = self.call.clone();
        if let Some(limit) = self.limit {
            call = call.limited(limit);
        }
        let call = call.option("cursor", cursors.at(at));
        call.clone().for_caller(caller).unwrap_or(call)
    }
}

/// Finds the page with the most rows that fits into `max`. `print` gets a number of rows, and
/// returns a page along with its size.
///
/// This starts with the largest number. If counts are expensive to print, narrow them down before.
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
