//! Describes the kinds of steps, and checks their input before a run.

mod catalog;
mod input_words;
mod lazy_schema;
mod lookup_ways;
mod written_input;

pub use self::catalog::{Catalog, Effects, InputReading, KindSource, KindSpec};
pub use self::input_words::InputWords;
pub(crate) use self::input_words::{in_words, reference_in_words};
pub use self::lazy_schema::LazySchema;
pub use self::lookup_ways::{Lookup, Way};
pub use self::written_input::{Problem, WrittenInput};
