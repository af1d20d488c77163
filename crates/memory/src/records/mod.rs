//! What a memory is made of, one by one: records, impressions that lead to them, feedback on what was recalled.

pub(crate) mod copied;
pub(crate) mod entries;
pub(crate) mod feedback;
pub(crate) mod head;
pub(crate) mod impression;
pub(crate) mod keywords;
pub(crate) mod kind;
pub(crate) mod record;
