//! Splits long texts into passages. Each passage is scored and shown on its own.

mod passage;
mod text_split;
mod window;

pub use passage::{Passage, best_passage, passages};
pub(crate) use text_split::PASSAGE;
pub(super) use text_split::{PASSAGES, events_in};
pub use window::{best_window, matched_by_line};
