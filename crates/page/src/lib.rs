//! Web pages: templates with shared components, one style, and the admission of requests.
//!
//! [`page`] renders a page as a single file, for a browser, a mail or a pull request. The file
//! contains no script and loads nothing, and its content policy forbids both. [`content`] renders
//! the same page without the frame, for a server with its own. Every value is escaped, and equal
//! data give equal bytes.
//!
//! For servers, [`Door`] decides which requests are answered, and [`Connections`] keeps clients
//! within limits. This crate must not read files, and does not know the subjects of pages.

mod connections;
mod door;
mod templates;
mod token;

pub use connections::{Connections, whole_body};
pub use door::{Door, Refusal};
pub use templates::{PageError, STYLE, content, environment, page};
pub use token::{Token, TokenError};
