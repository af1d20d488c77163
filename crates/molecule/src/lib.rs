//! Molecules: formulas that were poured, and how people, agents and the machine work through them.
//!
//! [`MoleculeService`] is the front door: [`MoleculeService::on`] gives the [`Molecules`] of a ledger that is open, which are
//! poured, looked at and put away there; [`StepWork`] is what agents do with their steps, [`Driver`] what the machine does,
//! [`Verifier`] looks whether work is done as it should be. What is decided is written by the ledger's session.
//!
//! This crate must never start a program that is not trusted or allowed, nor say that something happened before the log
//! has it.

mod acceptance;
mod bead_criteria;
mod distill;
mod document_formula;
mod driver;
mod fan_out;
mod gate_answer;
mod gate_needs;
mod machine;
mod molecule_doctor;
mod molecule_error;
mod molecule_progress;
mod molecule_reports;
mod molecule_service;
mod molecules;
mod step_packs;
mod step_report;
mod step_work;
mod verification;

pub use acceptance::CriterionReport;
pub use bead_criteria::criteria_in;
pub use distill::DistillRequest;
pub use document_formula::FormulaNow;
pub use driver::{DriveOptions, DriveReport, DrivenStep, Driver, MolWait, Patience};
pub use gate_answer::GateAnswer;
pub use molecule_doctor::{MolFinding, MolTrouble, MoleculeDoctor};
pub use molecule_error::MoleculeError;
pub use molecule_progress::MolProgress;
pub use molecule_reports::{MolReport, MolSummary, ReadyStep, ReadySteps};
pub use molecule_service::MoleculeService;
pub use molecules::{Molecules, NewMolecule, millis};
pub use step_packs::StepPack;
pub use step_report::{StepAsks, StepReport};
pub use step_work::{Completion, StepWork};
pub use verification::{Verification, Verifier};
