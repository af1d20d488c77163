//! Formats the plan of a runbook or molecule: as a tree, as JSON, as a graph for DOT or Mermaid, or
//! as a drawing. For a molecule, graphs show the live state of each step ([`StepStates`]).
//!
//! The same plan always gives the same bytes. Therefore no format names the file of the plan, which
//! could be anywhere.

mod plan_dot;
mod plan_json;
mod plan_mermaid;
mod plan_text;
mod step_states;
mod svg;

pub use plan_dot::plan_dot;
pub use plan_json::plan_json;
pub use plan_mermaid::plan_mermaid;
pub use plan_text::plan_text;
pub use step_states::StepStates;
pub use svg::{PLAN_STYLE, PlanPart, TooLargeToDraw, plan_svg, plan_svg_part};

use serde_json::Value;
use windlass::base::counted;
use windlass::plan::{OnFailure, PlannedStep, Reference, format_duration};

/// Lists the special properties of a step, always in the same order.
fn notes(step: &PlannedStep) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(condition) = &step.condition {
        notes.push(format!("if {condition}"));
    }
    if let Some(items) = &step.for_each {
        notes.push(format!("for each of {}", items_of(items)));
    }
    if step.retry.max_attempts > 1 {
        notes.push(format!("up to {} attempts", step.retry.max_attempts));
    }
    if let Some(timeout) = step.timeout {
        notes.push(format!("timeout {}", format_duration(timeout)));
    }
    if let Some(max) = step.max_duration {
        notes.push(format!("at most {}", format_duration(max)));
    }
    if step.on_failure == OnFailure::Continue {
        notes.push("run continues on failure".to_owned());
    }
    notes
}

fn items_of(items: &Value) -> String {
    match (Reference::from_value(items), items) {
        (Some(Ok(reference)), _) => reference.text,
        (_, Value::Array(items)) => counted(items.len(), "item"),
        _ => "a list".to_owned(),
    }
}

#[cfg(test)]
mod sample_plan;
#[cfg(test)]
mod tests;
