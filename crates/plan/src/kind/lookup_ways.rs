//! Keys in a step's input that the step looks up in other input values.

/// Lookup of a key in the value of another input field. A kind declares it so that an impossible key is reported before
/// the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// Field whose value is searched, such as `left`.
    pub of: &'static str,
    /// The way from that field to the value that is looked up.
    pub ways: Vec<Way<'a>>,
}

/// One step on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// Goes to each item of a list.
    Items,
    /// Goes to each item of a list. Any other value stays itself.
    Elements,
    /// Goes to the values that a JSONPath selects.
    Path {
        /// Field that holds the JSONPath.
        at: &'static str,
        /// The JSONPath as written.
        text: &'a str,
    },
    /// Goes to the value at a JSON pointer.
    Pointer {
        /// Field that holds the pointer.
        at: &'static str,
        /// The pointer as written.
        text: &'a str,
    },
}
