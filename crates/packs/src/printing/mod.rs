//! Formats packs and styles them, and keeps terminal controls out.

mod clean;
mod format;
mod styled;
mod tron_text;

pub use clean::clean_value;
pub use clean::fit as fit_columns;
pub(crate) use clean::{clean, clean_json, clean_text, fit, rows};
pub use format::Format;
pub use styled::{Span, Style, Styled};
pub use tron_text::tron;
