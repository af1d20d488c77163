//! Runs runbooks and stores their records.
//!
//! [`RunService`] runs, replays, resumes and explains runbooks. [`RunRecords`] gives access to the stored records of
//! runs and compares them. [`TrustService`] determines which runbooks may start programs. The user reviews a runbook
//! and trusts its digest, so a change ends the trust.
//!
//! This crate must never start a program that was neither trusted nor allowed. It must not show outdated text without
//! marking it, and must not let a run fail because its record cannot be written.

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
