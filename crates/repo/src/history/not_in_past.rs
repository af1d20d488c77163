/// Reason why the history has no answer, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotInPast(String);

pub(super) fn not_in_past(why: impl std::fmt::Display) -> NotInPast {
    tracing::debug!(%why, "no answer from history");
    NotInPast(why.to_string())
}
