//! Parsed contents of a memory: records, impressions and feedback.

pub(crate) mod copied;
pub(crate) mod entries;
pub(crate) mod feedback;
pub(crate) mod impression;
pub(crate) mod keywords;
pub(crate) mod kind;
pub(crate) mod link_paths;
pub(crate) mod record;
pub(crate) mod record_body;
