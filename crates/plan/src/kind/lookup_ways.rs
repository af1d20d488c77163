//! Describes keys in a step's input that will be looked up in the values of other inputs.

/// A key that will be looked up in the value of another input field.
///
/// Step kinds declare their lookups, so that we can report an impossible key before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// The searched field, e.g. `left`.
    pub of: &'static str,
    /// The moves that lead from that field to the searched value.
    pub ways: Vec<Way<'a>>,
}

/// A move towards a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// To each item of a list.
    Items,
    /// To each item of a list. Any other value is its own element.
    Elements,
    /// To the values selected by a JSONPath.
    Path {
        /// The field with the JSONPath.
        at: &'static str,
        /// The JSONPath as written.
        text: &'a str,
    },
    /// To the value at a JSON pointer.
    Pointer {
        /// The field with the pointer.
        at: &'static str,
        /// The pointer as written.
        text: &'a str,
    },
}
