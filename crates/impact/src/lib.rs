//! What a change makes stale, before it is merged: anchors, what documents cite, and the sections of runbooks that rest on
//! what changed.
//!
//! [`ImpactService`] is the front door, and gives an [`Impact`]; [`Offer`] is what has it looked at without anybody asking. Only evidence
//! in files that the change touches is looked at, and only what stood before it counts: what was stale already is nobody's fault here, and
//! is counted.
//!
//! This crate must never write but what is offered, nor say that nothing rests on a change where nobody can know.

mod git_offers;
mod impact_error;
mod impact_report;
mod impact_service;
mod stale_anchors;
mod stale_citations;
mod touched_files;
mod touched_sections;

pub use git_offers::Offer;
pub use impact_error::ImpactError;
pub use impact_report::{
    Base, Effect, Impact, ImpactRequest, KeptIn, StaleEvidence, TouchedSection,
};
pub use impact_service::ImpactService;
