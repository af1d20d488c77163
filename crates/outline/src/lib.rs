//! Outlines of source files. An outline lists the symbols defined in a file, with their lines.
//!
//! - [`outline`] parses code with tree-sitter, and finds the headings of Markdown.
//! - [`imports`] lists the imports of a file.
//! - [`introduction`] finds the first prose in a Markdown document.
//! - [`Markdown`] parses Markdown for other purposes.
//! - [`Outline::find`] resolves a symbol name in the user's spelling, and [`Outline::enclosing`]
//!   finds the symbol around given lines.
//!
//! All of these are pure functions of text. They go by syntax alone and resolve nothing, so a
//! symbol is only probably a definition: macros, conditional compilation and the like can change
//! its meaning.
//!
//! No input may cause a panic or a long run time. After a syntax error, the outline must not claim
//! to be complete.

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
