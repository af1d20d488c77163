//! The user's trust decisions: which runbooks may start programs, and whether the repository may
//! make secret paths readable. The user reviews a text and trusts its digest, so any edit ends the
//! trust.

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
