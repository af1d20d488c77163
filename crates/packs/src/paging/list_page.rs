//! Lists, page by page: as much of a list as fits a budget, and how to go on.

use std::ops::{Range, RangeInclusive};

use serde::Serialize;
use windlass_base::{Caller, Digest, Limit, NextAction};
use windlass_site::Error;

use super::list_cursors::ListCursors;
use crate::{Measure, ViewError};

/// Which page of a list is asked for.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The call that lists it, without the budget and the cursor.
    pub call: NextAction,
    /// How much is printed; all of it if not said.
    pub limit: Option<Limit>,
    /// Where to go on, as it was printed.
    pub cursor: Option<String>,
}

/// A page that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittingPage {
    /// What is printed.
    pub text: String,
    /// Which of the rows are on it.
    pub rows: Range<usize>,
}

impl ListPage {
    /// The page of `rows` that is asked for, with calls that are to be made by `caller`; `print` makes the text of a page with some of them, and of the call that goes on
    /// behind it. A cursor belongs to the list as it is: to another one it does not lead.
    ///
    /// # Errors
    /// When the budget is too small for one row, the cursor is of another list, or `print` fails.
    pub fn fit<Row: Serialize>(
        &self,
        caller: Option<&Caller>,
        rows: &[Row],
        print: impl Fn(Range<usize>, Option<&NextAction>) -> Result<String, Error>,
    ) -> Result<FittingPage, Error> {
        // Rows of documents have numbers that no double is.
        let told = windlass_tron::exact(&(&self.call, rows));
        let told = told.map_err(Error::internal)?;
        let key = Digest::of_bytes(told.to_string().as_bytes());
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
        // A page that shows nothing leads nowhere.
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

    /// The call that goes on at row `at`.
    fn onward(&self, caller: Option<&Caller>, cursors: ListCursors, at: usize) -> NextAction {
        let mut call = self.call.clone();
        if let Some(limit) = self.limit {
            call = call.limited(limit);
        }
        let call = call.option("cursor", cursors.at(at));
        call.clone().for_caller(caller).unwrap_or(call)
    }
}

/// The page with the most rows that takes at most `max`: `print` makes one with so many, and says what it takes.
///
/// # Errors
/// When none of the `counts` fits, or `print` fails.
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
