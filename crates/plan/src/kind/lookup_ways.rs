//! Keys in the input of a step: where in what the step is given they are looked for.

/// Where a step of a kind looks something up in values that another field of its input brings, so that a key that
/// no such value can have is found before anything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// The field that brings the values: `left`.
    pub of: &'static str,
    /// How they are gone through, one way after the other.
    pub ways: Vec<Way<'a>>,
}

/// One step of the way from what a field brings to what is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// To each item of a list.
    Items,
    /// To each item of a list; what is no list stays as it is.
    Elements,
    /// To what a JSONPath selects.
    Path {
        /// The field that it stands in.
        at: &'static str,
        /// As written.
        text: &'a str,
    },
    /// To what a JSON pointer leads to.
    Pointer {
        /// The field that it stands in.
        at: &'static str,
        /// As written.
        text: &'a str,
    },
}
