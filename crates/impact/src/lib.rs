//! Shows what a change makes stale before it is merged: anchors, citations and runbook sections.
//!
//! The entry point is [`ImpactService`], which returns an [`Impact`]. It can also install checks
//! that run automatically, see [`Offer`]. We only report evidence that was fresh before the change.
//! The rest is not the fault of the change, so it is just counted.
//!
//! Two things to keep in mind when changing this crate: it must not write any file other than an
//! installed check, and it must never claim that nothing depends on a change if it could not find
//! out.

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
