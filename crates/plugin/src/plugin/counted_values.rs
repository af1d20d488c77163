//! Limits the work of validating a value against a schema. The validator has no limit of its own,
//! so a schema that refers to itself could keep it busy forever.
//!
//! We add a keyword with the amount of work to each counted schema. Whenever the validator gets
//! there, our implementation of the keyword deducts the amount from the thread's budget. Once the
//! budget is used up, we unwind out of the validator, which cannot be stopped in any other way.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};
use windlass_base::Cancel;

/// The keyword that we add to each counted schema. Its value is the work at that location.
pub(crate) const KEYWORD: &str = "x-windlass-work";
/// Work allowed for one value, which takes about a second.
pub(crate) const MAX_WORK: u64 = 100_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    TooMuch,
    Stopped,
}

struct Budget {
    left: u64,
    cancel: Cancel,
}

thread_local! {
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// Estimates the work for a value at one location in a schema. Subschemas are not included.
pub(crate) fn asked(schema: &Map<String, Value>) -> u64 {
    let listed = schema.values().map(|value| match value {
        Value::Array(list) => list.len(),
        Value::Object(fields) => fields.len(),
        _ => 1,
    });
    listed.sum::<usize>() as u64 + 1
}

/// Compiles `schema`, which already has [`KEYWORD`] at all locations to count. The limit only
/// applies inside of [`counted`].
pub(crate) fn validator(schema: &Value) -> Result<jsonschema::Validator, String> {
    let built = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_keyword(KEYWORD, |_, work, _| {
            let counting: Box<dyn for<'i> Keyword<'i>> =
                Box::new(Counting(work.as_u64().unwrap_or(1)));
            Ok(counting)
        })
        .build(schema);
    built.map_err(|error| error.to_string())
}

/// Runs `check`, which uses a [`validator`], with a budget of `max_work`. It ends early if the
/// budget is used up or `cancel` is triggered.
pub(crate) fn counted<T>(
    max_work: u64,
    cancel: &Cancel,
    check: impl FnOnce() -> T,
) -> Result<T, Ended> {
    let budget = Budget {
        left: max_work,
        cancel: cancel.clone(),
    };
    BUDGET.set(Some(budget));
    let checked = catch_unwind(AssertUnwindSafe(check));
    BUDGET.set(None);
    // Any other panic is a real one, so pass it on.
    checked.map_err(|ended| match ended.downcast::<Ended>() {
        Ok(ended) => *ended,
        Err(other) => resume_unwind(other),
    })
}

/// Our implementation of [`KEYWORD`]. It accepts any value.
struct Counting(u64);

impl Counting {
    fn count(&self) {
        let ended = BUDGET.with_borrow_mut(|budget| {
            let budget = budget.as_mut()?;
            if budget.cancel.is_cancelled() {
                return Some(Ended::Stopped);
            }
            match budget.left.checked_sub(self.0) {
                Some(left) => budget.left = left,
                None => return Some(Ended::TooMuch),
            }
            None
        });
        if let Some(ended) = ended {
            // A mismatch wouldn't be enough. The validator would go on to try another alternative,
            // which may even succeed.
            resume_unwind(Box::new(ended));
        }
    }
}

impl<'i> Keyword<'i> for Counting {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.count();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.count();
        true
    }
}
