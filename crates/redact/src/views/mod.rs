//! Decoded views of a text. They're the text without `escapes`, a `diff` with blanks in place of
//! its signs, lines without their `prefix`, and texts `written` on one line of another. Most views
//! consist of `pieces` of the text. `settle` has the view of the text after redaction.

pub(crate) mod diff;
pub(crate) mod escapes;
pub(crate) mod pieces;
pub(crate) mod prefix;
pub(crate) mod settle;
pub(crate) mod written;
