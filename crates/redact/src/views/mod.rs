//! Views of a text: without its `escapes`, and after redaction (`settle`). They consist of `pieces`
//! of the text.

pub(crate) mod escapes;
pub(crate) mod pieces;
pub(crate) mod settle;
