//! From documents to graphs of steps.
//!
//! A runbook is read ([`Document`]), checked as a whole against the step kinds ([`Catalog`]), and becomes a
//! [`Plan`]: steps, the edges between them with the reason of each, and the outputs to show. Everything that
//! can be known to be wrong before anything runs is found here, all of it at once, each finding with its place.
//!
//! This crate must never read a file, a clock, the environment or a random number: all of it comes in as
//! arguments, so that the same document gives the same plan, byte for byte, on every machine. Nothing a
//! document holds may make it panic, recurse without bound, or take more than linear time and memory.

mod condition;
mod document;
mod duration;
mod explain;
mod findings;
mod graph;
mod inputs;
mod kind;
mod permissions;
mod plan;
mod planned;
mod policy;
pub mod quote;
mod reference;
mod render;
mod resolve;
mod runbook;
mod schedule;
mod schema;
mod scope;
mod selector;
mod step_index;
#[cfg(test)]
mod testing;

pub use condition::{Condition, ConditionError, Mention};
pub use document::{Document, Node};
pub use duration::{DurationError, DurationText, format_duration};
pub use explain::{StepExplanation, explain};
pub use findings::Findings;
pub use graph::cycles;
pub use inputs::{Given, InputError, InputSpec, InputType, bind_inputs, bind_known_inputs};
pub use kind::{
    Catalog, Effects, InputReading, InputWords, KindSource, KindSpec, LazySchema, Lookup, Problem,
    Way, WrittenInput,
};
pub use permissions::{Capability, Permissions};
pub use plan::{Plan, PlanParts};
pub use planned::{Edge, EdgeReason, OnFailure, PlannedOutput, PlannedStep, Retry, TakenBy};
pub use policy::{FreshnessMode, Policy, PolicyError};
pub use reference::{
    Found, RefError, Reference, Target, find_references, is_reference, resolve_references,
};
pub use render::{
    TooLargeToDraw, render_dot, render_json, render_mermaid, render_svg, render_text,
};
pub use resolve::{load_runbook, resolve_document, resolve_runbook};
pub use runbook::{
    BudgetDoc, InputDoc, OrRef, OutputDoc, PolicyDoc, RefDoc, RetryDoc, Runbook, StepDoc,
};
pub use schedule::{
    Action, Because, Event, Halt, NodeSpec, Outcome, Rejected, Schedule, ScheduleOptions, Status,
};
pub use schema::{Mismatch, Schema, check_arguments, surely_fits};
pub use scope::{Scope, StepView};
pub use selector::{Selector, SelectorError, SortKey};
pub use step_index::StepIndex;
