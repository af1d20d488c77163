//! The notations of a memory's files: lines, frontmatter, names and paths.

pub(crate) mod conflict_marks;
pub(crate) mod day;
pub(crate) mod everyday;
pub(crate) mod front_matter;
pub(crate) mod json_lines;
pub(crate) mod json_patch;
pub(crate) mod layout;
pub(crate) mod line_bytes;
pub(crate) mod scope;
