use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reference::has_references;

/// A step's input as written in its document. We can check literal parts before the run, but have
/// to skip references.
#[derive(Debug)]
pub struct WrittenInput<'a> {
    with: &'a Value,
    /// Remaining effort, in checked values. Compiling a pattern costs [`COMPILING`].
    left: &'a mut usize,
    problems: Vec<Problem>,
}

/// Cost of compiling a pattern, relative to that of checking a value.
const COMPILING: usize = 20;

/// A problem in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer to the value, relative to the input.
    pub at: String,
    /// Message: one sentence in lower case, without a full stop.
    pub message: String,
    /// Advice on how to fix the input, if any.
    pub help: Option<String>,
}

impl Problem {
    /// Returns the problem's input field, or an empty string if it's about the whole input.
    pub(crate) fn field(&self) -> &str {
        self.at.split('/').nth(1).unwrap_or_default()
    }
}

impl<'a> WrittenInput<'a> {
    /// Wraps the input `with`. Each check deducts its effort from `left`: 1 for a value, and
    /// [`COMPILING`] for one that has to be compiled. We need this limit because a document may
    /// hold a million patterns.
    #[must_use]
    pub(crate) fn new(with: &'a Value, left: &'a mut usize) -> Self {
        Self {
            with,
            left,
            problems: Vec::new(),
        }
    }

    /// Returns the value at a JSON pointer, unless it contains a reference.
    #[must_use]
    pub fn literal(&self, at: &str) -> Option<&'a Value> {
        self.with.pointer(at).filter(|value| !has_references(value))
    }

    /// Parses the literal value at a JSON pointer, and reports it if it isn't a `T`.
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

    /// Reserves the effort for compiling a pattern, glob or path, which may take a millisecond.
    /// Returns false once the effort is used up.
    pub fn may_compile(&mut self) -> bool {
        let left = self.left.checked_sub(COMPILING);
        *self.left = left.unwrap_or(*self.left);
        left.is_some()
    }

    /// Parses a value like [`WrittenInput::parse`]. Returns the default if the value is absent, and
    /// `None` if it's a reference.
    pub fn parse_or_default<T: DeserializeOwned + Default>(&mut self, at: &str) -> Option<T> {
        if self.with.pointer(at).is_none() {
            return Some(T::default());
        }
        self.parse(at)
    }

    /// Parses a list's literal items and returns them with their JSON pointers. Reports items that
    /// aren't a `T`.
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

    /// Reports a problem with the value at a JSON pointer.
    pub fn refuse(&mut self, at: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem {
            at: at.into(),
            message: message.into(),
            help: None,
        });
    }

    /// Reports a problem with the value at a JSON pointer, and advice.
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

    /// Returns the reported problems.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn written_input_references_skipped() {
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
    fn written_input_effort_limited() {
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
