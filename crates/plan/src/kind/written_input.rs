use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reference::has_references;

/// A step's input as written in its document.
///
/// Step kinds use this to check the literal parts before the run. A reference has no value yet, so
/// all methods skip references instead of reporting them.
#[derive(Debug)]
pub struct WrittenInput<'a> {
    with: &'a Value,
    /// The remaining effort, in checked values. Compiling a pattern costs [`COMPILING`] of them.
    left: &'a mut usize,
    problems: Vec<Problem>,
}

/// The effort of compiling a pattern, compared to checking a value.
const COMPILING: usize = 20;

/// A problem in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer to the value, relative to the input. It is empty for the whole input.
    pub at: String,
    /// One sentence in lower case without a full stop, since it becomes part of a longer message.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl Problem {
    pub(crate) fn field(&self) -> &str {
        self.at.split('/').nth(1).unwrap_or_default()
    }
}

impl<'a> WrittenInput<'a> {
    /// Each check deducts its effort from `left`: 1 for a value, and [`COMPILING`] for a pattern.
    /// Otherwise, a document with a million patterns would take minutes.
    #[must_use]
    pub(crate) fn new(with: &'a Value, left: &'a mut usize) -> Self {
        Self {
            with,
            left,
            problems: Vec::new(),
        }
    }

    /// The value at a JSON pointer, or `None` if it is a reference or contains one.
    #[must_use]
    pub fn literal(&self, at: &str) -> Option<&'a Value> {
        self.with.pointer(at).filter(|value| !has_references(value))
    }

    /// Parses the literal value at a JSON pointer, and reports a value that is not a `T`.
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

    /// Deducts the effort of compiling a pattern, glob or path, which may take a millisecond.
    ///
    /// Returns false if there is not enough left.
    pub fn may_compile(&mut self) -> bool {
        let left = self.left.checked_sub(COMPILING);
        *self.left = left.unwrap_or(*self.left);
        left.is_some()
    }

    /// Like [`parse`](Self::parse), but this returns the default if there is no value.
    ///
    /// A reference still gives `None`, since its value is unknown rather than absent.
    pub fn parse_or_default<T: DeserializeOwned + Default>(&mut self, at: &str) -> Option<T> {
        if self.with.pointer(at).is_none() {
            return Some(T::default());
        }
        self.parse(at)
    }

    /// Like [`parse`](Self::parse), but for the items of a list. Each item comes with its JSON
    /// pointer.
    pub fn parse_items<T: DeserializeOwned>(&mut self, list: &str) -> Vec<(String, T)> {
        let items = self.with.pointer(list).and_then(Value::as_array);
        // Without any effort left, `parse` would return `None` for each further item. Don't format
        // their pointers.
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

    /// Like [`refuse`](Self::refuse), with advice on how to fix the problem.
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
        // Each of the four values costs 1, even the wrong one. References are free.
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
