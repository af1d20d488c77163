//! Web pages: templates with shared components, one style, and the admission of requests.
//!
//! [`page`] renders a page as one file, for a browser, a mail or a pull request. The file has no
//! script and loads nothing, and its policy forbids both. [`content`] renders the same page without
//! the frame, for a server that has a frame of its own. Every value is escaped, and equal data give
//! equal bytes. [`Door`] decides which requests a server answers.
//!
//! This crate must never read a file or know what a page is about.

mod door;
mod templates;
mod token;

pub use door::{Door, Refusal};
pub use templates::{PageError, STYLE, content, environment, page};
pub use token::{Token, TokenError};
