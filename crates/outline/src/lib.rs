//! Outlines of source files. An outline lists the symbols defined by a file, with their lines.
//!
//! - [`outline`] creates an outline from bytes, with tree-sitter for code and a Markdown parser for
//!   headings.
//! - [`imports`] lists the imports of a file.
//! - [`introduction`] finds the first prose in a Markdown document.
//! - [`Markdown`] parses Markdown for other purposes.
//! - [`Outline::find`] resolves a symbol name as users write it. [`Outline::enclosing`] finds the
//!   symbol around given lines.
//!
//! The functions are pure: they read text and return symbols. They go by syntax alone, so a symbol
//! is only a probable definition.
//!
//! This crate must never panic or run for long on any bytes. It must never claim that an outline is
//! complete if the parser found errors.

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
