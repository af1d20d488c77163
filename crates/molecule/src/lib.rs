//! Molecules (poured formulas) and their execution by people, agents and the machine.
//!
//! [`MoleculeService`] is the entry point. [`MoleculeService::on`] returns the [`Molecules`] of an
//! open ledger, for pouring, reporting and closing them. Agents work on steps through [`StepWork`],
//! and the machine through [`Driver`]. [`Verifier`] checks work against its acceptance criteria.
//! All decisions are written by the ledger session.
//!
//! We only start programs that are trusted or explicitly allowed, and only report events once
//! they are in the log.

mod acceptance;
mod bead_criteria;
mod distill;
mod document_formula;
mod drains;
mod driver;
mod fan_out;
mod fleet;
mod gate_answer;
mod gate_needs;
mod machine;
mod molecule_board;
mod molecule_doctor;
mod molecule_error;
mod molecule_progress;
mod molecule_reports;
mod molecule_service;
mod molecules;
mod own_claim;
mod pouring;
mod run_elsewhere;
mod step_packs;
mod step_report;
mod step_work;
mod verification;

pub use acceptance::CriterionReport;
pub use bead_criteria::criteria_in;
pub use distill::DistillRequest;
pub use document_formula::FormulaNow;
pub use driver::{DriveOptions, DriveReport, DrivenStep, Driver, MolWait, Patience, WorkerStats};
pub use fleet::{FleetReport, FleetRepository, FleetRequest, FleetWork, Fleets};
pub use gate_answer::GateAnswer;
pub use molecule_board::{
    AskedInput, BoardCard, BoardColumn, ClaimReport, GateReport, MoleculeBoard,
};
pub use molecule_doctor::{MolFinding, MolTrouble, MoleculeDoctor};
pub use molecule_error::{MoleculeError, NotClaimed};
pub use molecule_progress::MolProgress;
pub use molecule_reports::{MolReport, MolSummary, ReadyStep, ReadySteps};
pub use molecule_service::MoleculeService;
pub use molecules::{Molecules, millis};
pub use pouring::NewMolecule;
pub use step_packs::StepPack;
pub use step_report::{StepAsks, StepReport};
pub use step_work::{Completion, StepWork};
pub use verification::{Verification, Verifier};
