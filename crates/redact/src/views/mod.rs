//! A text as it is meant where it stands as something else: without `escapes`, a `diff` with blanks in place of its signs, lines
//! without their `prefix`, what is `written` in one line of another; most of these are `pieces` of it. And the text as it is shown
//! once what was found in it is replaced (`settle`).

pub(crate) mod diff;
pub(crate) mod escapes;
pub(crate) mod pieces;
pub(crate) mod prefix;
pub(crate) mod settle;
pub(crate) mod written;
