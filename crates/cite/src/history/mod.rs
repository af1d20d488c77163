//! Traces citations through the history of their documents, back to the commit that wrote them.
//! Most of the code pairs the citations in two states of a document.

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
