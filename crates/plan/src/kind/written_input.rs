use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reference::has_references;

/// The input of a step as its document has it. What is written out in it can be looked at before anything
/// runs; what is a reference cannot, and is passed over.
#[derive(Debug)]
pub struct WrittenInput<'a> {
    with: &'a Value,
    /// What may still be spent.
    left: &'a mut usize,
    problems: Vec<Problem>,
}

/// What it costs to make a pattern ready, compared with a look at a value.
const COMPILING: usize = 20;

/// Something that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON pointer into the input.
    pub at: String,
    /// What: one sentence, lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// The field of the input that it is in; empty where it is about the whole.
    pub(crate) fn field(&self) -> &str {
        self.at.split('/').nth(1).unwrap_or_default()
    }
}

impl<'a> WrittenInput<'a> {
    /// The input `with`, references still in it. No more than `left` is spent, and counted off: 1 for a
    /// value, [`COMPILING`] for one that is made ready. A document may hold a million patterns.
    #[must_use]
    pub(crate) fn new(with: &'a Value, left: &'a mut usize) -> Self {
        Self {
            with,
            left,
            problems: Vec::new(),
        }
    }

    /// The value at a pointer, if it is written out as a whole.
    #[must_use]
    pub fn literal(&self, at: &str) -> Option<&'a Value> {
        self.with.pointer(at).filter(|value| !has_references(value))
    }

    /// The value at a pointer, if it is written out; a value that is no `T` is a problem.
    pub fn parse<T: DeserializeOwned>(&mut self, at: &str) -> Option<T> {
        let value = self.literal(at)?;
        *self.left = self.left.checked_sub(1)?;
        match T::deserialize(value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(at, error.to_string());
                None
            }
        }
    }

    /// Whether one more pattern, glob or path may be made ready, to see whether it has a meaning: that takes up
    /// to a millisecond. It is counted off.
    pub fn may_compile(&mut self) -> bool {
        let left = self.left.checked_sub(COMPILING);
        *self.left = left.unwrap_or(*self.left);
        left.is_some()
    }

    /// As [`WrittenInput::parse`], and the default if nothing stands there. `None` if it is not known yet.
    pub fn parse_or_default<T: DeserializeOwned + Default>(&mut self, at: &str) -> Option<T> {
        if self.with.pointer(at).is_none() {
            return Some(T::default());
        }
        self.parse(at)
    }

    /// The items of a list that are written out, with their pointers; an item that is no `T` is a problem.
    pub fn parse_items<T: DeserializeOwned>(&mut self, list: &str) -> Vec<(String, T)> {
        let items = self.with.pointer(list).and_then(Value::as_array);
        let length = items.map_or(0, Vec::len).min(*self.left);
        let pointers = (0..length).map(|at| format!("{list}/{at}"));
        pointers
            .filter_map(|at| {
                let item = self.parse(&at)?;
                Some((at, item))
            })
            .collect()
    }

    /// Says that what stands at a pointer cannot be worked with.
    pub fn refuse(&mut self, at: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem {
            at: at.into(),
            message: message.into(),
            help: None,
        });
    }

    /// As [`WrittenInput::refuse`], with what to do about it.
    pub fn refuse_with_help(
        &mut self,
        at: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems.push(Problem {
            at: at.into(),
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// What was found to be wrong.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_written_out_is_looked_at() {
        let with = json!({
            "number": 1,
            "list": [1, "x", { "$ref": "#/inputs/a" }, 2],
            "open": { "$ref": "#/inputs/a" },
        });
        let mut left = 100;
        let mut input = WrittenInput::new(&with, &mut left);
        assert_eq!(input.parse("/number"), Some(1));
        assert_eq!(input.parse::<u32>("/open"), None);
        assert_eq!(input.parse_or_default::<u32>("/open"), None);
        assert_eq!(input.parse_or_default::<u32>("/nothing"), Some(0));
        let items = input.parse_items::<u32>("/list");
        assert_eq!(
            items,
            [("/list/0".to_owned(), 1), ("/list/3".to_owned(), 2)]
        );
        let problems = input.into_problems();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].at, "/list/1");
        assert_eq!(left, 96);
    }

    #[test]
    fn no_more_is_looked_at_than_was_allowed() {
        let with = json!({ "list": [0, 1, 2, 3, 4], "more": 5 });
        let mut left = 3;
        let mut input = WrittenInput::new(&with, &mut left);
        assert_eq!(input.parse_items::<u32>("/list").len(), 3);
        assert_eq!(input.parse::<u32>("/more"), None);
        assert_eq!(left, 0);
        let mut left = 2 * COMPILING + 1;
        let mut input = WrittenInput::new(&with, &mut left);
        assert!(input.may_compile() && input.may_compile() && !input.may_compile());
        assert_eq!(input.parse("/more"), Some(5));
    }
}
