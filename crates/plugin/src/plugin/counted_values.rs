//! Counts the work of holding a value against a schema, and ends it where it becomes too much or nobody waits for it: the
//! checker by itself goes on to its end, which a schema that leads to itself twice over puts off for ever.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};
use windlass_base::Cancel;

/// A keyword that stands in each schema that is counted; its value is how much is asked there.
pub(crate) const KEYWORD: &str = "x-windlass-work";
/// The most work of one value: a second or so.
pub(crate) const MAX_WORK: u64 = 100_000_000;

/// Why a value was not held against its schema to the end.
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
    /// Of the check that this thread does.
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// How much is asked of a value at one place of a schema, where the schemas in it count by themselves.
pub(crate) fn asked(schema: &Map<String, Value>) -> u64 {
    let listed = schema.values().map(|value| match value {
        Value::Array(list) => list.len(),
        Value::Object(fields) => fields.len(),
        _ => 1,
    });
    listed.sum::<usize>() as u64 + 1
}

/// A validator of `schema`, which has [`KEYWORD`] wherever it is counted.
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

/// Does `check` with a [`validator`], until that is more than `most` work or `cancel` is called.
pub(crate) fn counted<T>(
    most: u64,
    cancel: &Cancel,
    check: impl FnOnce() -> T,
) -> Result<T, Ended> {
    let budget = Budget {
        left: most,
        cancel: cancel.clone(),
    };
    BUDGET.set(Some(budget));
    let checked = catch_unwind(AssertUnwindSafe(check));
    BUDGET.set(None);
    checked.map_err(|ended| match ended.downcast::<Ended>() {
        Ok(ended) => *ended,
        Err(other) => resume_unwind(other),
    })
}

/// Asks nothing of a value.
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
            // To say that a value does not fit would not do: another one of several might.
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
