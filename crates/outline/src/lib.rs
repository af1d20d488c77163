//! Outline of a source file: the symbols that it defines, and their lines.
//!
//! - [`outline`] creates one from bytes, with tree-sitter for code and a Markdown parser for headings;
//! - [`imports`] lists the imports of a file;
//! - [`introduction`] finds the first prose of a Markdown document;
//! - [`Markdown`] reads Markdown, for other uses of its contents;
//! - [`Outline::find`] resolves a name as users write it, [`Outline::enclosing`] finds the symbol around
//!   lines.
//!
//! The functions are pure: text in, symbols out. A symbol is a probable definition. This crate must never
//! panic or run for long on any bytes, nor claim that an outline is complete if the parser found damage.

mod find;
mod imports;
mod introduction;
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
pub use introduction::introduction;
pub use language::Language;
pub use markdown_reader::Markdown;
pub use outline::{Completeness, Limits, NotOutlined, Outline, outline, outline_unless};
pub use raw_html::readable_markdown;
pub use symbol::{Lines, Symbol, SymbolKind, Visibility};
