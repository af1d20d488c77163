//! Writer: values are recorded on a tape, classes are chosen by their savings, and the tape is printed.

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
/// Written text can be read by every known TRON reader: a root in braces, keys in quotes, one line per class,
/// no omitted arguments.
#[derive(Clone, Copy, Default)]
pub struct WriteOptions<'w> {
    /// True for indented multi-line text, which may be longer than compact JSON.
    pub pretty: bool,
    /// True if a `null` member means an absent one. A class can then represent objects with some of its
    /// properties, with `null` for the others.
    pub null_is_absent: bool,
    /// True to allow class properties that need quotes. At least one reader includes the quotes in the name,
    /// so such objects are written as JSON otherwise.
    pub quoted_properties: bool,
    /// Measure of a text for choosing classes, for example tokens, instead of characters. Called about a
    /// hundred times, also with the whole text.
    pub weigh: Option<&'w dyn Fn(&str) -> usize>,
}

impl WriteOptions<'_> {
    /// Writes `value`; compact text is never longer, by either measure, than compact JSON.
    ///
    /// # Errors
    /// When `value` holds a number that is not finite or a key that is not text, is nested deeper than
    /// [`MAX_RECURSION`](crate::MAX_RECURSION), or refuses to be serialised.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String> {
        let mut tape = Tape::default();
        value.serialize(Serializer::new(&mut tape))?;
        Ok(self.written(&tape))
    }

    /// Writes `value` into `writer`.
    ///
    /// # Errors
    /// Like [`WriteOptions::to_string`], and when the writer fails.
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
