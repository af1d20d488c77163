//! The user's trust in runbooks that start programs, and in a list that makes secret paths
//! readable.
//!
//! The user reviews a text and trusts its digest. Any edit therefore ends the trust, and reverting
//! the edit restores it.

mod family;
mod notebook_runner;
mod permission;
mod trust_given;
mod trust_health;
mod trust_service;
mod trust_standing;

pub use family::{ProgramFile, StartedProgram, TrustReport};
pub(crate) use permission::Permission;
pub use trust_given::SecretsReport;
pub use trust_service::TrustService;
pub use trust_standing::{Asked, MadeRunbooks, Standing, TrustState};
