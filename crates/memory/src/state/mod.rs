//! The memory as read, either completely or only where files have changed.

pub(crate) mod ignore_rules;
pub(crate) mod known;
pub(crate) mod listed_links;
pub(crate) mod memory;
pub(crate) mod memory_files;
pub(crate) mod reading;
pub(crate) mod said_by_impressions;
pub(crate) mod successors;
pub(crate) mod templates;
