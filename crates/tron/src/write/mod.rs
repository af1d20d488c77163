//! The writer.
//!
//! We can only choose classes once we know the whole document. So all values are first recorded on
//! a tape, and the tape is printed after the choice.

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

/// Options for writing. Whatever the options, all known TRON readers can read the result: the root
/// is in braces, keys are in quotes, each class is on one line, and no argument is left out.
#[derive(Clone, Copy, Default)]
pub struct WriteOptions<'w> {
    /// If true, the text is indented and has several lines. It may be longer than compact JSON.
    pub pretty: bool,
    /// If true, `null` members count as absent. An object that lacks some properties of a class can
    /// then still use the class, with `null` in their place.
    pub null_is_absent: bool,
    /// If true, classes may have properties in quotes. At least one reader takes the quotes for a
    /// part of the name, so objects with such keys are written as in JSON by default.
    pub quoted_properties: bool,
    /// The measure for choosing classes, e.g. the number of tokens in a text. Without one,
    /// characters are counted. We call it up to about fifty times with the whole text, so it should
    /// be fast.
    pub weigh: Option<&'w dyn Fn(&str) -> usize>,
}

impl WriteOptions<'_> {
    /// Writes `value`. Compact text is never longer than compact JSON, neither in characters nor by
    /// [`weigh`](Self::weigh).
    ///
    /// # Errors
    /// Returns an error if `value` contains a number that isn't finite or a key that isn't text, or
    /// if it's nested deeper than [`MAX_RECURSION`](crate::MAX_RECURSION). Errors of the value's
    /// own `Serialize` implementation are passed on.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String> {
        let mut tape = Tape::default();
        value.serialize(Serializer::new(&mut tape))?;
        Ok(self.written(&tape))
    }

    /// Like [`to_string`](Self::to_string), but writes the text to `writer`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`WriteOptions::to_string`], and if `writer` fails.
    pub fn to_writer<T: Serialize + ?Sized>(
        &self,
        mut writer: impl Write,
        value: &T,
    ) -> Result<()> {
        let text = self.to_string(value)?;
        let failed = |error: std::io::Error| Error::without_place(Category::Io, error.to_string());
        writer.write_all(text.as_bytes()).map_err(failed)
    }

    /// Writes a value of any depth. Unlike [`to_string`](Self::to_string), this isn't recursive.
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

/// Writes `value` as compact JSON, whatever its depth.
pub(crate) fn value_to_json(value: &Value<'_>) -> String {
    let mut tape = Tape::default();
    tape.value(value);
    print(&tape, &Forms::default(), false)
}
