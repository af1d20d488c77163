//! Keys in the input of a step, and the values in which they are looked up.

/// Lookup of a key in values of another input field, declared so that an impossible key is found before the
/// run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// Field with the values: `left`.
    pub of: &'static str,
    /// Steps from the field to the looked-up value.
    pub ways: Vec<Way<'a>>,
}

/// Step of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'a> {
    /// Each item of a list.
    Items,
    /// Each item of a list; any other value itself.
    Elements,
    /// Values selected by a JSONPath.
    Path {
        /// Field that holds the JSONPath.
        at: &'static str,
        /// Text as written.
        text: &'a str,
    },
    /// Value at a JSON pointer.
    Pointer {
        /// Field that holds the pointer.
        at: &'static str,
        /// Text as written.
        text: &'a str,
    },
}
