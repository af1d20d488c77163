use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reference::has_references;

/// The input of a step as its document has it. What is written out in it can be looked at before anything
/// runs; what is a reference cannot, and is passed over.
#[derive(Debug)]
pub struct WrittenInput<'a> {
    with: &'a Value,
    problems: Vec<Problem>,
}

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

impl<'a> WrittenInput<'a> {
    /// The input `with`, references still in it.
    #[must_use]
    pub fn new(with: &'a Value) -> Self {
        Self {
            with,
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
        match T::deserialize(self.literal(at)?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(at, error.to_string());
                None
            }
        }
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
        let pointers = (0..items.map_or(0, Vec::len)).map(|at| format!("{list}/{at}"));
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
    #[must_use]
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}
