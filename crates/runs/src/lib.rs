//! Runs runbooks and stores their records.
//!
//! [`RunService`] runs, replays, resumes and explains runbooks. [`RunRecords`] reads the stored
//! records of runs and compares them. [`TrustService`] decides which runbooks may start programs:
//! the user reviews a runbook and trusts a digest of its current text, so any edit invalidates the
//! trust.
//!
//! Three rules hold throughout this crate: we never start a program unless it is trusted or
//! allowed, outdated text is always marked as such, and a run goes on even if its record cannot be
//! written.

mod check_document;
mod explain_plan;
mod next_calls;
mod records;
mod refresh;
mod refresh_request;
mod replay;
mod run_catalog;
mod run_error;
mod run_pages;
mod run_service;
mod trust;

pub use check_document::CheckedDocument;
pub use explain_plan::Explanation;
pub use records::{
    RecordedRunbook, RunChange, RunComparison, RunEnd, RunHead, RunId, RunRecord, RunRecords,
    RunSectionDiff, RunState, RunSummary, StepSummary,
};
pub use refresh::{Refresh, Resumption, resume_call};
pub use refresh_request::{Part, RefreshRequest};
pub use replay::Replay;
pub use run_catalog::step_catalog;
pub use run_error::RunError;
pub use run_pages::{RunList, RunPack, RunPages, RunPlan, SectionCell, SectionHistory, SectionRow};
pub use run_service::RunService;
pub use trust::{
    Asked, MadeRunbooks, ProgramFile, SecretsReport, Standing, StartedProgram, TrustReport,
    TrustService, TrustState,
};
