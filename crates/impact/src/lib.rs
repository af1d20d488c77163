//! Impact of a change before it is merged: the anchors, citations and runbook sections it makes
//! stale.
//!
//! [`ImpactService`] is the entry point and returns an [`Impact`]. [`Offer`] installs automatic
//! checks. We only check evidence in changed files that was fresh before the change, since other
//! stale evidence isn't the change's fault. It is merely counted.
//!
//! This crate must never write any file except an installed check. It must never report that
//! nothing depends on a change if that is unknown.

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
