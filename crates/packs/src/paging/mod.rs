//! Gets the next page of a pack or a list.

mod cursor;
mod list_cursors;
mod list_page;

pub(crate) use cursor::Seen;
pub use cursor::{Cursor, CursorError};
pub use list_cursors::ListCursors;
pub use list_page::{FittingPage, ListPage, most_that_fit};
