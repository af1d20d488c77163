//! Keys in a step's input that the step looks up in other input values.

/// A key to be looked up in the value of another input field. Step kinds declare these, so that we
/// can report an impossible key before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// The field whose value is searched, such as `left`.
    pub of: &'static str,
    /// The way from that field to the value in which to look up the key.
    pub ways: Vec<Way<'a>>,
}

/// One step on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// Goes to each item of a list.
    Items,
    /// Goes to each item of a list, or stays at any other value.
    Elements,
    /// Goes to the values selected by a JSONPath.
    Path {
        /// The field with the JSONPath.
        at: &'static str,
        /// The JSONPath as written.
        text: &'a str,
    },
    /// Goes to the value at a JSON pointer.
    Pointer {
        /// The field with the pointer.
        at: &'static str,
        /// The pointer as written.
        text: &'a str,
    },
}
