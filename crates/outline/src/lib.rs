//! The outline of a source file: which symbols it defines, and on which lines.
//!
//! - [`outline`] makes one from bytes, with tree-sitter for code and a parser of Markdown for headings;
//! - [`imports`] says what a file names of others;
//! - [`Markdown`] reads Markdown, for whoever looks for more in it;
//! - [`Outline::find`] takes a name as people write it, [`Outline::enclosing`] says what lines belong to.
//!
//! Pure: text in, symbols out. A symbol says where something *seems* to be defined. This crate must never
//! panic or run for long on any bytes, nor claim that an outline is complete when the parser saw damage.

mod find;
mod imports;
mod language;
mod markdown;
mod markdown_reader;
mod outline;
mod parse;
mod raw_html;
mod rules;
mod symbol;
mod walk;

pub use imports::{Import, imports};
pub use language::Language;
pub use markdown_reader::Markdown;
pub use outline::{Completeness, Limits, NotOutlined, Outline, outline, outline_unless};
pub use raw_html::readable_markdown;
pub use symbol::{Lines, Symbol, SymbolKind, Visibility};
