//! Answers queries. Finds matches in the memory and other sources, and loads as much text as the
//! budget allows.

mod chosen_pieces;
mod found_things;
mod other_sources;
mod piece;
mod recall_answer;
mod recall_budget;
mod recall_request;
mod recaller;
mod recollection;
mod recollection_text;
mod shown_fields;
mod source_lines;

pub use self::recall_answer::RecallAnswer;
pub use self::recall_request::{AlsoSource, RecallFormat, RecallReport, RecallRequest};
pub use self::recaller::Recaller;
pub use self::recollection::{
    Explained, Loaded, LoadedField, RecallBudget, Recalled, Recollection,
};
