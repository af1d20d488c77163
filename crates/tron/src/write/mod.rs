//! Writing: what is to be written goes onto a tape, classes are chosen by what they save, and the tape is printed.

mod choose;
mod print;
mod serializer;
mod shapes;
mod tape;

use std::io::Write;

use serde::Serialize;

use self::choose::Forms;
use self::print::print;
use self::serializer::Serializer;
use self::tape::Tape;
use crate::error::{Category, Error, Result};
use crate::value::Value;

/// How to write.
///
/// What is written is read by every reader of TRON that is known: a root in braces, keys in quotes, one line for each
/// class, no argument left out.
#[derive(Clone, Copy, Default)]
pub struct WriteOptions<'w> {
    /// For people: lines and indentation. Such a text may be longer than compact JSON.
    pub pretty: bool,
    /// Whether a member that is `null` means the same as none. Then one class may stand for objects that have some of
    /// its properties, with `null` for the others.
    pub null_is_absent: bool,
    /// Whether classes may have properties that need quotes. At least one reader takes the quotes for a part of the
    /// name, so such objects are written as in JSON otherwise.
    pub quoted_properties: bool,
    /// What a text weighs, when classes are to be chosen by that (tokens, say) and not by characters. Called about a
    /// hundred times, with the whole text too.
    pub weigh: Option<&'w dyn Fn(&str) -> usize>,
}

impl WriteOptions<'_> {
    /// Writes `value`; compact text is never longer, nor heavier, than compact JSON.
    ///
    /// # Errors
    /// When `value` holds a number that is not finite or a key that is no text, is nested deeper than
    /// [`MAX_RECURSION`](crate::MAX_RECURSION), or refuses to be serialised.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String> {
        let mut tape = Tape::default();
        value.serialize(Serializer::new(&mut tape))?;
        Ok(self.written(&tape))
    }

    /// Writes `value` into `writer`.
    ///
    /// # Errors
    /// As [`WriteOptions::to_string`], and when the writer fails.
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

/// `value` as compact JSON.
pub(crate) fn value_to_json(value: &Value<'_>) -> String {
    let mut tape = Tape::default();
    tape.value(value);
    print(&tape, &Forms::default(), false)
}
