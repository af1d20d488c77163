//! Scores entries for a question, and estimates the confidence in the best one.

mod candidates;
mod confidence;
mod feedback_pull;
mod hit;
mod level;
mod matched_entry;
mod query_term;
mod rank_entries;
mod ranking;
mod search;
mod tuning;
mod weighting;

pub(crate) use hit::listed_words;
pub use hit::{Hit, TermShare};
pub use level::Level;
pub use ranking::Ranking;
pub(super) use search::Search;
pub use tuning::Tuning;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "scores are small and not negative; others saturate"
)]
fn thousandths(number: f64) -> u32 {
    (number * 1000.0).round() as u32
}
