//! Origin of citations: the commit that wrote each one, and equal citations of two document states.

mod carried;
mod copied_documents;
mod counterparts;
mod renamed_files;
mod renumbered;
mod reworded;
mod same_citations;
mod sentences;
mod writer;
mod writers;

pub(crate) use carried::rewritten;
pub(crate) use same_citations::has_same;
pub(crate) use writer::{Writer, Writers};
pub(crate) use writers::writers;
