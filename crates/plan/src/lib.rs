//! Compiles documents into graphs of steps.
//!
//! A runbook ([`Document`]) is parsed, checked as a whole against the step kinds ([`Catalog`]), and
//! turned into a [`Plan`]: the steps, the edges between them, and the outputs to show. We try to
//! find every error that's detectable before a run in this single pass, and report each of them at
//! its position.
//!
//! This crate never reads a file, a clock, the environment or a random number. Callers pass these
//! in, so the same document gives the same plan, byte for byte, on every machine. Documents may
//! come from anyone: none should be able to cause a panic, unbounded recursion, or more than linear
//! time and memory.

mod checked_plan;
mod condition;
mod condition_scope;
mod document;
mod duration;
mod findings;
mod graph;
mod inputs;
mod kind;
mod permissions;
mod planned;
mod policy;
pub mod quote;
mod reference;
mod resolve;
mod runbook;
mod schedule;
mod schema;
mod selector;
mod step_explanation;
mod step_index;

pub use checked_plan::{Plan, PlanParts};
use condition::Mention;
pub use condition::{Condition, whole_number};
pub use condition_scope::{Scope, StepView};
pub use document::{Document, Node, SizeLimit, decode, json_place};
pub use duration::{DurationText, format_duration};
pub use findings::Findings;
pub use graph::{circle_of_steps, cycles};
pub use inputs::{Given, InputError, InputSpec, InputType, bind_inputs, bind_known_inputs};
pub use kind::{
    Catalog, Effects, InputReading, InputWords, KindSource, KindSpec, LazySchema, Lookup, Problem,
    Way, WrittenInput,
};
pub use permissions::Capability;
use permissions::Permissions;
pub use planned::{Edge, EdgeReason, OnFailure, PlannedOutput, PlannedStep, Retry, TakenBy};
pub use policy::{FreshnessMode, Policy};
pub use reference::{
    Found, RefError, Reference, Target, find_references, is_reference, resolve_references,
};
pub use resolve::{load_runbook, resolve_document, resolve_runbook};
use runbook::{InputDoc, OrRef, PolicyDoc, RetryDoc};
pub use runbook::{OutputDoc, Runbook, StepDoc};
pub use schedule::{
    Action, Because, Event, Halt, NodeSpec, Outcome, Rejected, Schedule, ScheduleOptions, Status,
};
pub use schema::{Mismatch, Schema, check_arguments};
pub use selector::{Selector, SortKey};
pub use step_explanation::{StepExplanation, explain};
pub use step_index::StepIndex;

#[cfg(test)]
mod tests;
