//! The writer. It records values on a tape, chooses the classes that save most, and prints the
//! tape. Choosing needs the whole document, which is why nothing is printed directly.

mod choose;
mod forms;
mod print;
mod quote;
mod serializer;
mod shapes;
mod tape;
pub(crate) mod transcode;

use std::io::Write;

use serde::Serialize;

use self::forms::Forms;
use self::print::print;
use self::serializer::Serializer;
use self::tape::Tape;
use crate::error::{Category, Error, Result};
use crate::value::Value;

/// Options for writing.
///
/// The written text works with every known TRON reader. The root is in braces, keys are in quotes,
/// each class is on one line, and no argument is omitted.
#[derive(Clone, Copy, Default)]
pub struct WriteOptions<'w> {
    /// If true, writes indented text on several lines. It may be longer than compact JSON.
    pub pretty: bool,
    /// Set this if a `null` member means the same as an absent one. A class can then also represent
    /// objects without some of its properties, with `null` in their place.
    pub null_is_absent: bool,
    /// If true, classes may have properties that need quotes. At least one reader takes the quotes
    /// as part of the name. By default, objects with such keys are therefore written as in JSON.
    pub quoted_properties: bool,
    /// Measure for choosing classes, such as the number of tokens in a text. `None` counts
    /// characters. It's called about a hundred times, also with the whole text.
    pub weigh: Option<&'w dyn Fn(&str) -> usize>,
}

impl WriteOptions<'_> {
    /// Writes `value`. Compact text is never longer than compact JSON, in characters or by [`WriteOptions::weigh`].
    ///
    /// # Errors
    /// Returns an error if `value` contains a number that is not finite or a key that is not text. Also returns an
    /// error if `value` is nested deeper than [`MAX_RECURSION`](crate::MAX_RECURSION) or cannot be serialized.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String> {
        let mut tape = Tape::default();
        value.serialize(Serializer::new(&mut tape))?;
        Ok(self.written(&tape))
    }

    /// Writes `value` to `writer`.
    ///
    /// # Errors
    /// Returns an error like [`WriteOptions::to_string`], and also if the writer fails.
    pub fn to_writer<T: Serialize + ?Sized>(
        &self,
        mut writer: impl Write,
        value: &T,
    ) -> Result<()> {
        let text = self.to_string(value)?;
        let failed = |error: std::io::Error| Error::without_place(Category::Io, error.to_string());
        writer.write_all(text.as_bytes()).map_err(failed)
    }

    /// Writes a value of any depth.
    #[must_use]
    pub fn value_to_string(&self, value: &Value<'_>) -> String {
        let mut tape = Tape::default();
        tape.value(value);
        self.written(&tape)
    }

    fn written(&self, tape: &Tape) -> String {
        let forms = choose::forms(tape, self);
        print(tape, &forms, self.pretty)
    }
}

/// Writes `value` as compact JSON.
pub(crate) fn value_to_json(value: &Value<'_>) -> String {
    let mut tape = Tape::default();
    tape.value(value);
    print(&tape, &Forms::default(), false)
}
