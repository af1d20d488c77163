//! Runs runbooks and stores their records.
//!
//! [`RunService`] runs, replays, resumes and explains runbooks. [`RunRecords`] reads the stored
//! records of runs and compares them. [`TrustService`] decides which runbooks may start programs.
//! Trust is tied to a digest: the user reviews a runbook and trusts its current text, so editing
//! the runbook ends the trust.
//!
//! Three rules hold throughout this crate. A program that is neither trusted nor allowed must never
//! start. Outdated text must be marked as such wherever we show it. And a run must not fail just
//! because we can't write its record.

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
