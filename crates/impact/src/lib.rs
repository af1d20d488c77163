//! Impact of a change before it is merged: anchors, citations, and runbook sections that it makes stale.
//!
//! [`ImpactService`] is the entry point and returns an [`Impact`]; [`Offer`] installs automatic checks. Only
//! evidence in changed files is checked, and only if it was fresh before the change; other stale evidence is
//! merely counted.
//!
//! This crate must never write any file but an installed check, nor report that nothing depends on a change if
//! that is unknown.

mod git_offers;
mod hook_health;
mod impact_error;
mod impact_report;
mod impact_service;
mod stale_anchors;
mod stale_citations;
mod touched_files;
mod touched_sections;

pub use git_offers::{Installed, Offer};
pub use impact_error::ImpactError;
pub use impact_report::{
    Base, Effect, Impact, ImpactRequest, KeptIn, StaleEvidence, TouchedSection,
};
pub use impact_service::ImpactService;
